"""Compaction, histograms and counters."""
from .call import FEW
from .collective import (ALL_MEMORY, COUNTED, MEMORY, METHODS, WHO, Texts, after, call, collective, compare, compare_memory,
                         compare_slots, model, untouched)
from .match import key, keys
from .values import MOVED

OUT = 64  # where a compaction's values begin


def kept(c):
    """The lanes' values that a compaction keeps, for the model."""
    return f'auto const kept = {model("compact", c.size, c.xs, "t.preds(1)", c.how)}; '


def untouched_after_kept(c):
    return untouched(after(OUT, 'kept.size()', c.T))


@collective(example='compact(tile, 1, true, $out, $policy)',
            types=MOVED, padded=True, memory_bytes=128, **WHO, **ALL_MEMORY)
def compact(c):
    counts = 'oracle::model::lanes<unsigned>(t.lanes(), static_cast<unsigned>(kept.size()))'
    return Texts(call(c, 'compact', c.x, 'c.pred(1)', f'c.memory<{c.T}>({OUT})'),
                 kept(c) + ' '.join([compare(counts), compare_memory('kept', OUT), untouched(0, OUT), untouched_after_kept(c)]))


@collective(example='compact(tile, 1, true, $out, $out + 32, $policy)',
            types=MOVED, padded=True, memory_bytes=128, **WHO, **MEMORY)
def compact_append(c):
    where = 'oracle::model::lanes<tessera::appended<unsigned>>(t.lanes(), tessera::appended<unsigned>{0, count})'
    count = 'auto const count = static_cast<unsigned>(kept.size()); '
    checks = [compare(where), compare_memory('oracle::model::list<unsigned>{count}'), compare_memory('kept', OUT), untouched(4, OUT),
              untouched_after_kept(c)]
    return Texts(call(c, 'compact', c.x, 'c.pred(1)', f'c.memory<{c.T}>({OUT})', 'c.memory<unsigned>()'),
                 kept(c) + count + ' '.join(checks), 'std::memset(memory, 0, 4);')


@collective(example='histogram<8>(tile, 1, $policy)',
            types=COUNTED, form=(1, 4, 16, 33), placement=('to_all', 'scattered'), **WHO, **MEMORY)
def histogram(c):
    return Texts(call(c, f'histogram<{c.form}>', key(c)), compare_slots(model('histogram', c.size, c.form, keys(c), c.how)))


COUNTERS = 40


@collective(example='aggregated_add(tile, $out, 1, 1, $policy)',
            store=False, types=('int', 'unsigned', 'long', 'float', 'double'), form=('int', 'unsigned', 'long', 'count'), memory_bytes=384,
            any_lanes=True, **WHO, **METHODS)
def aggregated_add(c):
    """With `count` each participant adds one."""
    label = {'unsigned': 'unsigned', 'long': 'long long'}.get(c.form, 'int')
    own = [] if c.form == 'count' else [c.value(c.T, c.which)]
    of_model = [] if c.form == 'count' else [c.xs]
    counters = f'oracle::range_of<{c.T}>(t.drawn(), {COUNTERS}, {c.which})'
    expected = model(f'aggregated_add<{c.T}, {label}>', c.size, counters, 'keys', *of_model, c.how)
    collected = (f'oracle::model::list<{label}> keys; for ({label} k : {c.values(label, FEW, "2")}) '
                 f'keys.push_back(static_cast<{label}>(k % {COUNTERS})); ')
    return Texts(call(c, 'aggregated_add', f'c.memory<{c.T}>()', f'{c.value(label, FEW, "2")} % {COUNTERS}', *own),
                 collected + compare_memory(expected) + ' ' + untouched(f'{COUNTERS} * sizeof({c.T})'),
                 f'oracle::fill_range<{c.T}>(at, memory, {COUNTERS}, {c.which});')
