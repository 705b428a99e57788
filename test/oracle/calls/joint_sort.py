"""Merges and sorts of ranges."""
from .collective import MEMORY, ORDERED, Texts, after, call, collective, compare_memory, fill, model, range_of, untouched
from .orders import ORDERS
from .values import INTEGERS


@collective(example='joint_merge(tile, $in, 9 + $u, $in, 9, $out, $order, $policy)',
            store=False, types=ORDERED, form=tuple(ORDERS), memory_bytes=512, **MEMORY)
def joint_merge(c):
    half = f'{c.length} / 2'
    out = f't.drawn().out_begin(alignof({c.T}))'
    return Texts(call(c, 'joint_merge', c.range, half, f'{c.range} + {half}', f'{c.length} - {half}', f'c.out<{c.T}>()', c.before),
                 ' '.join([range_of(c), compare_memory(model('joint_merge', 'x', c.model_before), out),
                           untouched(after(out, 'x.size()', c.T))]),
                 fill(c, 'fill_halves', None, c.model_before))


def sorted_range(c):
    return Texts(call(c, c.collective, c.range, c.length, f'c.out<{c.T}>()', c.before),
                 range_of(c) + ' ' + compare_memory(model('joint_sort', 'x', c.model_before), f't.drawn().range_begin(alignof({c.T}))'),
                 fill(c))


@collective(example='joint_sort(tile, $out, 9 + $u, $out + 32, $order, $policy)',
            store=False, types=INTEGERS, form=('less', 'greater', 'std_less'), memory_bytes=512, **MEMORY)
def joint_sort(c):
    return sorted_range(c)


@collective(example='joint_stable_sort(tile, $out, 9 + $u, $out + 32, $order, $policy)',
            store=False, types=ORDERED, form=tuple(ORDERS), memory_bytes=512, **MEMORY)
def joint_stable_sort(c):
    return sorted_range(c)
