#!/usr/bin/env python3
"""Compiles each case of a file, and looks for the expected message of the compiler, and for the line of the case that calls:
one in a function's body. After `alone, ` it must be the only error; after `unplaced, ` no line is looked for, since nvcc names
none where it meets a function for the host alone in device code, but a type of the case's. Prints TAP.

With --at-once cases are compiled together, each in a namespace of its own, and one by one only those whose message didn't come with
their line or type. With --beside `alone` isn't asked for: another compiler's test does.

usage: check.py [--at-once] [--beside] CASES COMPILER [ARGUMENT…]     (a case is compiled as a file of CASES' suffix; as CUDA if
CASES is a .cpp that nvcc takes with -x cu)
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.update(LC_ALL="C.UTF-8", LANGUAGE="")  # compilers' messages are read


class Case:
    def __init__(self, text):
        title, self.code = text.split("\n", 1)
        self.name, _, says = title.partition(": ")
        self.alone, self.unplaced = says.startswith("alone, "), says.startswith("unplaced, ")
        self.says = says.removeprefix("alone, ").removeprefix("unplaced, ")

    def kind(self):
        if not self.says:
            return "good"
        return "alone" if self.alone else "unplaced" if self.unplaced else "placed"

    def calls(self, before):
        """The numbers of the lines that may be the call's, if so many lines stand before the case's."""
        lines = self.code.splitlines()
        return [before + number for number, line in enumerate(lines, 1) if line.startswith("  ")]


class Compilation:
    """Compiles cases after the file's prologue, which a C++ compiler reads once, as a precompiled header."""

    def __init__(self, command, prologue, suffix, folder):
        self.command, self.prologue, self.folder, self.file = command, prologue, folder, f"case{suffix}"
        header = folder / "prologue.hpp"
        if not any("nvcc" in word for word in command):
            header.write_text(prologue)
            made = [word for word in command if word != "-fsyntax-only"] + ["-x", "c++-header", header, "-o", f"{header}.gch"]
            if subprocess.run(made, capture_output=True).returncode == 0:
                self.command, self.prologue = [*command, "-include", header], ""

    def __call__(self, code):
        source = pathlib.Path(tempfile.mkdtemp(dir=self.folder), self.file)
        source.write_text(self.prologue + code)
        return subprocess.run([*self.command, source], capture_output=True, text=True)

    def names_line(self, text, lines):
        """Whether a compiler's text names one of the lines: case.cu(12), case.cpp:12, or line 12 of "case.cu"."""
        name = re.escape(self.file)
        named = re.findall(rf'{name}[(:](\d+)|line (\d+) of "?[^\s"]*{name}', text)
        return any(int(number) in lines for pair in named for number in pair if number)


def main():
    options = {word for word in sys.argv[1:3] if word in ("--at-once", "--beside")}
    cases_file, *command = sys.argv[1 + len(options):]
    cases_file = pathlib.Path(cases_file)
    prologue, *cases = re.split(r"^//// ", cases_file.read_text(), flags=re.M)
    cases = [Case(text) for text in cases]
    for case in cases:
        case.alone = case.alone and "--beside" not in options
    with tempfile.TemporaryDirectory() as folder:
        compilation = Compilation(command, prologue, cases_file.suffix, pathlib.Path(folder))
        said = together(cases, compilation) if "--at-once" in options else set()
        check(cases, compilation, said)


def together(cases, compilation):
    """The cases that are right when they are compiled together, two kinds at a time: what is alone among its like, and functions of the
    host alone, which nvcc looks for only where there is no other error."""
    kinds = {kind: [case for case in cases if case.kind() == kind] for kind in ("placed", "unplaced", "alone", "good")}
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        return set().union(*two.map(lambda of_kind: found_in_rounds(of_kind, compilation), kinds.values()))


def found_in_rounds(left, compilation):
    """Those that are left are compiled together again until no more are found: a message that is said once comes with the first of its
    cases, and some only where there is no other error."""
    said = set()
    while left and (found := found_in_one(left, compilation)):
        said |= found
        left = [case for case in left if case not in found]
    return said


def found_in_one(cases, compilation):
    """The cases whose message is in one diagnostic with their line or type, those that are alone if each has one error, and there is no
    other, and those that are good if all are."""
    run = compilation(in_namespaces(cases))
    if cases[0].kind() == "good":
        return set(cases) if run.returncode == 0 else set()
    errors = [text for text in diagnostics_in(run.stderr) if "error:" in text]
    own = {case: [text for text in errors if is_own(text)] for case, is_own in owners(cases, compilation).items()}
    found = {case for case in cases if any(case.says in text for text in own[case])}
    if cases[0].alone:
        every = "".join(errors).count("error:") == sum(map(len, own.values()))
        found = {case for case in found if len(own[case]) == 1} if every else set()
    return found


def in_namespaces(cases):
    return "".join(f"namespace case_{number} {{\n{case.code}}}\n" for number, case in enumerate(cases))


def owners(cases, compilation):
    """For each case whether a diagnostic is about it, where they are compiled together."""
    owns, before = {}, compilation.prologue.count("\n")
    for number, case in enumerate(cases):
        def names_case(text, lines=case.calls(before + 1), name=f"case_{number}::", unplaced=case.unplaced):
            return name in text if unplaced else compilation.names_line(text, lines)
        owns[case] = names_case
        before += case.code.count("\n") + 2
    return owns


def diagnostics_in(said):
    """Each error with its trace, which g++ says before it, and nvcc after it."""
    text, has_error = "", False
    for line in said.splitlines(keepends=True):
        error = re.match(r"\S*(?:\(\d+\)|:\d+:\d+): error", line)
        if has_error and (error or re.match(r"\S+: In |In file included from ", line)):
            yield text
            text, has_error = "", False
        text, has_error = text + line, has_error or bool(error)
    yield text


def check(cases, compilation, said):
    print(f"1..{len(cases)}", flush=True)
    for case in cases:
        if case in said:
            print(f"ok - {case.name}", flush=True)
            continue
        run = compilation(case.code)
        if not case.says:
            ok = run.returncode == 0
        else:
            ok = run.returncode != 0 and case.says in run.stderr
            calls = case.calls(compilation.prologue.count("\n"))
            ok = ok and (case.unplaced or compilation.names_line(run.stderr, calls))
        ok = ok and not (case.alone and run.stderr.count("error:") != 1)
        print(f"{'ok' if ok else 'not ok'} - {case.name}", flush=True)
        if not ok:
            print(f"# expected: {case.says or 'no error'}, and the line of the call; exit {run.returncode}, said:")
            for line in run.stderr.splitlines()[:12]:
                print(f"#   {line}")


main()
