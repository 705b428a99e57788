#!/usr/bin/env python3
"""Looks in code for products and sums that a compiler has contracted, or may contract, into one instruction. Prints TAP.

usage: check_contraction.py cpp contraction.cpp INCLUDE COMPILER…    those that are there, with flags that let them contract
       check_contraction.py ptx contraction.ptx
"""
import platform
import re
import shutil
import subprocess
import sys

from ptx import bodies

FUSED = re.compile(r"\bv?fn?m(add|sub|la|ls)")  # x86-64: vfmadd132ss …; aarch64: fmadd, fnmsub, fmla …
# PTX that ptxas may contract: a sum or product without a rounding.
OPEN = re.compile(r"(add|sub|mul)\.(ftz\.)?(f16|f16x2|bf16|bf16x2|f32|f64)\b")


def functions(assembly):
    """Returns {function: its lines}."""
    parts = re.split(r"^(\w+):.*$", assembly, flags=re.M)
    return {name: body.split(".size")[0].splitlines() for name, body in zip(parts[1::2], parts[2::2])}


def flags_of(compiler):
    is_arm = "aarch64" in compiler or platform.machine() == "aarch64"
    return ([] if is_arm else ["-mfma"]) + (["-ffp-contract=fast"] if "clang" in compiler else [])


def report(found, names, forbidden, label):
    """Prints a line for each function. The first one has what the others must not have."""
    for name in names:
        lines = [line for line in found.get(name, []) if forbidden.search(line)]
        ok = name in found and bool(lines) == (name == "contracted")
        print(f"{'ok' if ok else 'not ok'} - {name}{label}")
        for line in lines if not ok else []:
            print(f"# {line.strip()}")


def main():
    kind, path = sys.argv[1:3]
    if kind == "ptx":
        found = bodies(open(path).read())
        print(f"1..{len(found)}")
        report(found, sorted(found), OPEN, "")
        return
    include, *compilers = sys.argv[3:]
    names = re.findall(r"^(?:float|double) (\w+)\(", open(path).read(), re.M)
    compilers = [compiler for compiler in dict.fromkeys(compilers) if shutil.which(compiler)]
    print(f"1..{len(compilers) * len(names)}")
    for compiler in compilers:
        command = [compiler, "-std=c++17", "-O2", *flags_of(compiler), "-isystem", include, "-S", path, "-o", "-"]
        report(functions(subprocess.run(command, capture_output=True, text=True).stdout), names, FUSED, f", {compiler}")


main()
