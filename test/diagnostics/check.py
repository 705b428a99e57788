#!/usr/bin/env python3
"""Compiles each case of a file, and looks for the expected message of the compiler. After `alone, ` it must be the only
error. Prints TAP.

usage: check.py CASES COMPILER [ARGUMENT…]     (a case is compiled as a file of CASES' suffix)
"""
import pathlib
import re
import subprocess
import sys
import tempfile


class Compilation:
    """Compiles a case after the file's prologue, which a C++ compiler reads once, as a precompiled header."""

    def __init__(self, command, prologue, suffix, folder):
        self.command, self.prologue, self.source = command, prologue, folder / f"case{suffix}"
        header = folder / "prologue.hpp"
        if not any("nvcc" in word for word in command):
            header.write_text(prologue)
            made = [word for word in command if word != "-fsyntax-only"] + ["-x", "c++-header", header, "-o", f"{header}.gch"]
            if subprocess.run(made, capture_output=True).returncode == 0:
                self.command, self.prologue = [*command, "-include", header], ""

    def __call__(self, code):
        self.source.write_text(self.prologue + code)
        return subprocess.run([*self.command, self.source], capture_output=True, text=True)


def main():
    cases_file = pathlib.Path(sys.argv[1])
    prologue, *cases = re.split(r"^//// ", cases_file.read_text(), flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        check(cases, Compilation(sys.argv[2:], prologue, cases_file.suffix, pathlib.Path(folder)))


def check(cases, compilation):
    print(f"1..{len(cases)}", flush=True)
    for case in cases:
        title, code = case.split("\n", 1)
        name, _, says = title.partition(": ")
        alone, says = says.startswith("alone, "), says.removeprefix("alone, ")
        run = compilation(code)
        ok = run.returncode == 0 if not says else run.returncode != 0 and says in run.stderr
        ok = ok and not (alone and run.stderr.count("error:") != 1)
        print(f"{'ok' if ok else 'not ok'} - {name}", flush=True)
        if not ok:
            print(f"# expected: {says or 'no error'}; exit {run.returncode}, said:")
            for line in run.stderr.splitlines()[:12]:
                print(f"#   {line}")


main()
