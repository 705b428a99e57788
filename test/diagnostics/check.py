#!/usr/bin/env python3
"""Compiles each case of a file and looks for what the compiler must say. Prints TAP.

usage: check.py CASES COMPILER [ARGUMENT…]     (a case is compiled as a file of CASES' suffix)
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    cases_file = pathlib.Path(sys.argv[1])
    prologue, *cases = re.split(r"^//// ", cases_file.read_text(), flags=re.M)
    print(f"1..{len(cases)}", flush=True)
    for case in cases:
        title, code = case.split("\n", 1)
        name, _, says = title.partition(": ")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, f"case{cases_file.suffix}")
            source.write_text(prologue + code)
            run = subprocess.run([*sys.argv[2:], source], capture_output=True, text=True)
        ok = run.returncode == 0 if not says else run.returncode != 0 and says in run.stderr
        print(f"{'ok' if ok else 'not ok'} - {name}", flush=True)
        if not ok:
            print(f"# expected: {says or 'no error'}; exit {run.returncode}, said:")
            for line in run.stderr.splitlines()[:12]:
                print(f"#   {line}")


main()
