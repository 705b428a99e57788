"""Lanes with equal keys or labels."""
from .call import FEW
from .collective import MEMORY, WHERE_TO, WHO, Texts, call, collective, compare, model
from .values import VALUES

KEYS = ('bool', 'char', 'short', 'int', 'unsigned', 'long', 'float', 'double', 'map3', 'brackets')
LABELS = {'int': 'int', 'char': 'signed char', 'long': 'long long', 'affine': 'oracle::affine'}


def key(c):
    return c.value(c.T, FEW)


def keys(c):
    return c.values(c.T, FEW)


@collective(example='match_any(tile, 1, $policy)',
            types=KEYS, any_lanes=True, **WHO, **MEMORY)
def match_any(c):
    return Texts(call(c, 'match_any', key(c)),
                 compare(f'oracle::as_masks<{c.size}>({model("match_any", c.size, keys(c), c.how)})'))


@collective(example='peers(tile, 1, $policy)',
            types=KEYS, any_lanes=True, **MEMORY)
def peers(c):
    return Texts(call(c, 'peers', key(c)), compare(f'oracle::as_groups<{c.size}>({model("peers", c.size, keys(c))})'))


@collective(example='match_all(tile, 1, $policy)',
            types=KEYS, any_lanes=True, **WHO, **MEMORY)
def match_all(c):
    return Texts(call(c, 'match_all', key(c)), compare(model('match_all', c.size, keys(c), c.how)))


@collective(example='reduce_by_label(tile, 1, $x, $operator, $policy)',
            types=VALUES, ops=True, form=tuple(LABELS), bits=True, any_lanes=True, **WHO, **WHERE_TO, **MEMORY)
def reduce_by_label(c):
    label = LABELS[c.form], FEW, '2'
    return Texts(call(c, 'reduce_by_label', c.value(*label), c.x, c.op_text),
                 compare(model('reduce_by_label', c.size, c.values(*label), c.xs, c.algebra, c.how)))
