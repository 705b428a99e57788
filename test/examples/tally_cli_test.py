#!/usr/bin/env python3
"""tally_cli_test.py TALLY: runs the executable as its users do, and compares it with a count in Python.

Prints TAP. Every count is made on CPU lanes, in several of their orders, and on a GPU where the executable can use one.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

TALLY = os.path.abspath(sys.argv[1])
PART, SLICE, BATCH = 256, 32 * 256, 2048 * 32 * 256  # the bytes of a lane, of a tile, and in memory at a time
CPU = {'CUDA_VISIBLE_DEVICES': ''}
ORDERS = ('ascending', 'descending', 'random_lane', 'random_warp', 'depth_first', 'round_robin')


def tally(*files, where={}, **options):
    return subprocess.run([TALLY, *files], capture_output=True, env={**os.environ, **where}, **options)


def count(name, data):
    longest = max(len(line) for line in data.split(b'\n'))
    return f'{data.count(10)} {len(data.split())} {len(data)} {longest} {name}\n'  # split() knows the same six bytes


# ---- Files

def draw(size, alphabet, seed):
    return bytes(random.Random(seed).choices(alphabet, k=size))


def around(end):
    """Texts with a newline or a space as the last byte before a border, as the first one after it, and nothing of both there."""
    for byte in (b'\n', b' '):
        yield b'a' * (end - 1) + byte + b'bc'
        yield b'a' * end + byte + b'b'
    yield b' ' * end + b'a'
    yield b'a' * (end - 1)
    yield b'a' * end
    yield b'a' * (end + 1)


CONTENTS = [b'', b'\n', b'a', b' ', b'\n' * 1000, b'one two\nthree', b'one\r\n\r\ntwo three\r\n',
            b'a b\tc\nd\ve\ff\rg\0h\x1ci\x85j\xa0k', bytes(range(256)) * 300, draw(200_000, range(256), 1),
            draw(200_000, b'abcdefgh    \n', 2), draw(70_001, b'a' * 400 + b'\n', 3), draw(30_000, b' ' * 500 + b'a', 4),
            b' ' + b'w' * (5 * SLICE) + b' x', *around(PART), *around(SLICE), *around(4 * SLICE)]

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def write(name, data):
    with open(name, 'wb') as file:
        file.write(data)
    return name


for i, contents in enumerate(CONTENTS):
    write(f'{i}.txt', contents)
FILES = [f'{i}.txt' for i in range(len(CONTENTS))]
ALL = ''.join(map(count, FILES, CONTENTS))
gpu = tally('0.txt').stderr == b'counting on the GPU\n'
no_gpu = None if gpu else 'needs a GPU'


def every_file(where, said):
    done = tally(*FILES, where=where)
    equal(done.stdout.decode(), ALL)
    equal((done.stderr, done.returncode), (said, 0))


def more_than_a_batch(where):
    for data in (draw(100_003, b'abc de\n', 3) * (2 * BATCH // 100_003 + 1), *around(BATCH)):
        equal(tally('-', where=where, input=data).stdout.decode(), count('-', data))


@check
def every_file_on_cpu_lanes_in_each_of_their_orders():
    for order in ORDERS:
        every_file({**CPU, 'TESSERA_HOST_SCHEDULE': order, 'TESSERA_HOST_SEED': '7'}, b'counting on CPU lanes\n')


@check
def more_than_a_batch_on_cpu_lanes():
    more_than_a_batch(CPU)


def every_file_on_the_gpu():
    every_file({}, b'counting on the GPU\n')


check(every_file_on_the_gpu, skip=no_gpu)


def more_than_a_batch_on_the_gpu():
    more_than_a_batch({})


check(more_than_a_batch_on_the_gpu, skip=no_gpu)


# ---- What can't be counted

@check
def a_file_that_cannot_be_read_is_named_and_the_others_are_counted():
    os.makedirs('folder', exist_ok=True)
    done = tally('2.txt', 'nowhere', 'folder', '5.txt')
    equal(done.stdout.decode(), count('2.txt', CONTENTS[2]) + count('5.txt', CONTENTS[5]))
    equal(done.stderr.decode().splitlines()[1:], ['tally: nowhere: No such file or directory', 'tally: folder: Is a directory'])
    equal(done.returncode, 1)


@check
def without_a_file_the_usage_is_told():
    done = tally()
    equal((done.returncode, done.stdout, done.stderr.startswith(b'usage: tally FILE')), (2, b'', True))


@check
def output_that_cannot_be_written_is_an_error():
    with open('/dev/full', 'wb') as full:
        equal(subprocess.run([TALLY, '2.txt'], stdout=full, stderr=subprocess.DEVNULL).returncode, 1)


failed = tap.run()
os.chdir('/')  # leaves the folder, so that it can be removed
sys.exit(failed)
