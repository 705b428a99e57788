#!/usr/bin/env python3
"""arrays_cli_test.py ARRAYS: runs the executable as its users do, and compares the results with Python's arithmetic.

Prints TAP. Every operation runs on CPU lanes, in several of their orders, and on a GPU where the executable can use one.
"""
import math
import os
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

ARRAYS = os.path.abspath(sys.argv[1])
CPU = {'CUDA_VISIBLE_DEVICES': ''}
ORDERS = ('ascending', 'descending', 'random_lane', 'random_warp', 'depth_first', 'round_robin')
UNIT = 2.0 ** -24
INF, NAN = math.inf, math.nan


def arrays(*arguments, text='', where={}):
    return subprocess.run([ARRAYS, *arguments], input=text, capture_output=True, text=True, env={**os.environ, **where})


# ---- The reference: what a row gives, and what each result may be off by

def is_greater(x, y):
    return not math.isnan(y) and (math.isnan(x) or x > y)


def sums(row):
    return [(sum(row) if not all(map(math.isfinite, row)) else math.fsum(row), (len(row) + 64) * UNIT * sum(map(abs, row)))]


def argmax(row):
    best = 0
    for i, x in enumerate(row):
        if is_greater(x, row[best]):
            best = i
    return [(best, 0)]


def softmax(row):
    top = max(row)
    if any(map(math.isnan, row)):
        return [(NAN, 0)] * len(row)
    if math.isinf(top):
        return [((1 / row.count(top) if x == top else 0.0) if top > 0 else 0.0, UNIT) for x in row]
    powers = [math.exp(x - top) for x in row]
    spread = top - min((x for x in row if x > -INF), default=top)
    return [(p / math.fsum(powers), (2 + 4 * (spread + 32)) * UNIT * p / math.fsum(powers) + 1e-44) for p in powers]


def layer_norm(row):
    if not all(map(math.isfinite, row)):
        return [(NAN, 0)] * len(row)
    mean = math.fsum(row) / len(row)
    scale = 1 / math.sqrt(math.fsum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
    size = max(map(abs, row)) * scale
    return [((x - mean) * scale, (2 + 64 * (size + 1)) * UNIT * (1 + abs(x - mean) * scale)) for x in row]


def in_order(row):
    return [(x, 0) for x in sorted(row, key=lambda x: (math.isnan(x), 0 if math.isnan(x) else x))]


OPERATIONS = {'sum': sums, 'argmax': argmax, 'softmax': softmax, 'layer_norm': layer_norm, 'sort': in_order}


def close(got, expected, error):
    if math.isfinite(expected):
        return abs(got - expected) <= error
    return got == expected or (math.isnan(got) and math.isnan(expected))


# ---- Rows

def draw(rows, columns):
    source = random.Random(columns)
    # Eighths, so that each is a float, and some are equal.
    return [[source.randrange(-40, 40) / 8 for _ in range(columns)] for _ in range(rows)]


MATRICES = [draw(rows, columns) for rows, columns in
            ((1, 1), (3, 1), (5, 2), (4, 7), (4, 8), (4, 9), (2, 63), (2, 64), (2, 65), (1, 1000), (300, 3), (3, 5001))]
MATRICES.append([[1, NAN, 2, NAN], [INF, 1, INF, 0], [-INF, -INF, -INF, -INF], [-INF, 3, -INF, 4], [1, -INF, INF, 2],
                 [5, 5, 5, 5], [-1, -2, -1, -3], [0.0, -0.0, 0.0, -0.0], [1e4, -1e4, 1e4, 0], [2.5, -1, 2.4375, -1.0625]])
gpu = arrays('sum', text='1\n').stderr == 'computed on the GPU\n'


def every_operation(where, said, matrices):
    for matrix in matrices:
        text = ''.join(' '.join(map(repr, row)) + '\n' for row in matrix)
        for name, results in OPERATIONS.items():
            done = arrays(name, text=text, where=where)
            equal((done.returncode, done.stderr), (0, said), name)
            lines = done.stdout.splitlines()
            equal(len(lines), len(matrix), name)
            for line, row in zip(lines, matrix):
                got, expected = [float(word) for word in line.split(' ')], results(row)
                equal(len(got), len(expected), name)
                wrong = [(i, x, y) for i, (x, (y, error)) in enumerate(zip(got, expected)) if not close(x, y, error)]
                equal(wrong, [], f'{name} of {row[:10]}')


@check
def every_operation_on_cpu_lanes():
    every_operation(CPU, 'computed on CPU lanes\n', MATRICES)


@check
def in_each_order_of_cpu_lanes():
    for order in ORDERS:
        every_operation({**CPU, 'TESSERA_HOST_SCHEDULE': order, 'TESSERA_HOST_SEED': '7'}, 'computed on CPU lanes\n', MATRICES[3:7])


def every_operation_on_the_gpu():
    every_operation({}, 'computed on the GPU\n', [MATRICES[0], *MATRICES[-4:]])  # each takes half a second to begin


check(every_operation_on_the_gpu, skip=None if gpu else 'needs a GPU, and the functions for whole arrays')


# ---- Text

@check
def results_are_printed_so_that_no_bit_is_lost():
    source = random.Random(5)
    values = [struct.unpack('<f', struct.pack('<I', source.randrange(0x7f800000)))[0] for _ in range(200)]
    text = '\n'.join(f'{x:.9g}' for x in values) + '\n'
    equal([float(line) for line in arrays('sort', text=text).stdout.splitlines()], [float(f'{x:.9g}') for x in values])


@check
def a_file_is_read_as_standard_input_is():
    equal(arrays('sum', '/dev/stdin', text='1 2\n3\t4 \r\n').stdout, '3\n7\n')
    equal(arrays('sum', text='1 2\n3 4').stdout, '3\n7\n')


@check
def what_is_no_matrix_is_an_error():
    for text, line in (('1 2\n3\n', 2), ('1\n2 3\n', 2), ('1 x\n', 1), ('\n', 1), ('1\n\n2\n', 2)):
        done = arrays('sum', text=text)
        equal((done.returncode, done.stdout), (1, ''), text)
        equal(done.stderr, f'arrays: line {line} must have numbers, as many as the first line\n', text)
    for name, said in (('/', 'there are no numbers in /'), ('nowhere', "nowhere can't be read")):
        done = arrays('sum', name)
        equal((done.returncode, done.stdout, done.stderr), (1, '', f'arrays: {said}\n'))


@check
def a_wrong_name_is_answered_with_the_right_ones():
    for arguments in ((), ('median',), ('sum', 'x', 'y')):
        done = arrays(*arguments)
        equal((done.returncode, done.stdout), (2, ''), arguments)
        equal(done.stderr, f'usage: arrays {"|".join(OPERATIONS)} [FILE]\n', arguments)


sys.exit(tap.run())
