#!/usr/bin/env python3
"""tally_cli_test.py TALLY: runs the executable as its users do, and compares it with a count in Python.

Prints TAP. Where the executable can use a GPU, every count is made there too.
"""
import collections
import json
import os
import pathlib
import pty
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

TALLY = os.path.abspath(sys.argv[1])
MIB = 1 << 20
SLICE = 64 * 1024  # the bytes that one block counts
BATCH = {'cpu': MIB, 'gpu': 16 * MIB}  # the bytes of a batch

# A sanitizer makes the process larger and slower.
with open(TALLY, 'rb') as executable:
    instrumented = b'__asan_init' in executable.read()


def tally(*arguments, **options):
    return subprocess.run([TALLY, *arguments], capture_output=True, **options)


# ---- The reference

def count(data):
    histogram = collections.Counter(data)
    return {
        'bytes': len(data),
        'lines': data.count(b'\n'),
        'words': len(data.split()),  # splits at the same six bytes
        'longest': max(len(line) for line in data.split(b'\n')),
        'top': sorted(((byte, n) for byte, n in histogram.items()), key=lambda e: (-e[1], e[0]))[:8],
        'histogram': [histogram[byte] for byte in range(256)],
    }


def as_text(data, histogram=False):
    c = count(data)
    lines = [f'{key} {c[key]}' for key in ('bytes', 'lines', 'words', 'longest')]
    lines.append(' '.join(['top'] + [f'0x{byte:02x}:{n}' for byte, n in c['top']]))
    if histogram:
        lines += [f'0x{byte:02x} {n}' for byte, n in enumerate(c['histogram'])]
    return ''.join(line + '\n' for line in lines)


def as_json(name, data):
    c = count(data)
    c['top'] = [{'byte': f'0x{byte:02x}', 'count': n} for byte, n in c['top']]
    return {'file': name, **c}


# ---- Files

def draw(size, alphabet, seed):
    return bytes(random.Random(seed).choices(alphabet, k=size))


CONTENTS = {
    'empty': b'',
    'one newline': b'\n',
    'one letter': b'a',
    'one space': b' ',
    'only newlines': b'\n' * 1000,
    'no last newline': b'one two\nthree',
    'CRLF': b'one\r\n\r\ntwo three\r\n',
    'all white space': b'a b\tc\nd\ve\ff\rg\0h\x1ci\x85j\xa0k',
    'every byte': bytes(range(256)) * 300,
    'random bytes': draw(200_000, range(256), 1),
    'random text': draw(200_000, b'abcdefgh    \n', 2),
    'ties': b'hgfedcba' * 5 + b'ijk' * 5 + b'zz',
    'seven bytes': b'abcdefg',
    'a word over all slices': b' ' + b'w' * (3 * SLICE) + b' x',
    'newline ends slice': b'a' * (SLICE - 1) + b'\n' + b'b' * 10,
    'newline begins slice': b'a' * SLICE + b'\nb',
    'space ends slice': b'a' * (SLICE - 1) + b' ' + b'b',
    'space begins slice': b'a' * SLICE + b' b',
    'one slice': b'a' * SLICE,
    'slice and a byte': b'a' * SLICE + b'a',
}


def border_contents(backend):
    """Files that end at and around the end of a batch, or continue in the next one."""
    size = BATCH[backend]
    return {
        'one batch': b'a' * size,
        'batch less a byte': b'a' * (size - 2) + b'\n',
        'newline begins batch': b'a' * size + b'\n' + b'b',
        'space begins batch': b'a' * size + b' b\nc',
        'a line over three batches': b'\n' + b'l' * (2 * size + 100) + b'\nx',
        'text over three batches': draw(100_003, b'abc de\n', 3) * (2 * size // 100_003 + 1),
    }


folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def write(name, data):
    with open(name, 'wb') as file:
        file.write(data)
    return name


for name, data in CONTENTS.items():
    write(name, data)

no_gpu = tally('--gpu', 'empty')
gpu = no_gpu.returncode == 0
why_no_gpu = no_gpu.stderr.decode().strip().rpartition(': ')[2]
head = {'cpu': 'backend cpu\n', 'gpu': tally('--gpu', 'empty').stdout.decode().partition('\n')[0] + '\n'}
needs_gpu = None if gpu else f'needs a GPU: {why_no_gpu}'


# ---- Cases for both backends

def check_backend(backend):
    option = '--' + backend

    def text_of_every_file():
        for name, data in CONTENTS.items():
            done = tally(option, name)
            equal(done.stdout.decode(), head[backend] + as_text(data), name)
            equal((done.stderr, done.returncode), (b'', 0), name)

    def histogram():
        for name in ('empty', 'random bytes'):
            equal(tally(option, '--histogram', name).stdout.decode(),
                  head[backend] + as_text(CONTENTS[name], True), name)

    def json_of_one_file():
        for name in ('empty', 'random bytes'):
            got = json.loads(tally(option, '--json', name).stdout)
            equal(got.pop('backend'), backend)
            equal('device' in got, backend == 'gpu')
            got.pop('device', None)
            equal(got, as_json(name, CONTENTS[name]), name)

    def several_files_as_text():
        for more in ([], ['--histogram']):
            done = tally(option, *more, *CONTENTS)
            blocks = (f'file {name}\n' + as_text(data, bool(more)) for name, data in CONTENTS.items())
            equal(done.stdout.decode(), head[backend] + ''.join(blocks))

    def several_files_as_json():
        got = json.loads(tally(option, '--json', *CONTENTS).stdout)
        equal(got['files'], [as_json(name, data) for name, data in CONTENTS.items()])

    def files_around_a_batch():
        contents = border_contents(backend)
        for name, data in contents.items():
            write(name, data)
        blocks = {name: as_text(data) for name, data in contents.items()}
        for name in contents:
            equal(tally(option, name).stdout.decode(), head[backend] + blocks[name], name)
        together = ''.join(f'file {name}\n{block}' for name, block in blocks.items())
        equal(tally(option, *contents).stdout.decode(), head[backend] + together)

    def more_files_than_a_batch_holds():
        small = write('small', b'a small\nfile')
        names = ['empty'] * 5000 + [small] * 5000
        got = tally(option, *names).stdout.decode()
        blocks = [f'file {name}\n' + as_text(open(name, 'rb').read()) for name in ('empty', small)]
        equal(got == head[backend] + blocks[0] * 5000 + blocks[1] * 5000, True)

    def files_that_cannot_be_read():
        os.makedirs('folder', exist_ok=True)
        done = tally(option, 'one letter', 'nowhere', 'folder', 'CRLF')
        equal(done.returncode, 1)
        equal(done.stdout.decode(), head[backend] + 'file one letter\n' + as_text(CONTENTS['one letter']) +
              'file CRLF\n' + as_text(CONTENTS['CRLF']))
        equal(done.stderr.decode(),
              'tally: nowhere: No such file or directory\ntally: folder: Is a directory\n')
        equal(tally(option, 'nowhere').stdout.decode(), head[backend])
        done = tally(option, '--json', 'one letter', 'nowhere')
        equal(done.returncode, 1)
        equal(json.loads(done.stdout)['files'], [as_json('one letter', b'a'),
                                                 {'file': 'nowhere', 'error': 'No such file or directory'}])

    def standard_input():
        data = CONTENTS['random text']
        equal(tally(option, '-', input=data).stdout.decode(), head[backend] + as_text(data))
        equal(tally(option, '-', 'CRLF', input=b'').stdout.decode(),
              head[backend] + 'file -\n' + as_text(b'') + 'file CRLF\n' + as_text(CONTENTS['CRLF']))

    for function in (text_of_every_file, histogram, json_of_one_file, several_files_as_text,
                     several_files_as_json, files_around_a_batch, more_files_than_a_batch_holds,
                     files_that_cannot_be_read, standard_input):
        check(function, f'{backend} ', needs_gpu if backend == 'gpu' else None)


check_backend('cpu')
check_backend('gpu')

# ---- Options

@check
def without_a_choice_the_gpu_is_used_if_there_is_one():
    equal(tally('empty').stdout.decode(), head['gpu' if gpu else 'cpu'] + as_text(b''))


@check
def gpu_where_there_is_none_is_an_error():
    if gpu:
        equal(head['gpu'].startswith('backend gpu '), True)
        return
    equal((no_gpu.returncode, no_gpu.stdout), (2, b''))
    equal(no_gpu.stderr.decode(), f'tally: --gpu: {why_no_gpu}\n')


@check
def wrong_options_are_an_error():
    for arguments in ([], ['--cpu'], ['--gpu', '--cpu', 'empty'], ['--nonsense', 'empty']):
        done = tally(*arguments)
        equal((done.returncode, done.stdout, done.stderr != b''), (2, b'', True), arguments)


@check
def help_is_given():
    done = tally('--help')
    equal(done.returncode, 0)
    for word in (b'--gpu', b'--cpu', b'--json', b'--histogram', b'longest', b'Exit status'):
        equal(word in done.stdout, True, word)


@check
def odd_file_names():
    for name, line in (('-x', '-x'), ('two\nlines', 'two\\nlines'), ('back\\slash', 'back\\\\slash')):
        write(name, b'a')
        equal(tally('--cpu', '--', name, name).stdout.decode(),
              head['cpu'] + 2 * (f'file {line}\n' + as_text(b'a')), name)
        equal(json.loads(tally('--cpu', '--json', '--', name).stdout)['file'], name)
    not_utf8 = write(b'\xff\xfe', b'a')
    shown = tally('--cpu', not_utf8, 'empty').stdout
    equal(shown.startswith(head['cpu'].encode() + b'file \xff\xfe\n'), True)
    equal(json.loads(tally('--cpu', '--json', not_utf8).stdout)['bytes'], 1)


@check
def output_that_cannot_be_written_is_an_error():
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([TALLY, '--cpu', 'CRLF'], stdout=full, stderr=subprocess.PIPE)
    equal((done.returncode, done.stderr), (1, b'tally: cannot write to standard output\n'))


# ---- Resources

def run_measured(*arguments):
    """Returns the output, the seconds of processor time and the peak memory in KiB. The run is started by a small process,
    because the peak memory includes that of the parent before exec."""
    small = ('import os, subprocess, sys; process = subprocess.Popen(sys.argv[1:]); '
             '_, status, usage = os.wait4(process.pid, 0); '
             'sys.exit(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss} {status}")')
    run = subprocess.run([sys.executable, '-c', small, TALLY, *arguments], capture_output=True, text=True)
    seconds, memory, status = run.stderr.split()[-3:]
    equal(int(status), 0)
    return run.stdout, float(seconds), int(memory)


def write_large(mebibytes):
    block = draw(MIB, b'abcdefghijklmnop     \n', 4)
    with open('large', 'wb') as file:
        for _ in range(mebibytes):
            file.write(block)


@check
def memory_is_bounded():
    write_large(64)
    output, seconds, memory = run_measured('--cpu', 'large', *['empty'] * 10000)
    os.remove('large')
    equal(f'bytes {64 * MIB}\n' in output, True)
    print(f'# {64 * MIB / seconds / 1e6:.0f} MB/s of one core, {memory / 1024:.0f} MiB at most')
    if not instrumented:
        equal(memory < 256 * 1024, True, f'{memory} KiB')


def gpu_memory_is_bounded():
    """The memory in addition to the driver's, which an empty file needs too."""
    write_large(512)
    output, seconds, memory = run_measured('--gpu', 'large')
    os.remove('large')
    _, _, of_driver = run_measured('--gpu', 'empty')
    equal(f'bytes {512 * MIB}\n' in output, True)
    print(f'# {memory / 1024:.0f} MiB at most, {of_driver / 1024:.0f} MiB for an empty file')
    equal(memory - of_driver < 128 * 1024 and of_driver < memory + 64 * 1024, True, f'{memory} KiB, {of_driver} KiB')


check(gpu_memory_is_bounded, skip=needs_gpu)


# ---- Progress

def on_terminal(*arguments, seconds=0.0):
    """Returns what the terminal on standard error shows while standard input takes this long."""
    try:
        terminal, its_end = pty.openpty()
    except OSError as error:  # as in some containers
        raise tap.Skip(f'there is no terminal to be had: {error}')
    process = subprocess.Popen([TALLY, '--cpu', *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=its_end)
    os.close(its_end)

    def feed():
        for _ in range(round(10 * seconds)):
            process.stdin.write(b'x' * 1000)
            process.stdin.flush()
            time.sleep(0.1)
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    shown = b''
    try:
        while chunk := os.read(terminal, 1000):
            shown += chunk
    except OSError:
        pass  # the other end is closed
    feeder.join()
    equal(process.wait(), 0)
    os.close(terminal)
    return shown.decode()


@check
def progress_is_shown_after_a_second_and_erased():
    shown = on_terminal('-', seconds=1.6)
    equal('MB/s' in shown, True, repr(shown))
    equal(shown.endswith(' \r'), True, repr(shown))


@check
def progress_shows_how_far_it_is():
    with open('sparse', 'wb') as file:
        file.truncate(512 * MIB)
    shown = on_terminal('sparse')
    os.remove('sparse')
    percents = [int(p) for p in re.findall(r'(\d+) %', shown)]
    if not percents:
        return  # the machine took less than a second
    equal(percents, sorted(percents))
    equal('[#' in shown and percents[-1] <= 100, True, repr(shown))


@check
def no_progress_before_a_second():
    equal(on_terminal('-', seconds=0.2), '')


@check
def without_a_terminal_to_be_had_these_are_skipped():
    with mock.patch('pty.openpty', side_effect=OSError('out of pty devices')):
        try:
            on_terminal('-')
        except tap.Skip as reason:
            equal(str(reason), 'there is no terminal to be had: out of pty devices')
        else:
            raise AssertionError('not skipped')


# ---- Run

failed = tap.run()
os.chdir('/')  # leaves the folder, so that it can be removed
sys.exit(failed)
