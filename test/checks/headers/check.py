#!/usr/bin/env python3
"""Compiles every header by itself, and all of them in every language and mode that they support. Prints TAP.

usage: check.py INCLUDE_FOLDER [NVCC…] -- CXX…     (each a command of several words, as "ccache g++"; no NVCC: no CUDA compiler)
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "callables"))
from compilers import fast_flags, toolkit_of  # noqa: E402

AS_ERRORS = os.environ.get("WERROR") != "false"  # else a warning that only this compiler has would fail
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"] + ["-Werror"] * AS_ERRORS
USE = '#include "use.hpp"\nint main() { return use_on_host() == 0; }\n'
# A file beside the first of a program. What headers define twice shows where it includes them, and instantiations are alike in both
# files; so it calls little.
OTHER = """#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>
unsigned other() { return tessera::host::launch_tile<8>([](auto tile) { return tessera::reduce(tile, 1u); })[0]; }
#if defined(__CUDACC__)
__global__ void other_kernel(unsigned* x) {
  auto const block = cooperative_groups::this_thread_block();
  *x = tessera::reduce(tessera::tiled_partition<8>(block), *x) + tessera::reduce(tessera::this_block_tile<64>(block), *x);
}
#endif
"""
SUM = """#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
unsigned NAME() { return tessera::host::launch_tile<8>([](auto tile) { return tessera::reduce(tile, 1u); })[0]; }
"""
SUMS = [SUM.replace("NAME", "one"), SUM.replace("NAME", "two"),
        "unsigned one(); unsigned two();\nint main() { return one() == 8 && two() == 8 ? 0 : 1; }\n"]
HOST_TILE_IN_KERNEL = """#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>
__global__ void kernel(tessera::host::tile<8> tile, unsigned* x) { *x = tessera::reduce(tile, *x); }
"""


# Compiles and links `sources`, and runs them by the command `runner` unless that is None. With `must_say` the compiler must fail,
# and that must be in its output, or in its first error with `first`. If `stands_for` other checks, these run where it fails, and
# it is no test by itself.
Check = collections.namedtuple("Check", "name command sources must_say runner first stands_for", defaults=[None, None, False, ()])


def program(name):
    """Returns the path of a command with all links resolved, since c++ is usually a link to g++."""
    return pathlib.Path(shutil.which(name) or name).resolve()


def compile(check):
    """Returns the errors as lines, or nothing if the check passes."""
    suffix = ".cu" if any("nvcc" in pathlib.Path(word).name for word in check.command[:2]) else ".cpp"
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, f"{i}{suffix}") for i in range(len(check.sources))]
        for file, source in zip(files, check.sources):
            file.write_text(source)
        command = [*check.command, *files, "-o", f"{folder}/out"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode == 0 and check.runner is not None:
            command = [*check.runner, f"{folder}/out"]
            run = subprocess.run(command, capture_output=True, text=True)
    said = run.stdout + run.stderr
    if check.must_say:
        errors = [line for line in said.splitlines() if "error" in line]
        ok = run.returncode != 0 and check.must_say in (errors[:1] if check.first else [said])[0]
    else:
        ok = run.returncode == 0
    return [] if ok else [" ".join(map(str, command))] + said.splitlines()[:10]


def results(check):
    """Returns the names of a check, or of those that it stands for, and their errors."""
    wrong = compile(check)
    if not check.stands_for:
        return [(check.name, wrong)]
    alone = [(other.name, compile(other) if wrong else []) for other in check.stands_for]
    if wrong and not any(errors for _, errors in alone):
        alone[-1] = (alone[-1][0], wrong)
    return alone


def first_includes(header):
    """Returns what a header of the library includes of it, whatever the macros, before it declares anything."""
    found, depth = [], 0
    for _, line in code_lines(header):
        line = line.strip()
        if line and not line.startswith("#"):
            break
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        include = re.match(r"#include <(tessera/[^>]+)>", line)
        if include and depth == 0:
            found.append(include.group(1))
    return found


def chains(include, headers):
    """Divides headers into lists in which each one includes the one before it, however far around: as few as there can be.

    Who includes such a list sees each header compile after nothing but what it includes itself: as if it were alone.
    """
    below = {}

    def below_of(name):
        if name not in below:
            below[name] = set()  # no header includes itself: test `layers`
            for other in first_includes(pathlib.Path(include, name)):
                below[name] |= {other} | below_of(other)
        return below[name]

    names = [str(name) for name in headers]
    before, after = {}, {}  # of each in its list

    def find_follower(name, tried):
        for other in names:
            if name in below_of(other) and other not in tried:
                tried.add(other)
                if other not in before or find_follower(before[other], tried):
                    before[other] = name
                    after[name] = other
                    return True
        return False

    for name in names:
        find_follower(name, set())
    for name in names:
        if name not in before:
            chain = [name]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            yield chain


def code_lines(header):
    """Returns (number, line) pairs without comments, but with strings."""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        yield number, re.sub(r'("(?:\\.|[^"\\])*")|//.*', lambda found: found.group(1) or "", line)


def beyond_ascii(headers):
    """Finds characters in messages that nvcc would print as ???."""
    return [f"{header}:{number}: {line.strip()}" for header in headers for number, line in code_lines(header)
            if any(not string.isascii() for string in re.findall(r'"(?:\\.|[^"\\])*"', line))]


def of_one_compiler(headers):
    """Finds constructs that not all compilers support, outside of config.hpp and of the files for one platform."""
    own = re.compile(r"__builtin_|__atomic_|__sync_|__extension__|__attribute__|\b__int128\b|#pragma (?!once)")
    return [f"{header}:{number}: {line.strip()}" for header in headers for number, line in code_lines(header)
            if header.name != "config.hpp" and own.search(line)]


def foreign_includes(headers, has_cuda):
    """Returns the lines that include other headers than the library's: all but those that come with sanitizers, CUDA's and NCCL's."""
    own = re.compile("#include <(?!tessera/|sanitizer/" + (")" if has_cuda else "|nccl|cuda|cub/|cooperative_groups)"))
    found = {line for header in headers for _, line in code_lines(header) if own.match(line)}
    return "".join(f"{line.strip()}\n" for line in sorted(found))


def hostile_macros():
    """Returns definitions of all names of hostile_macros.txt, as what no compiler accepts."""
    text = pathlib.Path(__file__).with_name("hostile_macros.txt").read_text()
    names = re.sub("#.*", "", text).split()
    return "".join(f"#undef {name.split('(')[0]}\n#define {name} @ a hostile macro @\n" for name in names)


def includes_of(headers):
    return "".join(f"#include <{name}>\n" for name in headers)


def after_macros(include, headers, has_cuda):
    """Returns a source that includes all headers after hostile macros. Before these it includes what they include of others."""
    return foreign_includes([pathlib.Path(include, name) for name in headers], has_cuda) + hostile_macros() + includes_of(headers)


def errors_of(compiler, limit=1):
    """Returns the option for so many errors."""
    return f"-ferror-limit={limit}" if "clang" in program(compiler[-1]).name else f"-fmax-errors={limit}"


def dialects(compiler, flags):
    """Checks standards, and modes that some programs are compiled in."""
    name, alone = pathlib.Path(compiler[-1]).name, [*flags, "-fsyntax-only"]
    yield Check(f"{name} c++17, linked of two files", [*compiler, "-std=c++17", *WARNINGS, *flags], [USE, OTHER])
    for standard in ("c++20", "c++2b"):
        yield Check(f"{name} {standard}", [*compiler, f"-std={standard}", *WARNINGS, *alone], [USE])
    yield Check(f"{name} c++17 without run-time types", [*compiler, "-std=c++17", "-fno-rtti", *WARNINGS, *alone], [USE])
    yield Check(f"{name} c++17 without exceptions, all but CPU lanes",
                [*compiler, "-std=c++17", "-fno-exceptions", "-fno-rtti", *WARNINGS, *alone], [includes_of(["tessera/tessera.hpp"])])
    for header in ("launch", "tile", "block", "run/schedule", "shared", "scratch"):
        yield Check(f"{name} without exceptions, <tessera/host/{header}.hpp> says what it needs",
                    [*compiler, "-std=c++17", "-fno-exceptions", *alone, errors_of(compiler)],
                    [includes_of([f"tessera/host/{header}.hpp"])], "with -fexceptions", first=True)
    for flag in ("-ffast-math", "-Ofast", "-ffinite-math-only"):
        yield Check(f"{name} {flag}, CPU lanes say that they need none", [*compiler, "-std=c++17", flag, *alone, errors_of(compiler)],
                    [includes_of(["tessera/host/launch.hpp"])], "without -ffast-math", first=True)
    yield Check(f"{name} -ffast-math, all but CPU lanes", [*compiler, "-std=c++17", "-ffast-math", *WARNINGS, *alone],
                [includes_of(["tessera/tessera.hpp"])])
    yield Check(f"{name} c++17 by ucontext, run", [*compiler, "-std=c++17", "-DTESSERA_HOST_UCONTEXT", *WARNINGS, *flags],
                [SUMS[0] + "int main() { return one() == 8 ? 0 : 1; }\n"], runner=[])


def is_for_users(name):
    """Whether a header is in a room that users include from. config.hpp includes core/cuda_std.hpp before anything else."""
    return name.parent.name in ("tessera", "core", "operators", "grid", "host") and name.stem != "cuda_std"


def plain_checks(cxx, headers, include, flags, of_cuda):
    """Checks in plain C++. Headers of whole arrays include cuda_runtime_api.h, and are left out where there is no CUDA."""
    has_cuda = bool(of_cuda)
    own = [name for name in headers if name.suffix == ".hpp" and (has_cuda or not is_of_grid(name))]
    alone = {str(name): Check(f"{name} alone", [*cxx, "-std=c++17", "-fsyntax-only", *WARNINGS, *flags,
                                                *(of_cuda if is_of_grid(name) else [])], [includes_of([name])]) for name in own}
    of_one_command = [[name for name in own if is_of_grid(name) == of_grid] for of_grid in (False, True)]
    for chain in [chain for part in of_one_command for chain in chains(include, part)]:
        checks = [alone[name] for name in chain]
        yield checks[-1]._replace(sources=[includes_of(chain)], stands_for=checks)
    for name in own:
        if is_for_users(name):
            yield Check(f"{name} says that it needs C++17", [*cxx, "-std=c++14", "-fsyntax-only", errors_of(cxx), *flags, *of_cuda],
                        [includes_of([name])], "needs C++17", first=True)
    of_tiles = [name for name in own if not is_of_grid(name)]
    yield Check("after hostile macros", [*cxx, "-std=c++17", "-fsyntax-only", *WARNINGS, *flags],
                [after_macros(include, of_tiles, has_cuda=False) + USE])
    compilers = [cxx] + [[c] for c in ("g++", "clang++") if shutil.which(c) and program(c) != program(cxx[-1])]
    for compiler in compilers:
        yield from dialects(compiler, flags)
    for command, runner in (([*cxx, "-flto"], []), ([*cxx, "-flto", "-O1"], []),
                            (["aarch64-linux-gnu-g++", "-flto", "-static"], ["qemu-aarch64"])):
        if all(shutil.which(word) for word in [command[0], *runner]) and links(command):
            yield Check(" ".join(command) + ", linked of three files and run", [*command, "-std=c++17", *flags], SUMS, runner=runner)


def links(command):
    """Whether a compiler links an empty program: some are installed without what `-flto` needs."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "empty.cpp")
        source.write_text("int main() {}\n")
        return subprocess.run([*command, source, "-o", f"{folder}/empty"], capture_output=True).returncode == 0


def cuda_checks(nvcc, headers, include, flags):
    strict = [*fast_flags(nvcc[-1]), "-Werror=all-warnings", "-Werror=cross-execution-space-call", "-Xcompiler=-Wall,-Wextra"]
    to_code, to_ptx = ["-arch=sm_90", *strict], ["-gencode=arch=compute_90,code=compute_90", *strict]
    public = [name for name in headers if is_for_users(name)]
    yield Check("nvcc -std=c++17 -rdc=true with TESSERA_CHECK, linked of two files",
                [*nvcc, "-std=c++17", "-rdc=true", "-DTESSERA_CHECK", *to_code, *flags], [USE, OTHER])
    yield Check("nvcc -std=c++20, linked of two files with all headers, in both orders",
                [*nvcc, "-std=c++20", *to_ptx, *flags], [includes_of(public) + USE, includes_of(reversed(public)) + OTHER])
    yield Check("a host tile in a kernel names itself", [*nvcc, "-std=c++17", "-arch=sm_90", *flags],
                [HOST_TILE_IN_KERNEL], "a_host_tile_cannot_be_used_in_a_kernel")
    yield Check("nvcc after hostile macros", [*nvcc, "-std=c++17", "-ptx", *to_code, *flags], [after_macros(include, headers, has_cuda=True)])
    yield Check("nvcc says that it needs C++17", [*nvcc, "-std=c++14", "-ptx", "-arch=sm_90", *flags],
                [includes_of(["tessera/tessera.hpp"])], "needs C++17", first=True)
    yield Check("nvcc without exceptions, all but CPU lanes",
                [*nvcc, "-std=c++17", "-ptx", *to_code, "-Xcompiler=-fno-exceptions,-fno-rtti", *flags],
                [includes_of(["tessera/tessera.hpp"])])


def needs_nccl(name):
    return name.parent.name == "grid" and name.stem.startswith("sharded")


def is_of_grid(name):
    return name.parts[1].startswith("grid")


def report(name, wrong):
    print(f"{'not ok' if wrong else 'ok'} - {name}", flush=True)
    for line in wrong:
        print(f"#   {line}")


def main():
    end = sys.argv.index("--")
    include, *nvcc = sys.argv[1:end]
    cxx = sys.argv[end + 1:]
    flags = [f"-I{include}", f"-I{pathlib.Path(__file__).resolve().parent}"]
    of_cuda = ["-isystem", str(toolkit_of(nvcc))] if nvcc else []
    nccl = os.environ.get("NCCL")  # the folder of nccl.h, "found" if compilers find it by themselves, or nothing
    flags += ["-isystem", nccl] if nccl and nccl != "found" else []
    headers = sorted(h.relative_to(include) for h in pathlib.Path(include, "tessera").rglob("*.*"))
    headers = [name for name in headers if nccl or not needs_nccl(name)]
    checks = [*plain_checks(cxx, headers, include, flags, of_cuda), *(cuda_checks(nvcc, headers, include, flags) if nvcc else [])]

    paths = [pathlib.Path(include, name) for name in headers]
    texts = [("messages are in ASCII", beyond_ascii(paths)),
             ("what a compiler has of its own stands in config.hpp", of_one_compiler(paths))]
    print(f"1..{len(texts) + sum(len(check.stands_for) or 1 for check in checks)}", flush=True)
    for name, wrong in texts:
        report(name, wrong)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for found in workers.map(results, checks):
            for name, wrong in found:
                report(name, wrong)


main()
