"""Searches of ranges."""
from .call import FEW
from .collective import ORDERED, Texts, call, collective, compare, fill, model, range_of
from .orders import ORDERS
from .values import HALVES, MOVED

SEARCHED = ('char', 'short', 'int', 'unsigned', 'long', 'float', 'double') + HALVES


@collective(example='find_if(tile, $in, 9 + $u, $predicate, $policy)',
            types=MOVED, memory_bytes=512)
def find_if(c):
    found = model('find_if', c.size, 'x', '[](auto const& y) { return oracle::is_rare(y); }', 't.lanes()')
    return Texts(call(c, 'find_if', c.range, c.length, '[](auto const& x) { return oracle::is_rare(x); }'),
                 range_of(c) + ' ' + compare(found), fill(c))


OF_MODEL = {'lower_bound': 'bound<false>', 'upper_bound': 'bound<true>', 'equal_range': 'equal_range', 'binary_search': 'is_there'}


@collective(*OF_MODEL, example='$name(tile, $in, 9 + $u, 3, $order, $policy)',
            types=SEARCHED, memory_bytes=512)
def bound(c):
    """The order comes before a policy, if the call has one."""
    less = ['tessera::less{}'] if c.policy(first_values=False) else []
    needle = c.T, c.which
    return Texts(call(c, c.collective, c.range, c.length, c.same_value(*needle), *less),
                 range_of(c) + ' ' + compare(model(OF_MODEL[c.collective], 'x', c.model_same_value(*needle), 't.lanes()')),
                 fill(c, 'fill_sorted_range'))


@collective(types=ORDERED, form=tuple(ORDERS), memory_bytes=512, convergence=None)
def merge_path(c):
    count = f'count_of_range(sizeof({c.T}))'
    half = f'c.{count} / 2'
    arguments = [c.range, half, f'{c.range} + {half}', f'c.{count} - {half}', f'c.diagonal(c.{count})', c.before]
    return Texts(f'tessera::merge_path({", ".join(arguments)})',
                 range_of(c) + ' ' + compare(model('merge_path', 'x', c.model_before, f't.diagonals(t.drawn().{count})')),
                 fill(c, 'fill_halves', None, c.model_before))


@collective(types=('char', 'short', 'int', 'unsigned', 'long'), memory_bytes=512)
def find_first(c):
    needle = c.T, FEW
    return Texts(call(c, 'find_first', c.range, c.length, c.same_value(*needle)),
                 range_of(c, FEW) + ' ' + compare(model('find_first', 'x', c.model_same_value(*needle), 't.lanes()')),
                 fill(c, 'fill_range', FEW))
