"""Scans of ranges."""
from .collective import MEMORY, SCANS, Texts, call, collective, compare, compare_memory, element, fill, model, range_of
from .joint_reduce import address
from .values import LIKE_OTHERS, VALUES

RANGE = dict(ops=True, form=('apart', 'in_place'), memory_bytes=512, **SCANS, **MEMORY)
TRANSFORM = '[](auto x, int i) { if (i == 2) x = decltype(x){}; return x; }'


def scan(c, name, own=(), of_model=(), transformed=False):
    """`own` and `of_model` come after the operator, in the kernel and in the model's call of `name`."""
    R = c.result_type
    in_place = c.form == 'in_place'
    if transformed:
        x = range_of(c, const='') + ' if (x.size() > 2) x[2] = decltype(x)::value_type{};'
    else:
        x = range_of(c)
    total = compare(f'oracle::model::lanes<{R}>(t.lanes(), all.total)') if c.extra == 'with_total' else ''
    begin = f't.drawn().{"range_begin" if in_place else "out_begin"}(alignof({R}))'
    all_ = model(name, c.size, 'x', address(c), c.algebra, *of_model, c.how)
    kernel = call(c, c.collective.removesuffix('_from'), c.range, f'c.length(sizeof({element(c)}))',
                  c.range if in_place else f'c.out<{R}>()', c.op_text, *own)
    return Texts(kernel, f'{x} auto const all = {all_}; {total} {compare_memory("all.out", begin)}', fill(c))


def scan_from(c, name, *function, transformed=False):
    start = c.result_type, c.which
    return scan(c, name, [*function, c.same_value(*start)], [c.model_same_value(*start)], transformed)


@collective(example='joint_inclusive_scan(tile, $in, 9 + $u, $out, $operator, $policy)',
            types=VALUES, **RANGE)
def joint_inclusive_scan(c):
    return scan(c, 'joint_inclusive_scan')


@collective(example='joint_exclusive_scan(tile, $in, 9 + $u, $out, $operator, $policy)',
            types=VALUES, needs_identity=True, **RANGE)
def joint_exclusive_scan(c):
    return scan(c, 'joint_exclusive_scan')


@collective(types=LIKE_OTHERS, **RANGE)
def joint_exclusive_scan_from(c):
    return scan_from(c, 'joint_exclusive_scan')


@collective(types=LIKE_OTHERS, **RANGE)
def joint_inclusive_scan_from(c):
    return scan_from(c, 'joint_inclusive_scan')


@collective(example='joint_transform_inclusive_scan(tile, $in, 9 + $u, $out, $operator, $function, $policy)',
            types=LIKE_OTHERS, **RANGE)
def joint_transform_inclusive_scan(c):
    return scan(c, 'joint_inclusive_scan', [TRANSFORM], transformed=True)


@collective(example='joint_transform_exclusive_scan(tile, $in, 9 + $u, $out, $operator, $function, $policy)',
            types=LIKE_OTHERS, **RANGE)
def joint_transform_exclusive_scan(c):
    return scan_from(c, 'joint_exclusive_scan', TRANSFORM, transformed=True)
