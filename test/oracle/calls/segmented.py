"""Scans and reductions of a tile's segments."""
from .call import FEW
from .collective import MEMORY, SCANS, WHERE_TO, WHO, Texts, call, collective, compare, compare_scan, model
from .values import VALUES

FORMS = ('head', 'by_head', 'by_tail', 'by_key')  # how a call says where segments begin


def segments(c):
    """The segments, for the kernel and for the model."""
    if c.form == 'by_key':
        return f'tessera::by_key({c.value("int", FEW, "2")})', model('by_key', c.values('int', FEW, '2'))
    if c.form == 'head':
        return 'c.pred(1)', model('by_head', 't.preds(1)')
    return f'tessera::{c.form}(c.pred(1))', model(c.form, 't.preds(1)')


def segmented(c, compare_result):
    own, of_model = segments(c)
    return Texts(call(c, c.collective, c.x, own, c.op_text),
                 compare_result(model(c.collective, c.size, c.xs, of_model, c.algebra, c.how)))


@collective(example='segmented_inclusive_scan(tile, $x, true, $operator, $policy)',
            types=VALUES, ops=True, form=FORMS, **WHO, **SCANS, **MEMORY)
def segmented_inclusive_scan(c):
    return segmented(c, lambda result: compare_scan(c, result))


@collective(example='segmented_exclusive_scan(tile, $x, true, $operator, $policy)',
            types=VALUES, ops=True, form=FORMS, needs_identity=True, **WHO, **SCANS, **MEMORY)
def segmented_exclusive_scan(c):
    return segmented(c, lambda result: compare_scan(c, result))


@collective(example='segmented_reduce(tile, $x, true, $operator, $policy)',
            types=VALUES, ops=True, form=FORMS, **WHO, **WHERE_TO, **MEMORY)
def segmented_reduce(c):
    return segmented(c, compare)
