#!/usr/bin/env python3
"""arrays_cli_test.py ARRAYS: runs the executable as its users do, and compares the results with Python's arithmetic.

Prints TAP. If the executable can use a GPU, every operation also runs there. If NumPy is installed, the executable reads
files that NumPy writes, and NumPy reads files that the executable writes.
"""
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

try:
    import numpy
except ImportError:
    numpy = None

ARRAYS = os.path.abspath(sys.argv[1])


def arrays(*arguments):
    return subprocess.run([ARRAYS, *map(str, arguments)], capture_output=True)


folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)

# ---- The file format, written by hand

CODES = {'<f2': 'e', '<f4': 'f', '<f8': 'd', '<i8': 'q', '<u8': 'Q', '<i4': 'i'}
NAMES = {'<f2': 'float16', '<f4': 'float32', '<f8': 'float64', '<i8': 'int64', '<u8': 'uint64'}


def packed(descr, values):
    return struct.pack(f'<{len(values)}{CODES[descr]}', *values)


def header_of(descr, shape, fortran=False):
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"


def file_of(header, data=b'', version=(1, 0), pad=True):
    text = header.encode()
    if pad:
        text += b' ' * (-(len(text) + 1 + (10 if version[0] == 1 else 12)) % 64) + b'\n'
    return b'\x93NUMPY' + bytes(version) + struct.pack('<H' if version[0] == 1 else '<I', len(text)) + text + data


def write(name, data):
    with open(name, 'wb') as file:
        file.write(data)
    return name


def contents(name):
    with open(name, 'rb') as file:
        return file.read()


def save(name, descr, shape, values):
    return write(name, file_of(header_of(descr, shape), packed(descr, values)))


def load(name):
    """Returns (descr, shape, bytes of the elements) of a file that must have the same bytes as NumPy's."""
    data = contents(name)
    equal(data[:8], b'\x93NUMPY\x01\x00', name)
    length, = struct.unpack('<H', data[8:10])
    equal((10 + length) % 64, 0, name)
    header = data[10:10 + length]
    equal(header[-1:], b'\n', name)
    fields = eval(header, {'__builtins__': {}})
    equal(header.rstrip().decode(), header_of(fields['descr'], fields['shape']), name)
    return fields['descr'], fields['shape'], data[10 + length:]


def values_of(name):
    descr, shape, data = load(name)
    return descr, shape, list(struct.unpack(f'<{len(data) // struct.calcsize(CODES[descr])}{CODES[descr]}', data))


def rounded(descr, x):
    """Returns x rounded to the type."""
    try:
        return struct.unpack('<' + CODES[descr], struct.pack('<' + CODES[descr], x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


# ---- The reference

def exp_difference(x, top):
    return 1.0 if x == top else math.exp(x - top) if x > -math.inf else 0.0


def softmax(row):
    if any(math.isnan(x) for x in row):
        return [math.nan] * len(row)
    top = max(row, default=0)
    if top == math.inf:
        return [1 / row.count(top) if x == top else 0.0 for x in row]
    if top == -math.inf:
        return [0.0] * len(row)
    powers = [exp_difference(x, top) for x in row]
    total = math.fsum(powers)
    return [p / total for p in powers]


def layer_norm(row, epsilon=1e-5):
    if not row or not all(math.isfinite(x) for x in row):
        return [math.nan] * len(row)
    mean = math.fsum(row) / len(row)
    variance = math.fsum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(variance + epsilon) for x in row]


def best(row):
    """Returns (greatest value, its column). A NaN counts as the greatest."""
    for i, x in enumerate(row):
        if math.isnan(x):
            return x, i
    top = max(row)
    return top, row.index(top)


def histogram(descr, row, bins, lower, upper):
    """Computes with three rounded operations, in float for float16."""
    real = '<f8' if descr == '<f8' else '<f4'
    lower, upper = rounded(real, lower), rounded(real, upper)
    scale = rounded(real, bins / rounded(real, upper - lower))
    counts = [0] * bins
    for x in row:
        if x >= lower and x < upper:
            counts[min(int(rounded(real, rounded(real, x - lower) * scale)), bins - 1)] += 1
    return counts


def falling(x):
    """Sorts the greatest first, NaN last."""
    return (math.isnan(x), 0 if math.isnan(x) else -x)


def rising(x):
    return (math.isnan(x), 0 if math.isnan(x) else x)


def sums_to_here(descr, row):
    """The exact sums up to each element, and what they may be off by."""
    size, out = 0.0, []
    special = any(not math.isfinite(x) for x in row)
    exact = 0.0
    for i, x in enumerate(row):
        exact = sum(row[:i + 1]) if special else math.fsum(row[:i + 1]) if len(row) <= 100 else exact + x
        size += abs(x) if math.isfinite(x) else 0
        inner = UNIT['<f8'] if descr == '<f8' else UNIT['<f4']
        lost = 2.0 ** -25 if descr == '<f2' else 0  # below the least normal number
        out.append((exact, (i + 64) * inner * size + 1.01 * UNIT[descr] * abs(exact) + lost))
    return out


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def close(got, expected, error, what):
    if math.isnan(expected) or math.isinf(expected):
        same = got == expected or (math.isnan(got) and math.isnan(expected))
    else:
        same = abs(got - expected) <= error
    if not same:
        raise AssertionError(f'{what}: got {got!r}, expected {expected!r} within {error!r}')


UNIT = {'<f2': 2.0 ** -11, '<f4': 2.0 ** -24, '<f8': 2.0 ** -53}


def expect(operation, descr, shape, values, output, options):
    """The file must contain the operation's results for the values."""
    columns = shape[-1]
    count = shape[0] if len(shape) == 2 else 1
    lines = [values[r * columns:(r + 1) * columns] for r in range(count)]
    got_descr, got_shape, got = values_of(output)
    what = f'{operation} of {descr} {shape}'
    unit = UNIT[descr]
    if operation in ('softmax', 'layer_norm'):
        equal((got_descr, got_shape), (descr, shape), what)
        expected = [y for line in lines for y in (softmax(line) if operation == 'softmax' else layer_norm(line))]
        # An exponential has a relative error of |x − max| units. The mean has an error of units of itself, which is divided
        # by the deviation.
        inner = UNIT['<f8'] if descr == '<f8' else UNIT['<f4']
        for r, line in enumerate(lines):
            here = expected[r * columns:(r + 1) * columns]
            finite = [x for x in line if math.isfinite(x)]
            spread = max(finite, default=0) - min(finite, default=0)
            size = max((abs(x) for x in finite), default=0) / max(spread, 1e-3)
            top = max(here, key=abs, default=0)
            for c, y in enumerate(here):
                if operation == 'softmax':
                    error = (2 * unit + 4 * (spread + 32) * inner) * y + 2.0 ** -24 * (descr == '<f2') + 1e-300
                else:
                    error = (2 * unit + 64 * (size + 1) * inner) * abs(top)
                close(got[r * columns + c], y, error, f'{what} [{r}, {c}]')
        return
    if operation in ('scan', 'sort'):
        equal((got_descr, got_shape), (descr, shape), what)
        for r, line in enumerate(lines):
            here = got[r * columns:(r + 1) * columns]
            if operation == 'scan':
                for c, (exact, error) in enumerate(sums_to_here(descr, line)):
                    close(here[c], exact, error, f'{what} [{r}, {c}]')
            else:
                equal(all(map(same, here, sorted(line, key=rising))), True, f'{what} [{r}]')
        return
    if operation in ('topk', 'quantiles'):
        taken = options['k'] if operation == 'topk' else len(options['q'])
        equal((got_descr, got_shape), (descr, shape[:-1] + (taken,)), what)
        for r, line in enumerate(lines):
            if operation == 'topk':
                expected = sorted(line, key=falling)[:taken]
            else:
                in_order = sorted(line, key=rising)
                expected = [in_order[int(q * (columns - 1))] for q in options['q']]
            equal(all(map(same, got[r * taken:(r + 1) * taken], expected)), True, f'{what} [{r}]')
        return
    if operation == 'unique':
        expected = [x for i, x in enumerate(values) if i == 0 or not same(values[i - 1], x)]
        equal((got_descr, got_shape), (descr, (len(expected),)), what)
        equal(all(map(same, got, expected)), True, what)
        return
    if operation == 'histogram':
        equal((got_descr, got_shape), ('<u8', shape[:-1] + (options['bins'],)), what)
        equal(got, [n for line in lines for n in histogram(descr, line, **options)], what)
        return
    of_row = {'sum': '<f4' if descr == '<f2' else descr, 'max': descr, 'argmax': '<i8'}[operation]
    equal((got_descr, got_shape), (of_row, shape[:-1]), what)
    equal(len(got), count, what)
    for r, line in enumerate(lines):
        if operation == 'sum':
            special = sum(line) if not all(map(math.isfinite, line)) else None
            expected = math.fsum(line) if special is None else special
            bound = columns * UNIT[of_row] * math.fsum(abs(x) for x in line if math.isfinite(x))
            close(got[r], expected, bound, f'{what} [{r}]')
        elif operation == 'max':
            close(got[r], best(line)[0], 0, f'{what} [{r}]')
        else:
            equal(got[r], best(line)[1], f'{what} [{r}]')


# ---- Cases for both backends

OPERATIONS = ('sum', 'max', 'argmax', 'softmax', 'layer_norm', 'histogram', 'scan', 'sort', 'topk', 'quantiles', 'unique')
SHAPES = {
    'cpu': ((1,), (7,), (1000,), (3, 4), (5, 1), (33, 100), (100, 33), (2, 4097), (257, 8)),
    'gpu': ((1000,), (33, 100), (2, 4097), (257, 8)),  # each run starts the driver, which takes a third of a second
}
BINS = {'bins': 10, 'lower': -1.0, 'upper': 2.5}


def draw(descr, count, seed):
    source = random.Random(seed)
    return [rounded(descr, source.gauss(0, 2)) for _ in range(count)]


def flags(operation, options):
    return [f'--{key}={",".join(map(str, value)) if isinstance(value, tuple) else value}' for key, value in options.items()]


def options_of(operation, columns):
    return {'histogram': BINS, 'topk': {'k': min(columns, 12)}, 'quantiles': {'q': (0, 0.25, 1 / 3, 0.9, 1)}}.get(operation, {})


def run(backend, operation, descr, shape, values, options=None):
    options = options_of(operation, shape[-1]) if options is None else options
    save('in.npy', descr, shape, values)
    done = arrays(operation, 'in.npy', 'out.npy', f'--backend={backend}', *flags(operation, options))
    equal((done.returncode, done.stderr), (0, b''), f'{operation} of {descr} {shape}')
    expect(operation, descr, shape, values, 'out.npy', options)
    return done.stdout.decode()


no_gpu = arrays('sum', save('one.npy', '<f4', (1,), [1.0]), 'out.npy', '--backend', 'gpu')
gpu = no_gpu.returncode == 0
why_no_gpu = no_gpu.stderr.decode().strip().rpartition(': ')[2]


def check_backend(backend):
    def every_operation_type_and_shape():
        for operation in OPERATIONS:
            for descr in UNIT:
                for seed, shape in enumerate(SHAPES[backend]):
                    said = run(backend, operation, descr, shape, draw(descr, math.prod(shape), seed))
                    equal(said.startswith(f'backend {backend}'), True, said)
                    count = shape[0] if len(shape) == 2 else 1
                    equal(said.splitlines()[1:3], [f'rows {count}', f'columns {shape[-1]}'])

    def arrays_without_elements():
        for shape in ((0,), (0, 5), (3, 0), (0, 0)):
            for operation in OPERATIONS:
                wanting = {'max': 'greatest value', 'argmax': 'greatest value', 'quantiles': 'quantiles'}.get(operation)
                if wanting and (shape[0] > 0 or shape == (0,)) and shape[-1] == 0:
                    done = arrays(operation, save('in.npy', '<f4', shape, []), 'none.npy', '--backend', backend)
                    equal((done.returncode, done.stderr.decode()),
                          (2, f'arrays: a row without columns has no {wanting}\n'), (operation, shape))
                    equal(os.path.exists('none.npy'), False)
                else:
                    run(backend, operation, '<f8', shape, [])

    def nan_and_infinities():
        inf, nan = math.inf, math.nan
        lines = [[1, nan, 2, nan], [inf, 1, inf, 0], [-inf, -inf, -inf, -inf], [-inf, 3, -inf, 4], [1, -inf, inf, 2],
                 [5, 5, 5, 5], [-1, -2, -1, -3], [0.0, -0.0, 0.0, -0.0], [1e4, -1e4, 1e4, 0],
                 [2.5, -1, 2.4375, -1.0625]]
        for descr in UNIT:
            for operation in OPERATIONS:
                run(backend, operation, descr, (len(lines), 4), [x for line in lines for x in line])

    def every_float16():
        """Each value is its own maximum, including NaNs and subnormal numbers."""
        data = struct.pack('<65536H', *range(65536))
        write('in.npy', file_of(header_of('<f2', (65536, 1)), data))
        equal(arrays('max', 'in.npy', 'out.npy', '--backend', backend).returncode, 0)
        descr, shape, got = load('out.npy')
        equal((descr, shape), ('<f2', (65536,)))
        for bits, (out,) in enumerate(struct.iter_unpack('<H', got)):
            is_nan = bits & 0x7fff > 0x7c00
            equal((out & 0x7fff > 0x7c00) if is_nan else out, True if is_nan else bits, hex(bits))

    def bins_at_their_edges():
        for descr in UNIT:
            for bins, lower, upper in ((1, 0, 1), (3, 0.1, 0.7), (256, -1, 1), (1000, 0.1, 0.7), (65536, 0, 1)):
                edges = [lower + (upper - lower) * b / min(bins, 1000) for b in range(min(bins, 1000) + 1)]
                values = [rounded(descr, x * f) for x in edges for f in (1, 1 + 2 * UNIT[descr], 1 - UNIT[descr])]
                options = {'bins': bins, 'lower': lower, 'upper': upper}
                run(backend, 'histogram', descr, (3, len(edges)), values, options)

    def epsilon():
        values = [1.0, 2.0, 3.0, 4.0]
        save('in.npy', '<f8', (4,), values)
        equal(arrays('layer_norm', 'in.npy', 'out.npy', '--backend', backend, '--epsilon', 0.5).returncode, 0)
        for got, expected in zip(values_of('out.npy')[2], layer_norm(values, 0.5)):
            close(got, expected, 1e-14, 'layer_norm')

    def what_is_said():
        save('in.npy', '<f2', (3, 4), [0.0] * 12)
        done = arrays('sum', 'in.npy', 'out.npy', '--backend', backend).stdout.decode()
        equal(done.partition('\n')[2], 'rows 3\ncolumns 4\nwrote float32 (3,)\n')
        done = arrays('histogram', 'in.npy', 'out.npy', '--backend', backend, '--bins', 7).stdout.decode()
        equal(done.partition('\n')[2], 'rows 3\ncolumns 4\nwrote uint64 (3, 7)\n')
        save('in.npy', '<f2', (4,), [0.0] * 4)
        done = arrays('max', 'in.npy', 'out.npy', '--backend', backend).stdout.decode()
        equal(done.partition('\n')[2], 'rows 1\ncolumns 4\nwrote float16 ()\n')

    def files_of_numpy():
        source = numpy.random.default_rng(1)
        for kind in (numpy.float16, numpy.float32, numpy.float64):
            for shape in SHAPES[backend]:
                x = source.normal(0, 2, shape).astype(kind)
                numpy.save('in.npy', x)
                for operation in OPERATIONS:
                    done = arrays(operation, 'in.npy', 'out.npy', '--backend', backend, *flags(operation, options_of(operation, shape[-1])))
                    equal((done.returncode, done.stderr), (0, b''), (operation, kind, shape))
                    got = numpy.load('out.npy')
                    numpy.save('again.npy', got)
                    equal(contents('again.npy') == contents('out.npy'), True, 'the same bytes as NumPy')
                    wide = x.astype(numpy.float64)
                    close_by = 2e-3 if kind == numpy.float16 else 1e-5
                    if operation == 'sum':
                        numpy.testing.assert_allclose(got, wide.sum(-1), close_by, 1e-3)
                    elif operation == 'max':
                        numpy.testing.assert_array_equal(got, x.max(-1))
                    elif operation == 'argmax':
                        numpy.testing.assert_array_equal(got, x.argmax(-1))
                    elif operation == 'softmax':
                        powers = numpy.exp(wide - wide.max(-1, keepdims=True))
                        numpy.testing.assert_allclose(got, powers / powers.sum(-1, keepdims=True), close_by, 1e-6)
                    elif operation == 'layer_norm':
                        apart = wide - wide.mean(-1, keepdims=True)
                        expected = apart / numpy.sqrt(wide.var(-1, keepdims=True) + 1e-5)
                        numpy.testing.assert_allclose(got, expected, close_by, 2e-3)
                    elif operation == 'scan':
                        numpy.testing.assert_allclose(got, wide.cumsum(-1), close_by, 2e-2 if kind == numpy.float16 else 1e-3)
                    elif operation == 'sort':
                        numpy.testing.assert_array_equal(got, numpy.sort(x, -1))
                    elif operation == 'topk':
                        numpy.testing.assert_array_equal(got, numpy.sort(x, -1)[..., ::-1][..., :12])
                    elif operation == 'quantiles':
                        q = numpy.array(options_of(operation, 1)['q'])
                        lower = numpy.sort(x, -1)[..., (q * (shape[-1] - 1)).astype(int)]
                        numpy.testing.assert_array_equal(got, lower)
                    elif operation == 'unique':
                        flat = x.ravel()
                        numpy.testing.assert_array_equal(got, flat[numpy.append(True, flat[1:] != flat[:-1])])
                    else:
                        equal(got.sum(-1).tolist(), ((x >= -1) & (x < 2.5)).sum(-1).tolist())

    for function in (every_operation_type_and_shape, arrays_without_elements, nan_and_infinities, every_float16,
                     bins_at_their_edges, epsilon, what_is_said, files_of_numpy):
        skip = None
        if backend == 'gpu' and not gpu:
            skip = f'needs a GPU: {why_no_gpu}'
        elif function is files_of_numpy and numpy is None:
            skip = 'needs NumPy'
        check(function, f'{backend} ', skip)


check_backend('cpu')
check_backend('gpu')

# ---- Files


@check
def every_version_and_spelling_of_the_header():
    data = packed('<f4', [1.0, 5.0, 2.0])
    for version in ((1, 0), (2, 0), (3, 0)):
        write('in.npy', file_of(header_of('<f4', (3,)), data, version))
        equal(arrays('max', 'in.npy', 'out.npy', '--backend', 'cpu').returncode, 0, version)
        equal(values_of('out.npy')[2], [5.0])
    for header in ("{'shape':(3,),'fortran_order':False,'descr':'<f4'}",
                   '{"descr": "<f4", "fortran_order": False, "shape": (3L,)}',
                   "  { 'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 3 , ) , }\n\n  ",
                   "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}"):
        write('in.npy', file_of(header, data, pad=False))
        equal(arrays('max', 'in.npy', 'out.npy', '--backend', 'cpu').returncode, 0, header)
        equal(values_of('out.npy')[2], [5.0])


def refused(data, why):
    done = arrays('sum', write('in.npy', data), 'none.npy', '--backend', 'cpu')
    equal((done.returncode, done.stdout), (1, b''), why)
    message = done.stderr.decode()
    equal(message.startswith('arrays: in.npy: ') and message.count('\n') == 1, True, message)
    equal(why in message, True, message)
    equal(os.path.exists('none.npy'), False)


@check
def files_that_are_no_arrays():
    refused(b'', "isn't a .npy file")
    refused(b'\x93NUMP', "isn't a .npy file")
    refused(b'PK\x03\x04' + bytes(100), "isn't a .npy file")
    refused(b'\x94NUMPY' + file_of(header_of('<f4', (1,)), bytes(4))[6:], "isn't a .npy file")
    refused(file_of(header_of('<f4', (1,)), bytes(4), (4, 0)), 'version 4.0')
    refused(file_of(header_of('<f4', (1,)), bytes(4), (1, 1)), 'version 1.1')
    refused(b'\x93NUMPY\x02\x00\xff\xff\xff\xff' + bytes(100), 'bad header: it has 4294967295 bytes')


@check
def files_that_end_early():
    whole = file_of(header_of('<f4', (2, 3)), bytes(24))
    for length in range(6, len(whole)):
        refused(whole[:length], 'truncated')
    refused(whole[:-1], '(2, 3) of float32 are 24 bytes, and there are 23')
    refused(file_of(header_of('<f8', (1 << 40,)), bytes(24)), 'and there are 24')


@check
def files_that_go_on():
    refused(file_of(header_of('<f4', (2, 3)), bytes(25)), 'more behind the 24 bytes')


@check
def other_types():
    for descr in ('<i4', '<i8', '|u1', '|b1', '<c8', '<f16', '|O', '<U5', 'f4', ''):
        refused(file_of(header_of(descr, (1,)), bytes(16)), f"its elements are '{descr}'")
    refused(file_of(header_of('>f4', (1,)), bytes(4)), 'big-endian')
    refused(file_of("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", bytes(4)), 'fields')


@check
def other_shapes():
    refused(file_of(header_of('<f4', ()), bytes(4)), '0 dimensions')
    refused(file_of(header_of('<f4', (2, 2, 2)), bytes(32)), '3 dimensions, (2, 2, 2)')
    refused(file_of(header_of('<f4', (2, 2), True), bytes(16)), 'Fortran order')
    refused(file_of(header_of('<f8', (1 << 32, 1 << 32)), bytes(16)), 'too large')
    refused(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"), 'too large')


@check
def headers_that_are_wrong():
    good = header_of('<f4', (1,))
    for header in ('', '{', '}', '{}', 'nonsense', good + 'x', good[:-1], good.replace('False', 'Maybe'),
                   good.replace('(1,)', '1'), good.replace('(1,)', '(-1,)'), good.replace('(1,)', '(1 1)'),
                   good.replace('(1,)', "('1',)"), good.replace("'descr'", "'dtype'"),
                   good.replace("'shape'", "'descr'"),
                   good.replace(':', ''), good.replace("'", ''), good.replace(',', ''),
                   "{'descr': '<f4', 'shape': (1,)}", "{'descr': '<f4"):
        refused(file_of(header, bytes(4)), 'bad header')
    source = random.Random(2)
    for _ in range(200):  # each of them must be reported
        text = bytearray(file_of(good, bytes(4)))
        for _ in range(source.randrange(1, 4)):
            text[source.randrange(10, 10 + len(good))] = source.randrange(256)
        done = arrays('sum', write('in.npy', bytes(text)), 'out.npy', '--backend', 'cpu')
        equal(done.returncode in (0, 1), True, (bytes(text), done))


@check
def files_that_cannot_be_read_or_written():
    done = arrays('sum', 'nowhere.npy', 'out.npy', '--backend', 'cpu')
    equal((done.returncode, done.stderr), (1, b'arrays: nowhere.npy: No such file or directory\n'))
    os.makedirs('folder', exist_ok=True)
    done = arrays('sum', 'folder', 'out.npy', '--backend', 'cpu')
    equal((done.returncode, done.stderr.startswith(b'arrays: folder: ')), (1, True), done.stderr)
    done = arrays('sum', 'one.npy', 'nowhere/out.npy', '--backend', 'cpu')
    equal((done.returncode, done.stderr), (1, b'arrays: nowhere/out.npy: No such file or directory\n'))
    done = arrays('sum', 'one.npy', '/dev/full', '--backend', 'cpu')
    equal((done.returncode, done.stderr), (1, b'arrays: /dev/full: No space left on device\n'))


@check
def the_output_may_be_the_input():
    save('same.npy', '<f4', (2, 2), [1.0, 1.0, 2.0, 2.0])
    equal(arrays('softmax', 'same.npy', 'same.npy', '--backend', 'cpu').returncode, 0)
    equal(values_of('same.npy')[2], [0.5] * 4)


# ---- Options


@check
def without_a_choice_the_gpu_is_used_if_there_is_one():
    for choice in ([], ['--backend', 'auto']):
        said = arrays('sum', 'one.npy', 'out.npy', *choice).stdout
        equal(said.startswith(b'backend gpu ' if gpu else b'backend cpu\n'), True, said)


@check
def gpu_where_there_is_none_is_an_error():
    if not gpu:
        equal((no_gpu.returncode, no_gpu.stdout), (2, b''))
        equal(no_gpu.stderr.decode(), f'arrays: --backend gpu: {why_no_gpu}\n')


@check
def a_wrong_name_is_answered_with_the_right_ones():
    said = arrays('softmx', 'one.npy', 'none.npy').stderr.decode()
    equal('softmx not in {argmax,histogram,layer_norm,max,quantiles,scan,softmax,sort,sum,topk,unique}' in said, True, said)


@check
def wrong_options_are_an_error():
    files = ['one.npy', 'none.npy']
    for arguments in ([], ['sum'], ['sum', 'one.npy'], ['median', *files], ['0', *files], ['sum', *files, 'more'],
                      ['sum', *files, '--backend', 'tpu'], ['sum', *files, '--nonsense'],
                      ['histogram', *files, '--bins', '0'], ['histogram', *files, '--bins', '65537'],
                      ['histogram', *files, '--bins', 'x'], ['histogram', *files, '--lower', '1'],
                      ['histogram', *files, '--lower', '2'], ['histogram', *files, '--upper', 'inf'],
                      ['histogram', *files, '--upper', 'nan'], ['histogram', *files, '--lower=-3e38', '--upper=3e38'],
                      ['sum', *files, '--bins', '3'], ['layer_norm', *files, '--upper', '3'],
                      ['histogram', *files, '--epsilon', '0.5'],
                      ['layer_norm', *files, '--epsilon=-1'], ['layer_norm', *files, '--epsilon=nan']):
        done = arrays(*arguments)
        equal((done.returncode, done.stdout, done.stderr != b''), (2, b'', True), arguments)
        equal(os.path.exists('none.npy'), False)


@check
def help_is_given():
    done = arrays('--help')
    equal(done.returncode, 0)
    for word in (b'--backend', b'--bins', b'layer_norm', b'float16', b'Exit status'):
        equal(word in done.stdout, True, word)


# ---- Run

failed = tap.run()
os.chdir('/')  # leaves the folder, so that it can be removed
sys.exit(failed)
