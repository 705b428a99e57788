"""Votes, and calls that one lane makes for all."""
from .collective import ALL_MEMORY, WHERE_TO, WHO, Texts, call, collective, compare, model
from .values import MOVED

VOTE = dict(padded=True, **WHO, **WHERE_TO, **ALL_MEMORY)


@collective(example='ballot(tile, true, $policy)',
            **VOTE)
def ballot(c):
    masks = f'oracle::as_masks<{c.size}>({model("ballot", c.size, "t.preds(1)", c.how)})'
    return Texts(call(c, 'ballot', 'c.pred(1)'), compare(masks))


@collective('any_of', 'all_of', 'none_of', 'count_if', example='$name(tile, true, $policy)',
            **VOTE)
def vote(c):
    return Texts(call(c, c.collective, 'c.pred(1)'), compare(model(c.collective, c.size, 't.preds(1)', c.how)))


@collective(example='elect(tile, $policy)',
            padded=True, **WHO, **ALL_MEMORY)
def elect(c):
    return Texts(call(c, 'elect'), compare(model('elect', c.size, c.how)))


@collective(example='invoke_one(tile, $action, $policy)',
            types=MOVED, padded=True, **WHERE_TO, **ALL_MEMORY)
def invoke_one(c):
    return Texts(call(c, 'invoke_one', f'[&] {{ return {c.x}; }}'), compare(model('invoke_one', c.size, c.xs, c.how)))
