"""Where values go: partitions, radix ranks, and runs of equal values."""
from .call import FEW
from .collective import COUNTED, FIRST_VALUES, MEMORY, Texts, call, collective, compare, compare_slots, model
from .orders import EQUALS
from .values import MOVED

RUNS = dict(types=MOVED, items=(0, 1, 2, 3, 4), padded=True, **FIRST_VALUES, **MEMORY)


def compare_positions(c, positions):
    return compare(model('as_positions', positions, c.xs))


@collective(example='partition(tile, true, $policy)',
            types=COUNTED, items=(0, 1, 2, 3, 8), padded=True, **FIRST_VALUES, **MEMORY)
def partition(c):
    return Texts(call(c, 'partition', f'oracle::is_odd({c.x})') + '.position',
                 compare_positions(c, model('even_behind', c.xs, c.sorted_n)))


@collective(example='scatter(tile, $x, tile.thread_rank(), $policy)',
            types=MOVED, items=(0, 1, 2, 3, 4, 8), padded=True, **MEMORY)
def scatter(c):
    items = c.items or 0
    return Texts(call(c, 'scatter', c.x, f'c.permuted<{items}>()'), compare(model('scatter', c.xs, f't.permutation({items})')))


@collective(example='radix_rank<4>(tile, 3, $policy)',
            types=COUNTED, items=(0, 1, 2, 3, 4), form=(1, 3, 4, 5, 6, 8), **FIRST_VALUES, **MEMORY)
def radix_rank(c):
    return Texts(call(c, f'radix_rank<{c.form}>', c.x) + '.rank',
                 compare_positions(c, model('radix_rank', c.form, c.xs, c.sorted_n)))


def runs(c, name, of_model):
    equal = EQUALS[c.form]
    return call(c, name, c.x, equal), model(of_model, c.xs, equal, c.sorted_n)


@collective(example='unique(tile, $x, $order, $policy)',
            form=tuple(EQUALS), **RUNS)
def unique(c):
    own, of_model = runs(c, 'unique', 'unique')
    return Texts(own + '.position', compare_positions(c, of_model))


@collective(example='run_length_encode(tile, $x, $order, $policy)',
            form=tuple(EQUALS), **RUNS)
def run_length_encode(c):
    own, of_model = runs(c, 'run_length_encode', 'lengths_of_runs')
    return Texts(own + '.length', compare_positions(c, of_model))


@collective(form=tuple(EQUALS), **RUNS)
def run_length_encode_values(c):
    own, of_model = runs(c, 'run_length_encode', 'values_of_runs')
    return Texts(own + '.value', compare(of_model))


@collective(example='run_length_decode(tile, $x, 2u, $u, $policy)',
            form=(1, 2, 3), **RUNS)
def run_length_decode(c):
    own = f'oracle::length_of({c.x_of("int", FEW, "2")})'
    of_model = f'oracle::lengths_of({c.xs_of("int", FEW, "2")})'
    return Texts(call(c, f'run_length_decode<{c.form}>', c.x, own, 'c.index(9, 6)') + '.value',
                 compare_slots(model('decoded_runs', c.xs, of_model, c.form, 't.drawn().index(9, 6)', c.sorted_n)))
