#!/usr/bin/env python3
"""Compares the shared memory that kernels declare in PTX with the comment before each kernel. Prints TAP.

usage: check_shared_memory.py shared_memory.cu shared_memory.ptx
"""
import re
import sys

from ptx import bodies

MOST = 48 * 1024  # what a kernel may declare


def main():
    source, ptx = (open(path).read() for path in sys.argv[1:3])
    expected = {kernel: int(count) for count, kernel in re.findall(r"^// shared (\d+)\nKERNEL\((\w+)", source, re.M)}
    arrays = {name: int(count) for name, count in re.findall(r"\.shared [^;]*?(\w+)\[(\d+)\];", ptx)}
    found = bodies(ptx)
    print(f"1..{len(expected) + 1}")
    complete = set(expected) <= set(found) and len(expected) == source.count("\nKERNEL(")
    print(f"{'ok' if complete else 'not ok'} - {len(found)} kernels, {len(expected)} expectations")
    for kernel, wanted in expected.items():
        names = set(re.findall(r"\w+", "\n".join(found.get(kernel, []))))
        got = sum(arrays[name] for name in names & set(arrays))
        print(f"{'ok' if got == wanted and got <= MOST else 'not ok'} - {kernel}")
        if got != wanted or got > MOST:
            print(f"# {got} bytes, expected {wanted}, at most {MOST}")


main()
