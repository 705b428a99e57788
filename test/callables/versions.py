#!/usr/bin/env python3
"""Compiles sorts of whole arrays by CUDA 12, and one call of each launcher by the newest CUDA 13. Prints TAP.

usage: versions.py INCLUDE_FOLDER FOLDER_FOR_PACKAGES

NVCC lists the versions and architectures. The compilers come from PyPI, and that of CUDA 12 from Debian, since PyPI's packages of
CUDA 12 have no nvcc; its headers are PyPI's. A case is skipped where they can't be reached.
"""
import pathlib
import shutil
import sys

import check
import compilers

HERE = pathlib.Path(__file__).parent

# CUDA 12.4 with the CCCL of a version, and an architecture. It compiles sorts alone, to PTX: all launchers take it minutes.
CUDA_12 = [("12.4", "12.4", "compute_75"), ("12.4", "12.9", "compute_90")]
# The newest CUDA 13, and the oldest architecture. Machine code shows what an architecture has no room for.
CUDA_13 = [("13.5", "sm_75")]


def nvcc_12(folder, version, cccl):
    """Returns nvcc of Debian's package with headers from PyPI, or None."""
    debian, toolkit = folder / f"debian-{version}", folder / f"nvcc-{version}-cccl-{cccl}"
    names = {folder / f"headers-{version}": [f"nvidia-cuda-{name}-cu12=={version}.*" for name in ("nvcc", "runtime")],
             folder / f"cccl-{cccl}": [f"nvidia-cuda-cccl-cu12=={cccl}.*"]}
    if not all(compilers.wheels(*wheels) for wheels in names.items()):
        return None
    if not compilers.debian_package(debian, f"nvidia-cuda-toolkit={version}.*", "trixie"):
        return None
    shutil.rmtree(toolkit, ignore_errors=True)
    programs, library = toolkit / "bin", debian / "usr/lib/nvidia-cuda-toolkit"
    shutil.copytree(library / "bin", programs, ignore=shutil.ignore_patterns("g++", "gcc", "nvcc.profile"))
    for name in ("cudafe++", "ptxas", "fatbinary", "nvlink", "bin2c"):
        shutil.copy(debian / "usr/bin" / name, programs)
    shutil.copytree(library / "libdevice", toolkit / "libdevice")
    (programs / "nvcc.profile").write_text("NVVMIR_LIBRARY_DIR = $(_HERE_)/../libdevice\nPATH += $(_HERE_):\n"
                                           'INCLUDES += "-I$(_HERE_)/../include" $(_SPACE_)\n')
    for wheels in names:
        for include in wheels.glob("nvidia/*/include"):
            shutil.copytree(include, toolkit / "include", dirs_exist_ok=True)
    return programs / "nvcc"


def nvcc_13(folder, version):
    """Returns nvcc of PyPI's packages, or None. CCCL has versions of its own: the newest."""
    names = [f"nvidia-{name}=={version}.*" for name in ("cuda-nvcc", "cuda-runtime", "cuda-crt", "nvvm")] + ["nvidia-cuda-cccl"]
    return folder / f"nvcc-{version}/nvidia/cu13/bin/nvcc" if compilers.wheels(folder / f"nvcc-{version}", names) else None


def compile_by(nvcc, include, flags, source):
    return compilers.run([nvcc, "-std=c++17", f"-I{include}", *flags], source)


def main():
    include, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    sorts, launchers = ((HERE / name).read_text() for name in ("sorts.cu", "launchers.cu"))
    cases = [(f"nvcc {version} with the CCCL of {cccl}, {arch}", nvcc_12(folder, version, cccl),
              [f"-arch={arch}", "-ptx", "-Xcicc=-O0"], sorts) for version, cccl, arch in CUDA_12]
    cases += [(f"nvcc {version}, {arch}", nvcc_13(folder, version), [f"-arch={arch}", "-cubin", "-Ofc=max"], launchers)
              for version, arch in CUDA_13]
    print(f"1..{len(cases) + 1}", flush=True)
    for name, nvcc, flags, text in cases:
        if nvcc is None:
            print(f"ok - {name} # SKIP its packages can't be reached")
        else:
            check.report(name, lambda source: compile_by(nvcc, include, flags, source), text)
    says_so(cases[0][1], include)


def says_so(nvcc, include):
    """An older architecture is refused, in a sentence."""
    if nvcc is None:
        print("ok - sm_70 is refused # SKIP no compiler for it")
        return
    ok, said = compile_by(nvcc, include, ["-arch=compute_70", "-ptx"], "#include <tessera/version.hpp>\n#include <tessera/config.hpp>\n")
    refused = not ok and "compute capability 7.5" in said
    print(f"{'ok' if refused else 'not ok'} - sm_70 is refused")


main()
