#!/usr/bin/env python3
"""Checks that the snippets of the documents stand in files that tests compile and run. Prints TAP.

usage: check.py TEST DOCUMENT…             each C++ snippet stands in the file TEST
       check.py --files FOLDER DOCUMENT…   each snippet of a program, a build file or a shell stands in a file of FOLDER, but
                                           Meson's own commands

It stands there line by line; indentation doesn't count.
"""
import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


def snippets_of(documents, language):
    """[(where it is, the snippet)]"""
    return [(f'{document.name}, snippet {i + 1}', snippet) for document in documents
            for i, snippet in enumerate(re.findall(rf'^```{language}\n(.*?)^```$', document.read_text(), re.M | re.S))]


def main():
    in_folder = sys.argv[1] == '--files'
    source, *documents = map(pathlib.Path, sys.argv[2 if in_folder else 1:])
    files = [path for path in source.rglob('*') if path.is_file() and path.suffix != '.pyc'] if in_folder else [source]
    texts = ['\n'.join(lines_of(path.read_text())) for path in files]
    snippets = [(name, text) for name, text in snippets_of(documents, '(?:cpp|cuda|cmake|meson|ini|sh)' if in_folder else 'cpp')
                if not text.startswith('meson ')]
    print(f'1..{len(snippets) + 1}')
    print(f"{'ok' if snippets else 'not ok'} - {len(snippets)} snippets")
    for name, snippet in snippets:
        good = any('\n'.join(lines_of(snippet)) in text for text in texts)
        print(f"{'ok' if good else 'not ok'} - {name}")
        if not good:
            print('\n'.join('#   ' + line for line in snippet.splitlines()))


main()
