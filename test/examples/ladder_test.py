#!/usr/bin/env python3
"""ladder_test.py host|GPU|arrays PROGRAM…: runs the programs of examples/ladder, and sees that each rung is right.

With `arrays` they are those of examples/whole_arrays, which run on the GPU only, and exit with 77 where there is none. A program
prints a line a rung. Prints TAP, one case a rung; those for the GPU are skipped if the programs find none.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KIND, PROGRAMS = sys.argv[1], sys.argv[2:]
WHERE = 'host' if KIND == 'host' else 'GPU'
FOLDER = 'whole_arrays' if KIND == 'arrays' else 'ladder'
LINE = re.compile(r'(\w+)  .+  (host|GPU) +(ok|WRONG): largest difference (\S+)')
RUNGS = [path.stem.split('_', 1) for path in sorted((ROOT / 'examples' / FOLDER).glob('[0-9]*.cpp'))]

runs = [subprocess.run([program], capture_output=True, text=True) for program in PROGRAMS]
without_gpu = [run for run in runs if KIND == 'arrays' and run.returncode == 77]
lines = {match[1]: match for run in runs for match in map(LINE.fullmatch, run.stdout.splitlines()) if match}


def rung_is_right(number, name):
    def case():
        equal(name in lines, True, f'a line of {name} in what was printed')
        equal(lines[name].group(2, 3), (WHERE, 'ok'), lines[name][0])

    case.__name__ = f'{number}_{name}'
    found_no_gpu = without_gpu or (WHERE == 'GPU' and name in lines and lines[name][2] == 'host')
    check(case, skip='needs a GPU' if found_no_gpu else None)


for rung in RUNGS:
    rung_is_right(*rung)


@check
def every_program_succeeds():
    equal([program for program, run in zip(PROGRAMS, runs) if run.returncode != 0 and run not in without_gpu], [],
          ''.join(run.stdout + run.stderr for run in runs if run.returncode != 0))


sys.exit(tap.run())
