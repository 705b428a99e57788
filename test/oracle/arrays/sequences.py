#!/usr/bin/env python3
"""A table of all calls on whole arrays, and sequences of such calls, which main.cpp runs.

A call is a choice in each dimension: call, type, operator, form, size, values, …, the workspace, the stream, the thread, the device.
CALLS has a row for each call, with the choices that it takes; RULES lists the combinations that don't exist, with the reasons.
Consecutive calls of a sequence share stream, thread and device, and those with memory=shared a workspace.

`sequences.py --out FILE` writes the fixed set: sequences in which each pair of choices occurs that the rules allow, and the pairs.
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from pairs import Table, rule  # noqa: E402

DIMENSIONS = ('call', 'type', 'op', 'form', 'extra', 'index', 'spread', 'size', 'values', 'align', 'place', 'memory', 'stream', 'thread', 'device')
SHARED = ('stream', 'thread', 'device')  # by all calls of a sequence

INTEGERS = ('int32', 'uint32', 'int64', 'uint64')
FLOATS = ('float', 'double')
HALVES = ('half', 'bfloat16')
NUMBERS = INTEGERS + FLOATS + HALVES
ORDERED = ('int64', 'float', 'double', 'half')  # one of each size, and integers
COMPARED = ('upper2',)  # in an order of the oracle's own
STRUCTS = ('affine', 'upper2')  # of a user's own, by templates that nvcc compiles
OPERATORS = ('plus', 'multiplies', 'minimum', 'maximum', 'bit_and', 'bit_or', 'bit_xor', 'joining')
EVERYWHERE = {
    'size': ('33', '0', '1', '31', '32', 'tile', 'many', 'million'),
    'values': ('any', 'special', 'few'),
    'align': ('aligned', 'one', 'mixed'),
    'memory': ('none', 'own', 'shared'),
    'stream': ('created', 'null', 'per_thread', 'graph'),
    'thread': ('caller', 'several', 'handed'),
    'device': ('0', '1'),
}


class Row:
    def __init__(self, types, **domains):
        self.domains = {**EVERYWHERE, 'type': types, **domains}


REDUCES = dict(op=OPERATORS)
SCANS = dict(op=('plus', 'minimum', 'maximum', 'joining'), form=('prefix', 'suffix'), extra=('alone', 'more'), place=('apart', 'in_place'))
IN_PLACE = dict(place=('apart', 'in_place'))
DEVICES = dict(form=('this_device', 'any_device'))
INDEX = dict(index=('narrow', 'wide'))
TIES = dict(form=('one_place', 'first', 'last'))
RUNS = dict(spread=('mixed', 'short', 'long'), **INDEX)
ORDERS = dict(form=('less', 'greater'))
MATRIX = dict(form=('dense', 'gaps'), spread=('short', 'medium', 'long'))
ROW_ORDERS = dict(extra=('less', 'greater'))
FLAGS = dict(spread=('some', 'few', 'most'), **INDEX)
NO_MEMORY = dict(memory=None)

CALLS = {
    'reduce': Row(NUMBERS + STRUCTS, **REDUCES, **DEVICES),
    'transform_reduce': Row(('affine',), **DEVICES),
    'reduce_from': Row(STRUCTS, extra=('alone', 'more'), **DEVICES),
    'transform_reduce_from': Row(('affine',), **DEVICES),
    'transform_reduce_rows': Row(('affine',), **MATRIX),
    'transform_inclusive_scan': Row(('affine',), form=('prefix', 'suffix')),
    'transform_exclusive_scan': Row(('affine',), form=('prefix', 'suffix')),
    'argmin': Row(NUMBERS, **TIES),
    'argmax': Row(NUMBERS, **TIES),
    'minmax': Row(NUMBERS),
    'moments': Row(NUMBERS, **DEVICES),
    'inclusive_scan': Row(NUMBERS + STRUCTS, **SCANS),
    'exclusive_scan': Row(NUMBERS + STRUCTS, **SCANS),
    'exclusive_scan_from': Row(NUMBERS + STRUCTS, **SCANS),
    'inclusive_scan_from': Row(NUMBERS + STRUCTS, **SCANS),
    'inclusive_scan_carried': Row(STRUCTS, form=('prefix', 'suffix'), **IN_PLACE),
    'exclusive_scan_carried': Row(STRUCTS, form=('prefix', 'suffix'), **IN_PLACE),
    'inclusive_scan_rows': Row(STRUCTS, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'exclusive_scan_rows': Row(STRUCTS, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'inclusive_scan_columns': Row(STRUCTS, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'exclusive_scan_columns': Row(STRUCTS, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'inclusive_scan_by_key': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'exclusive_scan_by_key': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'exclusive_scan_by_key_from': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'inclusive_scan_segments': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'exclusive_scan_segments': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'exclusive_scan_segments_from': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'reduce_segments': Row(NUMBERS + STRUCTS, **REDUCES, **RUNS),
    'reduce_segments_listed': Row(STRUCTS, form=('between', 'lengths', 'one_length'), extra=('alone', 'more'), **RUNS),
    'log_sum_exp_segments': Row(FLOATS, **RUNS),
    'scan_segments_listed': Row(STRUCTS, form=('between', 'lengths'), **RUNS, **IN_PLACE),
    'select': Row(NUMBERS + STRUCTS, **FLAGS, **IN_PLACE),
    'partition': Row(NUMBERS + STRUCTS, **FLAGS),
    'partition_copy': Row(NUMBERS + STRUCTS, **FLAGS),
    'three_way_partition': Row(STRUCTS),
    'non_trivial_runs': Row(STRUCTS),
    'copy_batches': Row(STRUCTS, spread=('mixed', 'short', 'long')),
    'unique': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'unique_by_key': Row(INTEGERS + FLOATS + STRUCTS, **RUNS, **IN_PLACE),
    'run_length_encode': Row(INTEGERS + FLOATS + STRUCTS, **RUNS),
    'reduce_by_key': Row(INTEGERS + FLOATS + STRUCTS, **RUNS),
    'transform': Row(STRUCTS, form=('one', 'two', 'three'), **IN_PLACE, **NO_MEMORY),
    'tabulate': Row(STRUCTS, **NO_MEMORY),
    'for_each': Row(STRUCTS, form=('reads', 'changes', 'index'), **NO_MEMORY),
    'find_if': Row(STRUCTS),
    'mismatch': Row(STRUCTS, form=('same', 'differ')),
    'equal': Row(STRUCTS, form=('same', 'differ')),
    'count_if': Row(STRUCTS),
    'count_on_device': Row(STRUCTS, form=('select', 'partition', 'run_length_encode', 'scan', 'sort', 'merge', 'set_intersection', 'top_k_by',
                                          'quantiles', 'adjacent_difference', 'reduce'), spread=('some', 'none', 'all')),
    'by_iterators': Row(STRUCTS, form=('reduce', 'scan', 'select', 'partition', 'run_length_encode', 'sort', 'merge', 'set_union', 'set_intersection',
                                       'set_difference', 'top_k_by', 'reduce_segments', 'transform', 'reduce_rows', 'sort_segments',
                                       'reduce_zipped')),
    'sort': Row(NUMBERS, **ORDERS, **IN_PLACE),
    'stable_sort': Row(NUMBERS, **ORDERS, **IN_PLACE),
    'sort_by_key': Row(NUMBERS, **ORDERS, **INDEX, **IN_PLACE),
    'stable_sort_by_key': Row(NUMBERS, **ORDERS, **INDEX, **IN_PLACE),
    'argsort': Row(NUMBERS, **ORDERS, **INDEX),
    'sort_segments': Row(NUMBERS, **ORDERS, **RUNS, **IN_PLACE),
    'stable_sort_segments': Row(NUMBERS, **ORDERS, **RUNS, **IN_PLACE),
    'sort_segments_by_key': Row(NUMBERS, **ORDERS, **RUNS, **IN_PLACE),
    'top_k': Row(NUMBERS, **ORDERS, extra=('both', 'values', 'indices'), spread=('some', 'none', 'one', 'many', 'all')),
    'top_k_by': Row(STRUCTS, spread=('some', 'none', 'one', 'many', 'all')),
    'top_k_rows': Row(ORDERED + COMPARED, **ROW_ORDERS, **MATRIX, **INDEX),
    'kth_value_rows': Row(ORDERED + COMPARED, **ROW_ORDERS, **MATRIX),
    'median_rows': Row(COMPARED, **ROW_ORDERS, **MATRIX),
    'sort_rows_by_key': Row(ORDERED, **ROW_ORDERS, **MATRIX, **INDEX, **IN_PLACE),
    'top_k_segments': Row(ORDERED, **ORDERS, **RUNS, **NO_MEMORY),
    'sort_rows': Row(ORDERED, **ROW_ORDERS, **MATRIX, **IN_PLACE),
    'argsort_rows': Row(ORDERED + COMPARED, **ROW_ORDERS, **MATRIX, **INDEX),
    'group_by_label': Row(('int32', 'uint64'), extra=('alone', 'counted'), spread=('some', 'one', 'many'), **INDEX),
    'nth_element': Row(NUMBERS, **ORDERS, spread=('some', 'one', 'all')),
    'quantiles': Row(NUMBERS, form=('nearest', 'lower', 'higher', 'linear', 'midpoint')),
    'histogram': Row(('uint8',) + NUMBERS, form=('even', 'edges', 'even_closed', 'edges_closed'), extra=('alone', 'more'),
                     spread=('some', 'one', 'many')),
    'histogram_by': Row(STRUCTS),
    'histogram_channels': Row(STRUCTS),
    'histogram_weighted': Row(STRUCTS),
    'lower_bound': Row(INTEGERS + FLOATS, spread=('most', 'few'), **INDEX, **NO_MEMORY),
    'upper_bound': Row(INTEGERS + FLOATS, spread=('most', 'few'), **INDEX, **NO_MEMORY),
    'merge': Row(INTEGERS + FLOATS + STRUCTS, **NO_MEMORY),
    'set_union': Row(STRUCTS, extra=('alone', 'more')),
    'set_intersection': Row(STRUCTS, extra=('alone', 'more')),
    'set_difference': Row(STRUCTS, extra=('alone', 'more')),
    'set_symmetric_difference': Row(STRUCTS, extra=('alone', 'more')),
    'adjacent_difference': Row(INTEGERS + FLOATS + STRUCTS, **NO_MEMORY),
    'reduce_rows': Row(NUMBERS + STRUCTS, **REDUCES, **MATRIX),
    'argmin_rows': Row(NUMBERS, **MATRIX),
    'argmax_rows': Row(NUMBERS, **MATRIX),
    'minmax_rows': Row(NUMBERS, **MATRIX),
    'moments_rows': Row(FLOATS + HALVES, **MATRIX),
    'softmax_rows': Row(FLOATS + HALVES, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'log_softmax_rows': Row(FLOATS + HALVES, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'softmax128': Row(('bfloat16',), **IN_PLACE),
    'layer_norm_rows': Row(FLOATS + HALVES, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'rms_norm_rows': Row(FLOATS + HALVES, extra=('alone', 'more'), **MATRIX, **IN_PLACE),
    'add_layer_norm_rows': Row(FLOATS + HALVES, **MATRIX, **IN_PLACE),
    'add_rms_norm_rows': Row(FLOATS + HALVES, **MATRIX, **IN_PLACE),
    'quantized_norms': Row(('float', 'bfloat16'), extra=('groups', 'rows'), **MATRIX),
    'map_rows': Row(('float', 'double', 'bfloat16'), extra=('one', 'two', 'dependent'), **MATRIX, **IN_PLACE),
}

RULES = [
    rule('structs are joined, and numbers are not', 'type op', lambda c: c.op is None or (c.op == 'joining') == (c.type in STRUCTS)),
    rule('floats have no bits', 'type op', lambda c: c.op is None or not c.op.startswith('bit') or c.type in INTEGERS),
    rule('no element has a rank where there are none', 'call size', lambda c: c.call != 'nth_element' or c.size != '0'),
    rule('nothing lies between two integers', 'call type form',
         lambda c: c.call != 'quantiles' or c.form not in ('linear', 'midpoint') or c.type not in INTEGERS),
    rule('softmax128 takes multiples of 256 bytes', 'call align', lambda c: c.call != 'softmax128' or c.align == 'aligned'),
    rule('a million elements in several threads take as long as all else', 'size thread',
         lambda c: c.size != 'million' or c.thread != 'several'),
]


class Call:
    """A choice in each dimension, or None in those that the call doesn't have; and n, if that is given and not drawn."""

    def __init__(self, **chosen):
        self.n = None
        for dimension in DIMENSIONS:
            setattr(self, dimension, chosen.get(dimension))

    def features(self):
        return [f'{d} {getattr(self, d)}' for d in DIMENSIONS if getattr(self, d) is not None]

    def text(self):
        chosen = [f'{d}={getattr(self, d)}' for d in DIMENSIONS if getattr(self, d) is not None and d not in SHARED]
        return ' '.join(chosen + ([f'n={self.n}'] if self.n is not None else []))


class Sequence:
    """Consecutive calls. With a seed its details are the same in every file; else they depend on its place."""

    def __init__(self, name, calls, seed=None):
        self.name, self.calls, self.seed = name, calls, seed

    def text(self):
        head = ' '.join(f'{d}={getattr(self.calls[0], d)}' for d in SHARED) + (f' seed={self.seed}' if self.seed is not None else '')
        return ' | '.join([f'{self.name} {head}', *(c.text() for c in self.calls)])


TABLE = Table(CALLS, RULES, DIMENSIONS, Call)


def fixed_set(seed):
    """Sequences in which all pairs occur, and these pairs; and each call of each type with some and with many tiles."""
    rng = random.Random(seed)
    pairs = TABLE.all_pairs(rng)
    calls = TABLE.covering_calls(pairs, rng)
    for name, row in CALLS.items():
        calls += [TABLE.complete(name, {'type': of, 'size': size, 'thread': rng.choice(('caller', 'handed'))}, rng)
                  for of in row.domains['type'] for size in ('tile', 'many')]
    rng.shuffle(calls)
    groups = {}
    for c in calls:
        groups.setdefault(tuple(getattr(c, d) for d in SHARED), []).append(c)
    sequences = []
    for group in groups.values():
        while group:
            several = rng.randint(1, 6)
            sequences.append(Sequence(f'fixed_{len(sequences):03}', group[:several]))
            group = group[several:]
    return sequences, pairs


def drawn_sequence(seed, index):
    """Returns sequence `index` of those that `tools/fuzz --arrays --seed SEED` runs."""
    rng = random.Random(f'{seed}:{index}')
    shared = {d: rng.choice(EVERYWHERE[d]) for d in SHARED}
    calls = []
    wanted = rng.randint(1, 6)
    while len(calls) < wanted:
        call = TABLE.complete(rng.choice(list(CALLS)), shared, rng)
        if call:
            calls.append(call)
    return Sequence(f'drawn_{index}', calls, rng.randrange(1 << 32))


def file_text(sequences, pairs=()):
    return ''.join(f'pair {a}|{b}\n' for a, b in sorted(pairs)) + ''.join(s.text() + '\n' for s in sequences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    sequences, pairs = fixed_set(options.seed)
    options.out.write_text(file_text(sequences, pairs))
    print(f'{len(sequences)} sequences, {sum(len(s.calls) for s in sequences)} calls, {len(pairs)} pairs', file=sys.stderr)


if __name__ == '__main__':
    main()
