#!/usr/bin/env python3
"""Compares the numbers of instructions in PTX with the comment before each kernel. Prints TAP.

usage: check_instruction_counts.py kernels.cu kernels.ptx
"""
import re
import sys

from ptx import bodies

# Instructions that a kernel must not have unless its comment says so. A prefix counts all instructions that start with it.
COSTLY = ["shfl.sync", "redux.sync", "vote.sync", "match.", "activemask", "bar.", "barrier.", "bra", "call",
          ".local", ".shared", "ld.local", "st.local", "ld.shared", "st.shared", "atom.", "red."]


def expectations(source):
    """Returns {kernel: {instruction: count, or None for any number}}, in the order of the source."""
    found = {}
    for says, code in re.findall(r"^// ((?:[\w.]+(?: mask)? (?:\d+|any)(?:, )?)+)\n(.*)$", source, re.M):
        name = re.search(r"KERNEL\((\w+)|void (\w+)\(", code)
        found[name.group(1) or name.group(2)] = {
            what: None if count == "any" else int(count)
            for what, count in re.findall(r"([\w.]+(?: mask)?) (\d+|any)", says)}
    return found


def count(lines, what):
    if what == "full mask":  # shuffles whose last operand is −1, or a register set to it
        full = set(re.findall(r"mov\.\w+\s+(%\w+), -1;", "\n".join(lines))) | {"-1"}
        return sum(line.startswith("shfl.sync") and re.split(r"[ ,;]+", line)[-2] in full for line in lines)
    return sum(line.startswith(what) for line in lines)


def main():
    source, ptx = (open(path).read() for path in sys.argv[1:3])
    expected, found = expectations(source), bodies(ptx)
    kernels = len(re.findall(r"^KERNEL\(|__global__ void \w+\(int\* data\)", source, re.M))
    print(f"1..{len(expected) + 1}")
    complete = len(expected) == kernels == len(expected.keys() & found.keys())
    print(f"{'ok' if complete else 'not ok'} - {kernels} kernels, {len(expected)} expectations, {len(found)} in the PTX")
    for kernel, counts in expected.items():
        body = found.get(kernel, [])
        wrong = []
        for what in COSTLY:
            if not any(name.startswith(what) for name in counts) and count(body, what) != 0:
                wrong.append(f"{what} {count(body, what)}, expected 0")
        for what, wanted in counts.items():
            if wanted is not None and count(body, what) != wanted:
                wrong.append(f"{what} {count(body, what)}, expected {wanted}")
        total = sum(count(body, what) for what in ("shfl.sync", "redux.sync", "vote.sync"))
        named = sum(n for what, n in counts.items() if what.split(".")[0] in ("shfl", "redux", "vote"))
        if total != named:
            wrong.append(f"{total} exchanges, expected {named}")
        ok = body != [] and not wrong
        print(f"{'ok' if ok else 'not ok'} - {kernel}")
        for line in wrong or ([] if body else ["not in the PTX"]):
            print(f"# {line}")


main()
