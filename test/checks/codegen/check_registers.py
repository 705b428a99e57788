#!/usr/bin/env python3
"""Sees that kernels of one call on 512 and 1024 lanes can be launched without launch bounds. Prints TAP.

usage: check_registers.py PTX CUBIN NVCC…

The kernels are those of `test/checks/plain_kernels/generate.py --widest`, NAME_512 and NAME_1024, in blocks of as many threads. Without
__launch_bounds__ ptxas gives a lane as many registers as it likes, and a block of more registers than a multiprocessor has, 65536,
isn't launched. TOO_MANY lists the calls that need `__launch_bounds__`;
their contracts say so.
"""
import re
import subprocess
import sys

ALL = 65536
TOO_MANY = {f'{call}_{lanes}' for call in ('joint_sort', 'joint_stable_sort') for lanes in (512, 1024)}


def main():
    ptx, cubin, *nvcc = sys.argv[1:]
    said = subprocess.run([*nvcc, '-arch=sm_90', '-cubin', '-Xptxas=-v', ptx, '-o', cubin], check=True, capture_output=True, text=True).stderr
    used = {name: int(count) for name, count in re.findall(r"entry function '(\w+)' for.*?Used (\d+) registers", said, re.S)}
    print(f'1..{len(used) + 1}')
    print(f'{"ok" if len(used) > 100 else "not ok"} - {len(used)} kernels')
    for name, count in used.items():
        lanes = int(name.rsplit('_', 1)[1])
        fits = (count + 7) // 8 * 8 * lanes <= ALL
        expected = name not in TOO_MANY
        print(f'{"ok" if fits == expected else "not ok"} - {name}: {count} registers')


main()
