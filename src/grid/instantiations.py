#!/usr/bin/env python3
"""The table of what the static library holds: which calls on arrays, for which types. Meson makes its .cu files from it, and
docs/site/tables.py the table of docs/reference/arrays.md.

usage: instantiations.py --list         (prints a line for each file: its part of the library, and its name)
       instantiations.py FILE OUTPUT    (writes that file)

A file instantiates the functions that a public header declares, and PART.cuh beside this file defines. Kernels are for types of
one size (those of different signs, or floats that are only compared, share them), so a part is cut between sizes, where it would
take more than MOST seconds.
"""
import collections
import itertools
import sys

MOST = 40  # processor seconds of a file, about
HEADERS = 4  # that reading the headers takes
BY_SIZE = {'reduce'}  # parts of a file for each size: a program with one reduction, as many are, links those of its size alone

FLOATS = ('float', 'double')
HALVES = ('__half', '__nv_bfloat16')
UNSIGNED = ('std::uint32_t', 'std::uint64_t')
INTEGERS = ('std::int32_t', 'std::int64_t') + UNSIGNED
NUMBERS = FLOATS + INTEGERS
SUMS = ('plus', 'multiplies')
ORDERS = ('minimum', 'maximum')
BITS = ('bit_and', 'bit_or', 'bit_xor')
NARROW = ('std::uint8_t', 'std::uint16_t')
BYTES = {'std::uint8_t': 1, 'std::uint16_t': 2, '__half': 2, '__nv_bfloat16': 2, 'float': 4, 'std::int32_t': 4, 'std::uint32_t': 4,
         'double': 8, 'std::int64_t': 8, 'std::uint64_t': 8}

# The processor seconds that a part takes for types of so many bytes, for one architecture: tools/library_cost measures files.
SECONDS = {
    'adjacent_difference': {4: 1, 8: 1},
    'histogram': {1: 2, 2: 4, 4: 2, 8: 3},
    'merge': {4: 1, 8: 2},
    'norm': {2: 24, 4: 6, 8: 6},
    'reduce': {2: 7, 4: 7, 8: 4},
    'rows': {2: 13, 4: 14, 8: 13},
    'runs': {4: 9, 8: 10},
    'scan': {2: 12, 4: 8, 8: 8},
    'scan_by_key': {4: 5, 8: 5},
    'scan_segments': {4: 16, 8: 14},
    'search': {4: 1, 8: 1},
    'segments': {2: 5, 4: 5, 8: 7},
    'select': {2: 1, 4: 2, 8: 3},
    'softmax': {2: 14, 4: 8, 8: 8},
    'sort': {2: 11, 4: 19, 8: 19},
    'sort_segments': {2: 6, 4: 7, 8: 25},
    'top_k': {2: 7, 4: 12, 8: 8},
}

# A function of the library: the part that it belongs to, the calls that it serves, its name with its arguments, and lists of what
# these stand for, each in one or several groups. Users' words stand in `shown`, where the types aren't those that users have.
Function = collections.namedtuple('Function', 'part calls name groups shown', defaults=({},))


def group(**choices):
    return choices


ANY_OF_4_OR_8 = 'any of 4 or 8 bytes, aligned to its size'
FUNCTIONS = [
    Function('adjacent_difference', 'adjacent_difference', 'difference_instantiation<{T}>', [group(T=FLOATS + UNSIGNED)],
             {'T': NUMBERS, 'Op': 'minus'}),
    Function('histogram', 'histogram', 'histogram_instantiation<{T}, bound_t<{T}>>',
             [group(T=NARROW + UNSIGNED + FLOATS + HALVES)], {'T': 'numbers, integers of 8 and 16 bits, `bool`, enumerations'}),
    Function('histogram', '', 'edges_instantiation<{T}>',
             [group(T=NARROW + UNSIGNED + FLOATS + HALVES)],
             {'T': 'numbers, integers of 8 and 16 bits, `bool`, enumerations'}),
    Function('merge', 'merge', 'merge_instantiation<{T}>', [group(T=NUMBERS)], {'Op': 'less'}),
    Function('norm', 'layer_norm_rows rms_norm_rows', 'norm_instantiation<{T}>', [group(T=FLOATS + HALVES)]),
    Function('reduce', 'reduce', 'reduce_instantiation<{T}, {Op}, reduced_t<{T}, {Op}>>',
             [group(T=FLOATS + HALVES, Op=SUMS + ORDERS), group(T=INTEGERS, Op=SUMS + ORDERS + BITS)]),
    Function('reduce', 'argmin', 'argmin_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('reduce', 'argmax', 'argmax_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('reduce', '', 'arg_into_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('reduce', 'minmax', 'minmax_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('reduce', 'moments', 'moments_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('rows', 'reduce_rows', 'reduce_rows_instantiation<{T}, {Op}, reduced_t<{T}, {Op}>>',
             [group(T=FLOATS + HALVES, Op=SUMS + ORDERS), group(T=INTEGERS, Op=SUMS + ORDERS + BITS)]),
    Function('rows', 'argmin_rows', 'argmin_rows_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('rows', 'argmax_rows', 'argmax_rows_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('rows', 'minmax_rows', 'minmax_rows_instantiation<{T}>', [group(T=NUMBERS + HALVES)]),
    Function('rows', 'moments_rows', 'moments_rows_instantiation<{T}>', [group(T=FLOATS + HALVES)]),
    Function('runs', 'unique', 'unique_instantiation<{T}>', [group(T=FLOATS + UNSIGNED)], {'T': NUMBERS, 'Op': 'equal_to'}),
    Function('runs', 'unique_by_key', 'unique_by_key_instantiation<{T}, {V}>', [group(T=FLOATS + UNSIGNED, V=UNSIGNED)],
             {'T': NUMBERS, 'V': f'values: {ANY_OF_4_OR_8}', 'Op': 'equal_to'}),
    Function('runs', 'run_length_encode', 'run_length_instantiation<{T}, {V}>',
             [group(T=FLOATS + UNSIGNED, V=('std::int32_t', 'std::int64_t'))],
             {'T': NUMBERS, 'V': 'lengths: integers', 'Op': 'equal_to'}),
    Function('runs', 'reduce_by_key', 'reduce_by_key_instantiation<{T}, {V}>', [group(T=UNSIGNED, V=FLOATS + UNSIGNED)],
             {'T': INTEGERS, 'V': ('values: ', NUMBERS), 'Op': 'plus, equal_to'}),
    Function('scan', 'inclusive_scan exclusive_scan', 'scan_instantiation<{T}, {Op}, scanned_t<{T}, {Op}>>',
             [group(T=NUMBERS + HALVES, Op=('plus',) + ORDERS)]),
    Function('scan_by_key', 'inclusive_scan_by_key exclusive_scan_by_key', 'scan_by_key_instantiation<{K}, {T}, plus, {T}>',
             [group(T=FLOATS + UNSIGNED, K=UNSIGNED)],
             {'T': NUMBERS, 'K': 'keys: integers', 'Op': 'plus, equal_to'}),
    Function('scan_segments', 'inclusive_scan_segments exclusive_scan_segments',
             'scan_segments_instantiation<{T}, plus, {O}, {T}>',
             [group(T=FLOATS + UNSIGNED, O=('std::uint32_t', 'std::int64_t'))],
             {'T': NUMBERS, 'O': 'offsets: integers', 'Op': 'plus'}),
    Function('search', 'lower_bound upper_bound', 'bounds_instantiation<{Upper}, {T}, {I}>',
             [group(T=NUMBERS, Upper=('false', 'true'), I=UNSIGNED)],
             {'I': 'results: integers', 'Upper': '', 'Op': 'less'}),
    Function('segments', 'reduce_segments', 'segments_instantiation<{T}, {Op}, {O}, reduced_t<{T}, {Op}>>',
             [group(T=FLOATS + HALVES, Op=SUMS + ORDERS, O=('std::uint32_t', 'std::int64_t')),
              group(T=INTEGERS, Op=SUMS + ORDERS + BITS, O=('std::uint32_t', 'std::int64_t'))],
             {'O': 'offsets: integers'}),
    Function('select', 'select partition partition_copy', 'select_instantiation<{T}, {Flag}>',
             [group(T=('2', '4', '8'), Flag=('1', '4'))],
             {'T': 'any of 2, 4 or 8 bytes, aligned to its size', 'Flag': 'flags: integers of 8 and 32 bits, `bool`'}),
    Function('softmax', 'softmax_rows log_softmax_rows softmax128', 'softmax_instantiation<{T}>', [group(T=FLOATS + HALVES)]),
    Function('sort', 'sort stable_sort', 'sort_instantiation<{T}, {Op}>', [group(T=NUMBERS + HALVES, Op=('less', 'greater'))]),
    Function('sort', 'sort_by_key stable_sort_by_key', 'sort_by_key_instantiation<{T}, {Op}, {V}>',
             [group(T=NUMBERS + HALVES, Op=('less', 'greater'), V=UNSIGNED)], {'V': f'values: {ANY_OF_4_OR_8}'}),
    Function('sort', 'argsort', 'argsort_instantiation<{T}, {Op}, {I}>',
             [group(T=NUMBERS + HALVES, Op=('less', 'greater'), I=UNSIGNED)], {'I': 'indices: integers'}),
    Function('sort_segments', 'sort_segments stable_sort_segments sort_segments_by_key', 'sort_segments_instantiation<{T}, {Op}>',
             [group(T=NUMBERS + HALVES, Op=('less', 'greater'))],
             {'V': f'values: {ANY_OF_4_OR_8}; offsets: integers'}),
    Function('top_k', 'top_k', 'top_k_instantiation<{T}>', [group(T=NUMBERS + HALVES)], {'Op': 'less, greater'}),
    Function('top_k', 'nth_element', 'nth_element_instantiation<{T}>', [group(T=NUMBERS + HALVES)], {'Op': 'less, greater'}),
    Function('top_k', 'quantiles', 'quantiles_instantiation<{T}>', [group(T=NUMBERS + HALVES)], {'Op': 'less'}),
]


def kernel_type(choice):
    """The type whose kernel serves a choice: sums and bits of signed integers are those of unsigned ones, as combined_as in
    grid/parts/instantiations.hpp says."""
    shares = choice.get('Op') in SUMS + BITS and choice['T'] in INTEGERS
    return choice['T'].replace('std::int', 'std::uint') if shares else choice['T']


def instances(function):
    """{what is instantiated: the bytes of its type}, in the table's order."""
    found = {}
    for choices in function.groups:
        for values in itertools.product(*choices.values()):
            choice = dict(zip(choices, values))
            choice['T'] = kernel_type(choice)
            found[function.name.format(**choice)] = BYTES.get(choice['T']) or int(choice['T'])
    return found


def files():
    """{file: (part, the bytes of its types)}. Sizes follow each other while their seconds fit."""
    found = {}
    for part, seconds in SECONDS.items():
        bins = []
        for size, cost in seconds.items():
            if bins and part not in BY_SIZE and HEADERS + sum(seconds[other] for other in bins[-1]) + cost <= MOST:
                bins[-1].append(size)
            else:
                bins.append([size])
        for sizes in bins:
            found[f'{part}.cu' if len(bins) == 1 else f'{part}_{"_".join(map(str, sizes))}.cu'] = part, sizes
    return found


def parts():
    """{part: its functions' names}."""
    found = {part: [] for part in SECONDS}
    for function in FUNCTIONS:
        found[function.part].append(function.name.split('<')[0])
    return found


def text_of(file):
    part, sizes = files()[file]
    names = [name for function in FUNCTIONS if function.part == part for name, size in instances(function).items() if size in sizes]
    halves = '#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n\n' if any(half in name for half in HALVES for name in names) else ''
    lines = ''.join(f'TESSERA_INSTANCE({name})\n' for name in names)
    return (f'// Made by src/grid/instantiations.py.\n{halves}#include "grid/{part}.cuh"\n\n'
            '#define TESSERA_INSTANCE(...) template decltype(__VA_ARGS__) __VA_ARGS__;\n\n'
            f'TESSERA_NAMESPACE_BEGIN\nnamespace grid::detail {{\n\n{lines}\n}}  // namespace grid::detail\nTESSERA_NAMESPACE_END\n')


if __name__ == '__main__':
    if sys.argv[1:] == ['--list']:
        print('\n'.join(f'{part} {file}' for file, (part, _) in files().items()))
    elif len(sys.argv) == 3 and sys.argv[1] in files():
        with open(sys.argv[2], 'w') as output:
            output.write(text_of(sys.argv[1]))
    else:
        sys.exit(__doc__)
