#!/usr/bin/env python3
"""Compiles one call of each launcher of whole arrays by CUDA 12 for the oldest architecture, and by the newest CUDA 13 for the
newest. Prints TAP.

usage: versions.py INCLUDE_FOLDER FOLDER_FOR_TOOLKITS

A case is skipped where its compiler can't be had (test/checks/compilers/toolkits.py).
"""
import pathlib
import subprocess
import sys

import check
import compilers

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "compilers"))
import toolkits

# CUDA 12.4 with the CCCL of a version, and what it compiles to PTX of an architecture. Sorts are CUB's, so they see each CCCL.
CUDA_12 = [("12.4", "12.4", "compute_75", "launchers"), ("12.4", "12.9", "compute_90", "sorts")]


def newest_of(nvcc):
    """The newest architecture that it knows. Machine code shows what an architecture has no room for; test/grid/small_shapes_gpu_test.cu
    and small_gpus_status_test.cu are compiled for the oldest."""
    codes = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True).stdout.split()
    return max(codes, key=lambda code: int(code.removeprefix("sm_")))


def compile_by(nvcc, include, flags, source):
    return compilers.run([nvcc, "-std=c++17", f"-I{include}", *flags], source)


def main():
    include, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    text_of = {name: (HERE / f"{name}.cu").read_text() for name in ("launchers", "sorts")}
    cases = [(f"nvcc {version} with the CCCL of {cccl}, {arch}, {name}", toolkits.nvcc_12_of(folder, version, cccl),
              [f"-arch={arch}", "-ptx", "-Xcicc=-O0"], text_of[name]) for version, cccl, arch, name in CUDA_12]
    newest = toolkits.nvcc_of(folder)
    arch = newest_of(newest) if newest else "its newest architecture"
    cases.append((f"the newest nvcc 13, {arch}, launchers", newest, [f"-arch={arch}", "-cubin", "-Ofc=max"], text_of["launchers"]))
    print(f"1..{len(cases) + 1}", flush=True)
    for name, nvcc, flags, text in cases:
        if nvcc is None:
            print(f"ok - {name} # SKIP its packages can't be reached")
        else:
            check.report(name, *compile_by(nvcc, include, flags, text))
    says_so(cases[0][1], include)


def says_so(nvcc, include):
    """An older architecture is refused, in a sentence."""
    if nvcc is None:
        print("ok - sm_70 is refused # SKIP no compiler for it")
        return
    ok, said = compile_by(nvcc, include, ["-arch=compute_70", "-ptx"], "#include <tessera/version.hpp>\n#include <tessera/core/config.hpp>\n")
    refused = not ok and "compute capability 7.5" in said
    print(f"{'ok' if refused else 'not ok'} - sm_70 is refused")


main()
