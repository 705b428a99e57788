#!/usr/bin/env python3
"""Checks that a test, which is compiled and run, contains each C++ snippet of the documents line by line. Prints TAP.

usage: check.py TEST DOCUMENT…     (indentation doesn't count)
"""
import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


def main():
    test = '\n'.join(lines_of(pathlib.Path(sys.argv[1]).read_text()))
    snippets = []
    for document in map(pathlib.Path, sys.argv[2:]):
        found = re.findall(r'^```cpp\n(.*?)^```$', document.read_text(), re.M | re.S)
        snippets += [(f'{document.name}, snippet {i + 1}', snippet) for i, snippet in enumerate(found)]
    print(f'1..{len(snippets) + 1}')
    print(f"{'ok' if snippets else 'not ok'} - {len(snippets)} snippets")
    for name, snippet in snippets:
        good = '\n'.join(lines_of(snippet)) in test
        print(f"{'ok' if good else 'not ok'} - {name}")
        if not good:
            print('\n'.join('#   ' + line for line in snippet.splitlines()))


main()
