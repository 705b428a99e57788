"""The tables of tests in test/meson.build and in those of its rooms: the file of each test, and its kinds."""
import pathlib
import re

TEST = pathlib.Path(__file__).resolve().parent.parent
TABLES = [TEST / room / 'meson.build' for room in ('', 'tile', 'grid')]


def listed():
    """{name: (path of its file below test/ without its suffix, kinds)}: 'grid/reduce' has 'grid/reduce/reduce_test'."""
    found = {}
    for table in TABLES:
        folder = None
        for line in table.read_text().splitlines():
            opens = re.match(r"^  '([\w/]+)': \{$", line)
            row = re.match(r"^    '([\w/]+)': '([\w ]+)',", line)
            if opens:
                folder = opens[1]
            elif row:
                found[row[1]] = f'{folder}/{row[1].split("/")[-1]}_test', row[2].split()
    return found


def file_of(name):
    """The file of a test, from the repository's root."""
    path = listed()[name][0]
    return next(file for file in (f'test/{path}.cpp', f'test/{path}.cu') if (TEST.parent / file).exists())


def programs():
    """{number: names of the tests whose cases on the GPU are in the program of this number}, where several share one."""
    found = {}
    for name, (_, kinds) in listed().items():
        for number in filter(str.isdecimal, kinds):
            found.setdefault(number, []).append(name)
    return found
