"""Scans, reductions and sorts of a tile's segments."""
from .call import FEW
from .collective import FIRST_VALUES, MEMORY, ORDERED, SCANS, WHERE_TO, WHO, Texts, call, collective, compare, compare_scan, model
from .values import VALUES

FORMS = ('head', 'by_head', 'by_tail', 'by_key')  # how a call says where segments begin
FORM_OF_SORT = {'less': 'by_key', 'greater': 'by_head', 'std_less': 'head', 'rare': 'by_tail'}  # the form of a sort is its order


def segments(c, form):
    """The segments, for the kernel and for the model."""
    if form == 'by_key':
        return f'tessera::by_key({c.value("int", FEW, "2")})', model('by_key', c.values('int', FEW, '2'))
    if form == 'head':
        return 'c.pred(1)', model('by_head', 't.preds(1)')
    return f'tessera::{form}(c.pred(1))', model(form, 't.preds(1)')


def segmented(c, compare_result):
    own, of_model = segments(c, c.form)
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


@collective(example='segmented_sort(tile, $x, true, $order, $policy)',
            types=ORDERED, form=tuple(FORM_OF_SORT), padded=True, **FIRST_VALUES, **MEMORY)
def segmented_sort(c):
    own, of_model = segments(c, FORM_OF_SORT[c.form])
    return Texts(call(c, c.collective, c.x, own, c.before), compare(model(c.collective, c.xs, of_model, c.model_before, c.sorted_n)))
