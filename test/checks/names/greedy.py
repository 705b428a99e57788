#!/usr/bin/env python3
"""Prints a header with a function template for every name that the library's headers define, which takes any arguments.

    greedy.py INCLUDE >HEADER

A namespace that includes it offers these templates for all calls with its types that don't name a namespace.
"""
import pathlib
import sys

import functions

# What the standard library and CUDA have, and the headers call, or might.
OTHERS = '''abs addressof advance all_of any_of apply begin ceil clamp copy copy_if count_if data declval distance end equal exchange exp fill
    find find_if floor for_each forward get invoke iter_swap lower_bound make_pair make_tuple max max_element memcpy memset min min_element
    move none_of partition reduce rotate round size sort swap tie transform unique upper_bound'''.split()

names = set(functions.Library(pathlib.Path(sys.argv[1]) / 'tessera').namespaces) | set(OTHERS)
for name in sorted(names):
    print(f'template <class... A> TESSERA_FN void {name}(A&&...) {{}}')
