"""Loads and stores of a tile's items."""
from .collective import ORDER, Texts, after, call, collective, compare, compare_memory, fill, model, range_of, untouched
from .values import MOVED


@collective(example='load<4>(tile, $in, 9 + $u, $policy)',
            types=MOVED, items=(1, 2, 3, 4, 8, 16), form=('zero', 'fill'), padded=True, memory_bytes=512, **ORDER)
def load(c):
    filled = c.form == 'fill'
    own = [c.same_value(c.T, c.which)] if filled else []
    of_model = c.model_same_value(c.T, c.which) if filled else f'tessera::items<{c.T}, 1>{{}}[0]'
    return Texts(call(c, f'load<{c.items}>', c.range, c.length, *own),
                 range_of(c) + ' ' + compare(model(f'load<{c.items}>', c.size, 'x', 't.lanes()', of_model, c.striped)), fill(c))


@collective(example='store(tile, 1, $out, 9 + $u, $policy)',
            store=False, types=MOVED, items=(0, 1, 2, 3, 4, 8), padded=True, memory_bytes=512, **ORDER)
def store(c):
    stored = model('store', c.size, c.xs, f't.drawn().count_of_range(sizeof({c.T}))', c.striped)
    return Texts(call(c, 'store', c.x, f'c.out<{c.T}>()', c.length),
                 f'auto const stored = {stored}; auto const begin = t.drawn().out_begin(alignof({c.T})); ' +
                 ' '.join([compare_memory('stored', 'begin'), untouched(0, 'begin'), untouched(after('begin', 'stored.size()', c.T))]))
