"""Exchanges between lanes, and the orders of items."""
from .collective import ALL_MEMORY, MEMORY, Texts, call, collective, compare, model
from .values import MOVED


def moved(c, own=(), of_model=()):
    """Where the call has arguments after the value, they are `own` in the kernel and `of_model` in the model's call."""
    return Texts(call(c, c.collective, c.x, *own), compare(model(c.collective, c.size, c.xs, *of_model)))


def drawn(name, *arguments):
    """An argument that each tile draws."""
    text = f'{name}({", ".join(map(str, arguments))})'
    return f'c.{text}', f't.drawn().{text}'


@collective(example='shuffle(tile, $x, 0, $policy)',
            types=MOVED, items=(0, 1, 2, 3), any_lanes=True, **ALL_MEMORY)
def shuffle(c):
    return moved(c, ['c.own_source()'], ['t.sources()'])


@collective(example='broadcast(tile, $x, $u, $policy)',
            types=MOVED, items=(0, 1, 2, 3), padded=True, **ALL_MEMORY)
def broadcast(c):
    own, of_model = drawn('source')
    return moved(c, [own], [of_model])


@collective('shift_up', 'shift_down', example='$name(tile, $x, $u, $policy)',
            types=MOVED, items=(0, 1, 3), form=('own', 'fill', 'by_one'), any_lanes=True, **ALL_MEMORY)
def shift(c):
    own, of_model = ('1', '1') if c.form == 'by_one' else drawn('delta')
    if c.form != 'fill':
        return moved(c, [own], [of_model])
    fill = c.X, c.which
    of_lanes = f'oracle::model::list<{c.X}>(t.lanes(), {c.model_same_value(*fill)})'
    return moved(c, [own, c.same_value(*fill)], [of_model, of_lanes])


@collective(example='rotate(tile, $x, static_cast<int>($u), $policy)',
            types=MOVED, items=(0, 1, 3), **ALL_MEMORY)
def rotate(c):
    own, of_model = drawn('offset')
    return moved(c, [own], [of_model])


@collective(example='reverse(tile, $x, $policy)',
            types=MOVED, items=(0, 1, 2, 3), **ALL_MEMORY)
def reverse(c):
    return moved(c)


@collective(example='butterfly(tile, $x, $u, $policy)',
            types=MOVED, items=(0, 1, 3), **ALL_MEMORY)
def butterfly(c):
    own, of_model = drawn('mask')
    return moved(c, [own], [of_model])


@collective(example='exchange_items(tile, items<float, 4>{{1, 2, 3, 4}}, 1, 0, $u, $policy)',
            types=MOVED, items=(1, 2, 3, 4), **ALL_MEMORY)
def exchange_items(c):
    arguments = drawn('mask'), drawn('index', c.items, 1), drawn('index', c.items, 2)
    return moved(c, *zip(*arguments))


@collective('striped_to_blocked', 'blocked_to_striped', example='$name(tile, items<float, 4>{{1, 2, 3, 4}}, $policy)',
            types=MOVED, items=(1, 2, 3, 4, 8, 16), **MEMORY)
def other_order(c):
    return moved(c)


@collective(example='transpose(tile, items<float, 4>{{1, 2, 3, 4}}, $policy)',
            types=MOVED, items=(1, 2, 4, 5, 8, 16, 32), **MEMORY)
def transpose(c):
    return moved(c)
