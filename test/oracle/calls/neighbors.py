"""Calls on values and their predecessors."""
from .collective import ALL_MEMORY, DIRECTION, MEMORY, WHERE_TO, WHO, Texts, call, collective, compare, model
from .orders import RARE_FIRST
from .values import LIKE_OTHERS, MOVED


@collective(example='adjacent_difference(tile, $x, $operator, $policy)',
            types=LIKE_OTHERS, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, **DIRECTION, **ALL_MEMORY)
def adjacent_difference(c):
    return Texts(call(c, 'adjacent_difference', c.x, c.op_text),
                 compare(model('adjacent_difference', c.size, c.xs, c.algebra, c.how)))


@collective(example='is_sorted(tile, $x, $order, $policy)',
            types=MOVED, items=(0, 1, 2, 3, 8), padded=True, **WHO, **WHERE_TO, **MEMORY)
def is_sorted(c):
    return Texts(call(c, 'is_sorted', c.x, RARE_FIRST), compare(model('is_sorted', c.size, c.xs, RARE_FIRST, c.how)))
