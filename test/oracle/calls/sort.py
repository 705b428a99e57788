"""Sorts of a tile's values."""
from .call import FEW
from .collective import FIRST_VALUES, MEMORY, ORDER, ORDERED, SORTED, Texts, call, collective, compare, in_order, model, that
from .orders import ORDERS

SORT = dict(items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **ORDER, **MEMORY)


def results(c):
    return c.blocked(f't.results<{c.X}>()')


def by_key(c, name):
    return call(c, name, c.x_of('int', FEW, '2'), c.x, c.before) + '.values'


def keys(c):
    return c.blocked(c.xs_of('int', FEW, '2'))


@collective(example='sort(tile, $x, $order, $policy)',
            types=SORTED, **SORT)
def sort(c):
    right = model('is_a_sort', c.blocked(c.xs), results(c), c.model_before, c.sorted_n)
    return Texts(call(c, 'sort', c.x, c.before), that(right, "the values aren't in order"))


@collective(example='stable_sort(tile, $x, $order, $policy)',
            types=ORDERED, **SORT)
def stable_sort(c):
    return Texts(call(c, 'stable_sort', c.x, c.before),
                 compare(in_order(c, model('stable_sort', c.size, c.blocked(c.xs), c.model_before, c.sorted_n))))


@collective(example='sort_by_key(tile, $x, 2, $order, $policy)',
            types=SORTED, **SORT)
def sort_by_key(c):
    right = model('is_a_sort_by_key', keys(c), c.blocked(c.xs), results(c), c.model_before, c.sorted_n)
    return Texts(by_key(c, 'sort_by_key'), that(right, "the values aren't in their keys' order"))


@collective(example='stable_sort_by_key(tile, $x, 2, $order, $policy)',
            types=ORDERED, **SORT)
def stable_sort_by_key(c):
    values = model('stable_values_by_key', c.size, keys(c), c.blocked(c.xs), c.model_before, c.sorted_n)
    return Texts(by_key(c, 'stable_sort_by_key'), compare(in_order(c, values)))
