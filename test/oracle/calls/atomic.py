"""Atomic updates of a cell, by all lanes together or by each lane."""
from .collective import ALL_MEMORY, METHODS, WHO, Texts, call, collective, compare_memory, model, that, untouched

ATOMIC = ('short', 'int', 'unsigned', 'long', 'float', 'double', 'affine', 'half', 'bfloat16')


def cell(c):
    return f'c.memory<{c.T}>()'


def store_start(c, which):
    """Stores what the cell holds before the launch."""
    return f'auto const start = at.value<{c.T}>(0, {which}, 0, 3); std::memcpy(memory, &start, sizeof start);'


def compare_cell(c, expected):
    return compare_memory(f'oracle::model::list<{c.T}>{{{expected}}}') + ' ' + untouched(f'sizeof({c.T})')


@collective(example='atomic_reduce(tile, $out, 1, $operator, $policy)',
            store=False, types=ATOMIC, ops=True, padded=True, memory_bytes=16, bits=True, **WHO, **METHODS, **ALL_MEMORY)
def atomic_reduce(c):
    expected = model('atomic_reduce', c.size, c.model_same_value(c.T, c.which), c.xs, c.algebra, c.how)
    return Texts(call(c, 'atomic_reduce', cell(c), c.x, c.op_text), compare_cell(c, expected),
                 f'oracle::fill_range<{c.T}>(at, memory, 1, {c.which}); ' + store_start(c, c.which))


@collective(store=False, types=ATOMIC, ops=True, memory_bytes=16, commuting=True, convergence=None)
def atomic_update(c):
    update = f'cell = {model("atomic_update", "cell", "x", c.algebra)}; '
    return Texts(f'tessera::atomic_update({cell(c)}, {c.x}, {c.op_text})',
                 f'auto cell = {c.model_same_value(c.T, c.which)}; for ({c.T} const x : {c.xs}) ' + update + compare_cell(c, 'cell'),
                 store_start(c, c.which))


def swaps(c, left):
    """Whether the values that the lanes got, and those that they left, follow each other."""
    follow = model('follow_each_other', c.model_same_value(c.T, c.swapped), 'held', left, f't.held<{c.T}>()')
    return (f'auto const held = t.results<{c.T}>(); ' + that(follow, "the lanes' exchanges follow each other in no order") + ' ' +
            untouched(f'sizeof({c.T})'))


@collective(types=ATOMIC, memory_bytes=16, convergence=None)
def atomic_exchange(c):
    return Texts(f'tessera::atomic_exchange({cell(c)}, {c.value(c.T, c.swapped)})', swaps(c, c.values(c.T, c.swapped)),
                 store_start(c, c.swapped))


@collective(types=ATOMIC, memory_bytes=16, convergence=None)
def atomic_compare_exchange(c):
    left = model('swapped', 'held', c.values(c.T, c.swapped, '2'), c.values(c.T, c.swapped))
    return Texts(f'tessera::atomic_compare_exchange({cell(c)}, {c.value(c.T, c.swapped, "2")}, {c.value(c.T, c.swapped)})',
                 swaps(c, left), store_start(c, c.swapped))
