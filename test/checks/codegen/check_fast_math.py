#!/usr/bin/env python3
"""Looks in PTX for instructions that take subnormals for 0. Prints TAP.

usage: check_fast_math.py fast_math.cu fast_math.ptx
"""
import re
import sys

from ptx import bodies

# A question that subnormals and 0 answer alike: whether a float, or one of two, is a NaN.
HARMLESS = re.compile(r"setp\.(nan|num)\.ftz\.f32")


def main():
    source, ptx = (open(path).read() for path in sys.argv[1:3])
    kernels, found = re.findall(r"^KERNEL\((\w+)", source, re.M), bodies(ptx)
    kernels += found.keys() - set(kernels)  # and what they call
    print(f"1..{len(kernels) + 1}")
    # Where no instruction has .ftz, the file wasn't compiled with the flag.
    print(f"{'ok' if '.ftz' in ptx else 'not ok'} - the compiler flushes subnormals")
    for kernel in kernels:
        flushing = [line for line in found.get(kernel, []) if ".ftz" in line and not HARMLESS.match(line)]
        print(f"{'ok' if kernel in found and not flushing else 'not ok'} - {kernel}")
        for line in flushing:
            print(f"# {line}")


main()
