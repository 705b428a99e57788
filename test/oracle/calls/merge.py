"""Merges of two sorted rows of a tile, which lie in the halves of its memory."""
from .call import FEW
from .collective import MEMORY, ORDER, ORDERED, Texts, call, collective, compare, in_order, model
from .orders import ORDERS
from .values import MOVED

MERGE = dict(form=tuple(ORDERS), padded=True, memory_bytes=512, **ORDER, **MEMORY)


def row(c, T, half):
    """A lane's value or items of a row."""
    striped = ', true' if c.order == 'striped' else ''
    return f'c.row<{T}, {c.items or 0}>({half}{striped})'


def parts(c, T, which):
    return f'oracle::parts_of<{T}>(t.drawn(), t.lanes() * {c.items or 1}, {which}, {c.model_before})'


def fill_parts(c, T, which):
    return f'oracle::fill_parts<{T}>(at, memory, at.valid_count * {c.items or 1}, {which}, {c.model_before});'


@collective(example='merge(tile, $x, $x, $order, $policy)',
            types=ORDERED, items=(0, 1, 2, 3, 4, 8), **MERGE)
def merge(c):
    return Texts(call(c, 'merge', row(c, c.T, 0), row(c, c.T, 1), c.before),
                 compare(in_order(c, model('merge', c.xs, parts(c, c.T, c.which), c.model_before))),
                 fill_parts(c, c.T, c.which))


@collective(types=ORDERED, items=(0, 1, 2, 3), **MERGE)
def merge_counted(c):
    first, second = (f'{c.all_values} + 2, {what}' for what in (7, 8))
    merged = model('merge', c.xs, parts(c, c.T, c.which), c.model_before, f't.drawn().index({first})', f't.drawn().index({second})')
    return Texts(call(c, 'merge', row(c, c.T, 0), f'c.index({first})', row(c, c.T, 1), f'c.index({second})', c.before),
                 compare(in_order(c, merged)), fill_parts(c, c.T, c.which))


@collective(example='merge_by_key(tile, $x, 2, $x, 4, $order, $policy)',
            types=MOVED, items=(0, 1, 2, 3, 4), **MERGE)
def merge_by_key(c):
    second = c.T, c.which, '5'
    merged = model('merge_by_key', parts(c, 'int', FEW), c.blocked(c.xs), c.blocked(c.xs_of(*second)), c.model_before)
    return Texts(call(c, 'merge_by_key', row(c, 'int', 0), c.x, row(c, 'int', 1), c.x_of(*second), c.before) + '.values',
                 compare(in_order(c, merged)), fill_parts(c, 'int', FEW))
