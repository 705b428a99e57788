#!/usr/bin/env python3
"""Writes a CUDA file that has several files of tests, each in a namespace of its own: nvcc reads their headers once.

usage: one_file.py OUTPUT FILE…         (files that include all that they include before anything else, and define no macros; a
                                        header of one part counts as a header of the file)
       one_file.py --groups N FILE…     prints which files, N at most, can be in one: a group a line
"""
import pathlib
import re
import sys


def includes_of(file):
    """The lines by which a file includes headers; those beside it by their paths."""
    text = file.read_text()
    if re.search(r'^#\s*(define|if(?! TESSERA_TEST_HAS_PART).*\n#include)', text, re.M):
        raise SystemExit(f'{file}: a macro, or a header under a condition: compile it alone')
    for line, quote, name in re.findall(r'^(#include (["<])([^">]+)[">])', text, re.M):
        yield f'#include "{file.parent / name}"' if quote == '"' and (file.parent / name).exists() else line


def groups(most, files):
    """Files that use all names of tessera::grid are apart from those whose headers of tests have some of these names."""
    uses_names = {file: 'using namespace tessera::grid' in pathlib.Path(file).read_text() for file in files}
    for kind in (False, True):
        own = [file for file in files if uses_names[file] == kind]
        yield from (own[i:i + most] for i in range(0, len(own), most))


def main():
    if sys.argv[1] == '--groups':
        print('\n'.join('\t'.join(group) for group in groups(int(sys.argv[2]), sys.argv[3:])))
        return
    output, *files = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    headers = dict.fromkeys(line for file in files for line in includes_of(file))
    cases = [f'namespace file_{i} {{\n#include "{file}"\n}}' for i, file in enumerate(files)]
    output.write_text('\n'.join([*headers, *cases, '']))


main()
