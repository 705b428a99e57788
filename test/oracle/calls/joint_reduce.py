"""Reductions, selections and predicates of ranges."""
from .collective import MEMORY, PLACEMENT, QUEUED, WHERE_TO, Texts, call, collective, compare, fill, model, range_of
from .orders import ORDERS
from .top_k import is_a_top_k
from .values import LIKE_OTHERS, MOVED, VALUES


def address(c):
    return f't.drawn().range_begin(alignof({c.T})) % 16'


@collective(example='joint_reduce(tile, $in, 9 + $u, $operator, $policy)',
            types=VALUES, ops=True, needs_identity=True, memory_bytes=512, **WHERE_TO, **MEMORY)
def joint_reduce(c):
    return Texts(call(c, 'joint_reduce', c.range, c.length, c.op_text),
                 range_of(c) + ' ' + compare(model('joint_reduce', c.size, 'x', address(c), c.algebra, c.how)), fill(c))


@collective(example='joint_transform_reduce(tile, $in, 9 + $u, $operator, $function, $policy)',
            types=LIKE_OTHERS, ops=True, needs_identity=True, memory_bytes=512, **WHERE_TO, **MEMORY)
def joint_transform_reduce(c):
    expected = model('joint_transform_reduce', c.size, 'x', address(c), c.algebra, '[](auto const& y, std::size_t) { return y; }', c.how)
    return Texts(call(c, 'joint_transform_reduce', c.range, c.length, c.op_text, '[](auto const& x, int i) { return i % 3 == 0 ? x : x; }'),
                 range_of(c) + ' ' + compare(expected), fill(c))


def reduce_from(c, name, *function):
    start = c.result_type, c.which
    expected = model('joint_reduce_from', c.size, 'x', address(c), c.algebra, c.model_same_value(*start), c.how)
    return Texts(call(c, name, c.range, c.length, c.op_text, *function, c.same_value(*start)), range_of(c) + ' ' + compare(expected), fill(c))


@collective(types=LIKE_OTHERS, ops=True, memory_bytes=512, **WHERE_TO, **MEMORY)
def joint_reduce_from(c):
    return reduce_from(c, 'joint_reduce')


@collective(types=LIKE_OTHERS, ops=True, memory_bytes=512, **WHERE_TO, **MEMORY)
def joint_transform_reduce_from(c):
    return reduce_from(c, 'joint_transform_reduce', '[](auto const& x) { return x; }')


def top_k(c, *function):
    return Texts(call(c, f'{c.collective}<{c.taken}>', c.range, c.length, c.before, *function),
                 range_of(c) + ' ' + is_a_top_k(c, 'x'), fill(c))


@collective(example='joint_top_k<1>(tile, $in, 9 + $u, $order, $policy)',
            types=QUEUED, form=tuple(ORDERS), memory_bytes=512, **PLACEMENT, **MEMORY)
def joint_top_k(c):
    return top_k(c)


@collective(example='joint_transform_top_k<1>(tile, $in, 9 + $u, $order, $function, $policy)',
            types=('int', 'float'), form=tuple(ORDERS), memory_bytes=512, **PLACEMENT, **MEMORY)
def joint_transform_top_k(c):
    return top_k(c, '[](auto const& x, int) { return x; }')


def predicate(c, own, of_model):
    return Texts(call(c, c.collective, c.range, c.length, own),
                 range_of(c) + ' ' + compare(model(c.collective, c.size, 'x', of_model, c.how)), fill(c))


@collective(example='joint_any_of(tile, $in, 9 + $u, $predicate, $policy)',
            types=MOVED, memory_bytes=512, **WHERE_TO)
def joint_any_of(c):
    return predicate(c, '[](auto const& x) { return oracle::is_rare(x); }',
                     '[](auto const& y, std::size_t) { return oracle::is_rare(y); }')


@collective(example='joint_all_of(tile, $in, 9 + $u, $predicate, $policy)',
            types=MOVED, memory_bytes=512, **WHERE_TO)
def joint_all_of(c):
    return predicate(c, '[](auto const& x) { return !oracle::is_rare(x); }',
                     '[](auto const& y, std::size_t) { return !oracle::is_rare(y); }')


@collective(example='joint_none_of(tile, $in, 9 + $u, $predicate, $policy)',
            types=MOVED, memory_bytes=512, **WHERE_TO)
def joint_none_of(c):
    return predicate(c, '[](auto const& x, int i) { return i % 2 == 0 && oracle::is_rare(x); }',
                     '[](auto const& y, std::size_t i) { return i % 2 == 0 && oracle::is_rare(y); }')
