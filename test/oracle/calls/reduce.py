"""Reductions and scans of a tile's values."""
from .collective import (ALL_MEMORY, MEMORY, METHODS, PLACEMENT, SCANS, WHERE_TO, WHO, Texts, call, collective, compare, compare_scan,
                         compare_slots, model)
from .values import LIKE_OTHERS, VALUES

SCAN = dict(ops=True, items=(0, 1, 2, 3, 8), padded=True, **WHO, **METHODS, **SCANS, **MEMORY)


@collective(example='reduce(tile, $x, $operator, $policy)',
            types=VALUES, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, **WHO, **WHERE_TO, **METHODS, **ALL_MEMORY)
def reduce(c):
    return Texts(call(c, 'reduce', c.x, c.op_text), compare(model('reduce', c.size, c.xs, c.algebra, c.how)))


@collective(example='reduce_batch(tile, items<double, 4>{{1, 2, 3, 4}}, $operator, $policy)',
            types=VALUES, ops=True, items=(1, 2, 3, 4, 7, 8, 16, 33), bits=True, **PLACEMENT, **WHO, **METHODS, **ALL_MEMORY)
def reduce_batch(c):
    return Texts(call(c, 'reduce_batch', c.x, c.op_text), compare_slots(model('reduce_batch', c.size, c.xs, c.algebra, c.how)))


def scan(c, name, *start):
    return call(c, name, c.x, c.op_text, *start)


def scan_of_model(c, name, *start):
    return compare_scan(c, model(name, c.size, c.xs, c.algebra, *start, c.how))


def scan_from(c, name):
    start = c.result_type, c.which
    return Texts(scan(c, name, c.same_value(*start)), scan_of_model(c, name, c.model_same_value(*start)))


@collective(example='inclusive_scan(tile, $x, $operator, $policy)',
            types=VALUES, bits=True, **SCAN)
def inclusive_scan(c):
    return Texts(scan(c, 'inclusive_scan'), scan_of_model(c, 'inclusive_scan'))


@collective(example='exclusive_scan(tile, $x, $operator, $policy)',
            types=VALUES, needs_identity=True, bits=True, **SCAN)
def exclusive_scan(c):
    return Texts(scan(c, 'exclusive_scan'), scan_of_model(c, 'exclusive_scan'))


@collective(types=LIKE_OTHERS, bits=True, **SCAN)
def exclusive_scan_from(c):
    return scan_from(c, 'exclusive_scan')


@collective(types=LIKE_OTHERS, **SCAN)
def inclusive_scan_from(c):
    return scan_from(c, 'inclusive_scan')
