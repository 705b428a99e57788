# What tools/demo, tools/test and tools/docs share; sourced by them. It gets what is missing, and sets up build folders.
#
#   need_packages, need_build_tools, need_cuda   get what is missing; nothing happens where all is there
#   need_sphinx, want_sphinx                     gets what builds the site; the latter can do without
#   want_consumer_tools                          the same, but can do without
#   configure NAME OPTION…                       sets up build/NAME, and sets $build to it
#
# As root, missing tools are installed as Debian packages. Without root nothing outside this checkout is touched:
# packages are unpacked below .local/, Python's go to the virtual environment .venv/.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=$root/.local
venv=$root/.venv
export LC_ALL=C.UTF-8 LANGUAGE=  # what compilers say is read

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*" && exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" = 0 ]; }

# ---- Debian packages

packages() {
  have apt-get || die "missing: $*. Install them (those are Debian's names), and run this again."
  say "getting $*"
  { if is_root; then install "$@"; else unpack "$@"; fi; } >&2 || die "could not get all of: $* (see above)."
}

install() {
  local command=(apt-get install -y -qq --no-install-recommends "$@")
  export DEBIAN_FRONTEND=noninteractive
  "${command[@]}" 2>/dev/null || { apt-get update -qq && "${command[@]}"; }
}

# Packages and what they depend on that isn't installed, with package lists of our own: root's may be empty.
unpack() {
  local lists=$prefix/lists debs=$prefix/debs new=$prefix/new names
  local apt=(apt-get -qq -o "Dir::State::Lists=$lists" -o "Dir::Cache=$prefix/cache" -o Debug::NoLocking=1)
  rm -rf "$new" "$debs" && mkdir -p "$lists/partial" "$prefix/cache/archives/partial" "$debs" &&
    "${apt[@]}" update &&
    names=$("${apt[@]}" install -s --no-install-recommends "$@" | sed -n 's/^Inst \([^ ]*\).*/\1/p') &&
    (cd "$debs" && "${apt[@]}" download $names) || return
  for deb in "$debs"/*.deb; do dpkg -x "$deb" "$new" || return; done
  find "$new" -type f \( -name '*.pc' -o -name libc.so \) -exec sed -i "s|/usr|$prefix/usr|g" {} +
  cp -a "$new/." "$prefix" && rm -rf "$new" "$debs" && use_prefix
}

# A compiler looks for the headers and start files of C where it was configured to be, not where it was unpacked.
unpack_compiler() {
  local name
  packages g++ libc6-dev
  mkdir -p "$prefix/bin"
  for name in c++:g++ g++:g++ cc:gcc gcc:gcc; do
    cat >"$prefix/bin/${name%:*}" <<END
#!/bin/sh
exec "$prefix/usr/bin/${name#*:}" "-B$prefix/usr/lib/$triplet" \
  -idirafter "$prefix/usr/include/$triplet" -idirafter "$prefix/usr/include" "\$@"
END
    chmod +x "$prefix/bin/${name%:*}"
  done
}

triplet=$(uname -m)-linux-gnu
own_path=$PATH
own_libraries=${LD_LIBRARY_PATH:-}
own_pkg_config=${PKG_CONFIG_PATH:-}

use_prefix() {
  export PATH=$venv/bin:$prefix/bin:$prefix/usr/bin:$own_path
  [ -d "$prefix/usr" ] || return 0
  export LD_LIBRARY_PATH=$prefix/usr/lib/$triplet:$prefix/lib/$triplet${own_libraries:+:$own_libraries}
  export PKG_CONFIG_PATH=$prefix/usr/lib/$triplet/pkgconfig:$prefix/usr/lib/pkgconfig:$prefix/usr/share/pkgconfig
  PKG_CONFIG_PATH+=${own_pkg_config:+:$own_pkg_config}
}
use_prefix

# need_packages PKG_CONFIG_NAME=PACKAGE…: libraries, by the name that pkg-config knows.
need_packages() {
  local missing=()
  have pkg-config || packages pkg-config
  for library in "$@"; do pkg-config --exists "${library%=*}" || missing+=("${library#*=}"); done
  [ ${#missing[@]} = 0 ] || packages "${missing[@]}"
}

# ---- Python packages

# Where there is no network, pip's own five retries take some seconds each time.
wheels() {
  say "getting $* from PyPI"
  "$venv/bin/pip" --version >/dev/null 2>&1 || make_venv >&2 || die "could not make $venv (see above). Debian's package is python3-venv."
  "$venv/bin/python" -m pip install -q --no-cache-dir --disable-pip-version-check --retries 2 "$@" >&2 || die "could not get all of: $* (see above)."
}

make_venv() {
  have python3 || packages python3
  python3 -m venv --clear "$venv" >/dev/null && return
  if is_root; then
    packages python3-venv && python3 -m venv --clear "$venv"
  else
    packages python3-pip-whl && python3 -m venv --clear --without-pip "$venv" && bring_pip
  fi
}

# Debian keeps pip apart, as a wheel that can be run as it is, and that knows certificates only where root would have put them.
bring_pip() {
  local certificates=/etc/ssl/certs/ca-certificates.crt
  if [ ! -f $certificates ]; then
    certificates=$prefix/certificates.crt
    cat "$prefix"/usr/share/ca-certificates/mozilla/*.crt >"$certificates" || return
  fi
  "$venv/bin/python" - "$prefix"/usr/share/python-wheels/pip-*.whl "$certificates" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import pip._vendor.certifi.core as certifi
certifi.DEBIAN_CA_CERTS_PATH = sys.argv[2]
from pip._internal.cli.main import main
sys.exit(main(['install', '-q', '--no-cache-dir', 'pip']))
END
}

# ---- What a build needs

compiler() { command -v ${CXX:-c++ g++ clang++} | head -n 1; }

meson_is_new() {
  local version
  version=$(meson --version 2>/dev/null) && [ "$(printf '%s\n' 1.4 "$version" | sort -V | head -n 1)" = 1.4 ]
}

need_compiler() {
  [ -z "$(compiler)" ] || return 0
  if is_root; then packages g++ libc6-dev; else unpack_compiler; fi
}

# Sets sphinx_python to a Python that builds the site.
need_sphinx() {
  for sphinx_python in "$venv/bin/python" python3; do
    "$sphinx_python" -c 'import sphinx, myst_parser, furo' 2>/dev/null && return
  done
  wheels 'sphinx>=7.2' 'myst-parser>=3' furo
  sphinx_python=$venv/bin/python
}

# The same, but can do without: the test of the site is skipped then.
want_sphinx() { (need_sphinx) || say 'without Sphinx the test `site` is skipped.'; }

need_build_tools() {
  need_compiler
  meson_is_new || wheels 'meson>=1.4'
  have ninja || wheels ninja
}

# What the tests of users' projects build them with: CMake, and the oldest Meson that will do. Without these, cases are skipped.
want_consumer_tools() {
  cmake_is_new || (wheels 'cmake>=3.25') || say "going on without CMake: what needs it is skipped."
  [ -d "$venv/meson-1.0" ] || (wheels --target "$venv/meson-1.0" 'meson==1.0.*') ||
    say "going on without Meson 1.0: what needs it is skipped."
}

cmake_is_new() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p') && [ "$version" ] &&
    [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]
}

# Puts nvcc on PATH where there is one; `need_cuda fetch` gets one where there is none.
need_cuda() {
  local toolkit
  # Meson looks for CUDA in these variables and in /usr/local/cuda*.
  if have nvcc && [ -z "${CUDA_PATH:-${CUDA_HOME:-${CUDA_ROOT:-}}}" ] && ! [ -d /usr/local/cuda ]; then
    toolkit=$(readlink -f "$(command -v nvcc)") && export CUDA_PATH=${toolkit%/bin/*}
  fi
  for toolkit in ${CUDA_PATH:+"$CUDA_PATH"} /usr/local/cuda "$venv"/lib/python3*/site-packages/nvidia/cu13; do
    have nvcc && return
    [ -x "$toolkit/bin/nvcc" ] && export CUDA_PATH=$toolkit PATH=$toolkit/bin:$PATH
  done
  have nvcc && return
  if [ "${1:-}" = fetch ]; then
    wheels nvidia-{cuda-nvcc,cuda-runtime,cuda-crt,cuda-cccl,nvvm}==13.0.*
    toolkit=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13)
    mkdir -p "$toolkit/targets"  # the layout that nvcc and Meson look for
    ln -sfn lib "$toolkit/lib64"
    ln -sfn .. "$toolkit/targets/$(uname -m)-linux"
    export CUDA_PATH=$toolkit PATH=$toolkit/bin:$PATH
  else
    say "no CUDA compiler: only plain C++ is built, for the CPU. --with-cuda gets one, below .venv/."
  fi
}

has_gpu() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# With $quiet set, what Meson says is shown only where it fails.
setup_folder() {
  local output
  if [ -z "${quiet:-}" ]; then
    meson setup "$build" "$root" "$@" >&2
  else
    output=$(meson setup "$build" "$root" "$@" 2>&1) || { printf '%s\n' "$output" >&2 && return 1; }
  fi
}

# The folder is made anew where it was made with other tools or options.
configure() {
  local made_with
  build=$root/build/$1
  shift
  made_with="$root $* | $(meson --version) | $(compiler) $("$(compiler)" --version | head -n 1) |"
  made_with+=" $(command -v nvcc) $(nvcc --version 2>/dev/null | tail -n 1) ${CUDA_PATH:-}"
  case "$*" in *gpu_arch=native*) made_with+=" $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | xargs)" ;; esac
  [ -f "$build/build.ninja" ] && [ "$(cat "$build/made-with" 2>/dev/null)" = "$made_with" ] && return
  rm -rf "$build"
  setup_folder "$@" && printf '%s\n' "$made_with" >"$build/made-with"
}
