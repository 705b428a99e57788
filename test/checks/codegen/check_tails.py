#!/usr/bin/env python3
"""Checks in PTX that the warp reconverges at the end of a collective whose last step only some lanes do. Prints TAP.

usage: check_tails.py tails.cu tails.ptx

Each kernel makes one such call, and then waits at the block's barrier. Between the last write to memory before this
barrier and the barrier itself there must be a `bar.warp.sync`, which ptxas can't remove. Where the kernel's name has `_alone`, nothing waits for the
whole warp.
"""
import re
import sys

from ptx import bodies

WRITES = re.compile(r"(st\.|atom\.|red\.)")
WHOLE_WARP = re.compile(r"(bar\.warp|shfl|vote)\.sync.*(\s|, )(-1|0xffffffff|4294967295);")
BARRIER = re.compile(r"(bar\.sync|barrier\.sync)\s+0;")


def complaint(lines):
    barriers = [i for i, line in enumerate(lines) if BARRIER.match(line)]
    if not barriers:
        return "no barrier of the block"
    before = lines[:barriers[-1]]
    writes = [i for i, line in enumerate(before) if WRITES.match(line)]
    if not writes:
        return "nothing is written before the block's barrier"
    if not any(line.startswith("bar.warp.sync") for line in before[writes[-1]:]):
        return f"no bar.warp.sync between `{before[writes[-1]]}` and the block's barrier"
    return None


def main():
    source, ptx = (open(path).read() for path in sys.argv[1:3])
    names = re.findall(r"^TAIL\((\w+)", source, re.M)
    found = bodies(ptx)
    print(f"1..{len(names)}")
    for name in names:
        wrong = complaint(found[name]) if name in found else "not in the PTX"
        whole = [line for line in found.get(name, []) if "_alone" in name and WHOLE_WARP.match(line)]
        wrong = wrong or (f"`{whole[0]}` waits for other tiles" if whole else None)
        print(f"{'not ok' if wrong else 'ok'} - {name}")
        if wrong:
            print(f"# {wrong}")


main()
