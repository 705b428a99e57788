"""Selections of a tile's values."""
from .collective import (FIRST_VALUES, MEMORY, ORDERED, PLACEMENT, QUEUED, SORTED, WHO, Texts, call, collective, model, that)
from .orders import ORDERS

NOT_FIRST = "these aren't the first values"


def selected(c):
    """The lanes' results of top_k."""
    many = c.taken if c.placement != 'scattered' else (c.taken + c.size - 1) // c.size
    one = c.placement == 'scattered' and c.taken <= c.size
    return f't.results<{c.T if one else f"tessera::items<{c.T}, {many}>"}>()'


def is_a_top_k(c, values, n='1 << 30'):
    return that(model('is_a_top_k', c.size, c.taken, values, selected(c), c.model_before, n, c.how), NOT_FIRST)


@collective(example='top_k<1>(tile, $x, $order, $policy)',
            types=ORDERED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), **PLACEMENT, **FIRST_VALUES, **MEMORY)
def top_k(c):
    return Texts(call(c, f'top_k<{c.taken}>', c.x, c.before), is_a_top_k(c, c.xs, c.sorted_n))


@collective(example='top_k_queue<1, float, greater, tile_size_v<decltype(tile)> < 32 ? tile_size_v<decltype(tile)> : 32>{}.push(tile, $x, $policy)',
            types=QUEUED, items=(0, 1, 3, 8), form=tuple(ORDERS), **WHO)
def top_k_push(c):
    right = model('is_best_pushed', c.size, c.taken, c.xs, selected(c), c.model_before, c.how)
    return Texts(call(c, f'top_k_push<{c.taken}>', c.x, c.before, scope='oracle'), that(right, NOT_FIRST))


@collective(example='top_k_queue<1, float, greater, tile_size_v<decltype(tile)> < 32 ? tile_size_v<decltype(tile)> : 32>{}.best(tile, $policy)',
            types=QUEUED, items=(0, 1, 3, 8), form=tuple(ORDERS), **PLACEMENT, **MEMORY)
def top_k_best(c):
    return Texts(call(c, f'top_k_best<{c.taken}>', c.x, c.before, scope='oracle'), is_a_top_k(c, c.xs))


@collective(example='nth_element(tile, $x, $u, $order, $policy)',
            types=SORTED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **MEMORY)
def nth_element(c):
    place = c.all_values // 3
    right = model('is_an_nth_element', c.xs, place, f't.results<{c.T}>()', c.model_before, c.sorted_n)
    return Texts(call(c, 'nth_element', c.x, place, c.before), that(right, "this isn't the value of its place"))
