#!/usr/bin/env python3
"""Compiles each case of cases.cpp and looks for what the compiler must say. Prints TAP.

usage: check.py cases.cpp COMPILER [ARGUMENT…]
"""
import re
import subprocess
import sys


def main():
    prologue, *cases = re.split(r"^//// ", open(sys.argv[1]).read(), flags=re.M)
    print(f"1..{len(cases)}")
    for case in cases:
        title, code = case.split("\n", 1)
        name, _, says = title.partition(": ")
        run = subprocess.run(sys.argv[2:] + ["-std=c++17", "-fsyntax-only", "-x", "c++", "-"],
                             input=prologue + code, capture_output=True, text=True)
        ok = run.returncode == 0 if not says else run.returncode != 0 and says in run.stderr
        print(f"{'ok' if ok else 'not ok'} - {name}")
        if not ok:
            print(f"# expected: {says or 'no error'}; exit {run.returncode}, said:")
            for line in run.stderr.splitlines()[:12]:
                print(f"#   {line}")


main()
