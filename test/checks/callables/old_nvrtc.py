#!/usr/bin/env python3
"""Compiles the headers by the NVRTC of CUDA 12.4 from PyPI. Prints TAP; skips if PyPI can't be reached.

usage: old_nvrtc.py INCLUDE_FOLDER FOLDER_FOR_WHEELS
"""
import pathlib
import sys

import check
import compilers
from table import TILES

sys.path.append(str(pathlib.Path(__file__).parents[1] / "compilers"))
import toolkits

VERSION = "12.4"
WHEELS = ("nvrtc", "runtime", "cccl")


def unpacked(folder):
    """Returns the folder with the contents of the wheels, or None."""
    got = toolkits.wheels(folder, *[f"nvidia-cuda-{name}-cu12=={VERSION}.*" for name in WHEELS])
    return folder / "nvidia" if got else None


def main():
    include, folder = sys.argv[1:]
    nvidia = unpacked(pathlib.Path(folder))
    names = (f"NVRTC {VERSION}", f"NVRTC {VERSION}, calls without a function")
    print("1..2", flush=True)
    if nvidia is None:
        for name in names:
            print(f"ok - {name} # SKIP no wheels from PyPI")
        return
    library = next(nvidia.glob("cuda_nvrtc/lib/libnvrtc.so.12"))
    includes = [include, str(nvidia / "cuda_cccl/include"), str(nvidia / "cuda_runtime/include")]
    # CUDA 12.4 has no cuda::maximum.
    functions = {name for of_kind in check.FUNCTIONS.values() for name in of_kind} - {"a lambda with captures"}
    no_optimizations = ["-G"]  # it has no --Ofast-compile
    by_nvrtc = lambda source: compilers.nvrtc(library, includes, source, no_optimizations)
    warps = {"32 lanes": TILES["32 lanes"]}
    for name, calls in zip(names, (check.kernels(skip=functions, tiles=warps), check.collectives())):
        check.report(name, *by_nvrtc(check.PROLOGUE + "".join(calls)))


main()
