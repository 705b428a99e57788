#!/usr/bin/env python3
"""What tools/demo says without building anything, and that each rung of the ladder is in every list. Prints TAP."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
from tap import check, equal, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = {path.stem: path for folder in ('ladder', 'whole_arrays') for path in sorted((ROOT / 'examples' / folder).glob('[0-9]*.cpp'))}
RUNGS = sorted([*FILES, '16_tally', '17_arrays'])


def demo(*arguments):
    done = subprocess.run([ROOT / 'tools/demo', *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def names_every_rung(text):
    equal(['_'.join(found) for found in re.findall(r'^(\d\d)  (\w+) +\w.*\.$', text, re.M)], RUNGS)


@check
def the_list_names_every_rung_and_what_it_is_for():
    status, out, error = demo('--list')
    equal((status, error), (0, ''))
    names_every_rung(out)


@check
def help_says_how_to_run_one():
    status, out, error = demo('--help')
    equal((status, error), (0, ''))
    for word in ('NAME', 'tally', 'arrays', '--with-cuda', '--list'):
        equal(word in out, True, word)


@check
def an_unknown_name_is_told_what_there_is():
    status, out, error = demo('no_such_rung')
    equal((status, out), (2, ''))
    names_every_rung(error)


@check
def a_file_is_told_of_the_tally():
    status, _, error = demo(str(ROOT / 'README.md'))
    equal(status, 2)
    equal('tools/demo tally ' in error, True, error)


@check
def a_beginning_of_several_names_is_told_which():
    status, _, error = demo('so')
    equal(status, 2)
    equal('02_softmax 15_sort_rows' in error, True, error)


@check
def an_unknown_option_is_told_the_usage():
    status, _, error = demo('--json')
    equal(status, 2)
    equal('Usage: tools/demo' in error and 'unknown option --json' in error, True, error)


@check
def a_rung_takes_no_arguments():
    status, _, error = demo('12', 'x')
    equal(status, 2)
    equal('brackets takes no arguments' in error, True, error)


@check
def the_build_has_every_rung():
    text = ''.join((ROOT / f'examples/{folder}/meson.build').read_text() for folder in ('ladder', 'whole_arrays'))
    equal(re.findall(r"^  '(\d\d_\w+)',$", text, re.M), list(FILES))


@check
def the_page_names_every_rung():
    text = (ROOT / 'examples/README.md').read_text()
    equal(re.findall(r'^\| \[(\d\d \w+)\]', text, re.M), [rung.replace('_', ' ', 1) for rung in RUNGS])


@check
def every_rung_prints_its_own_name():
    for rung, path in FILES.items():
        equal(re.findall(r'ladder::report\("(\w+)"', path.read_text()), [rung.split('_', 1)[1]])


@check
def the_numbers_have_no_gaps():
    equal([int(rung.split('_')[0]) for rung in RUNGS], list(range(1, len(RUNGS) + 1)))


sys.exit(run())
