#!/usr/bin/env python3
"""A table of everything that the library promises, and random programs over it, each of which has a few consecutive calls.

A call is a choice in each dimension: collective, kind of tile, size, type, operator, items, form, the eight kinds of policy, and
the flow, which is how often the tiles of the block make the call. The table COLLECTIVES has an entry for each collective, with the
choices that it takes and the text of the call and of the model's call. RULES lists the combinations that don't exist, with the
reasons. Every other combination is promised, so it is generated.

`generate.py --out FOLDER` writes the fixed set: programs in which each pair of choices occurs that the rules allow, programs for
blocks of every size, and a list of the pairs, so that the run can check that each pair occurred.
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pairs import Table, rule  # noqa: E402

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
KINDS = ('part', 'nested', 'block', 'padded')  # a part of the block, a part of a tile, the block, a padded block tile
MOST_SCRATCH = 20 * 1024   # bytes of scratch in one program
MOST_SHARED = 46 * 1024    # including the library's own memory; a kernel may declare 48 KiB

# ---- Types and operators

INTEGERS = ('char', 'short', 'int', 'unsigned', 'long')
FLOATS = ('float', 'double')
HALVES = ('half', 'bfloat16')
NUMBERS = INTEGERS + FLOATS
MONOIDS = ('map3', 'affine', 'brackets', 'upper2', 'matrix2', 'matrix4')
TYPES = {  # the name in C++, and the size in bytes
    'bool': ('bool', 1), 'char': ('signed char', 1), 'short': ('short', 2), 'int': ('int', 4), 'unsigned': ('unsigned', 4),
    'long': ('long long', 8), 'float': ('float', 4), 'double': ('double', 8),
    'map3': ('oracle::map3', 3), 'affine': ('oracle::affine', 8), 'brackets': ('oracle::brackets', 8),
    'upper2': ('oracle::upper2', 12), 'matrix2': ('oracle::matrix2', 16), 'matrix4': ('oracle::matrix4', 64),
    'indexed': ('tessera::indexed<float, int>', 8), 'indexed_long': ('tessera::indexed<int, long long>', 16),
    'min_max': ('tessera::min_max<float>', 8), 'zipped': ('tessera::zipped<int, float>', 8),
    # The following types are only for calls that take an operator. Exchanges treat them like other types of their size.
    'half': ('__half', 2), 'bfloat16': ('__nv_bfloat16', 2),
    'named': ('tessera::zipped<float, int, short>', 12), 'ends': ('tessera::min_max<tessera::indexed<float, int>>', 16),
    'moments': ('tessera::moments<float>', 12), 'exp_sum': ('tessera::exp_sum<double>', 16),
    'recurrence': ('tessera::affine_map<float>', 8), 'recurrence_long': ('tessera::affine_map<long long>', 16),
    'attention': ('tessera::exp_sum<float, tessera::items<float, 3>>', 20),
    'best3': ('tessera::selection<float, 3>', 12), 'best2': ('tessera::selection<tessera::indexed<float, int>, 2>', 16),
}
VALUES = tuple(TYPES)
MOVED = VALUES[:VALUES.index('half')]
LIKE_OTHERS = MOVED + ('bfloat16', 'attention', 'best3')  # for collectives that differ from another by a start or a function only
WITHIN_ERROR = ('moments', 'exp_sum', 'attention')  # results are compared within the error of their arithmetic


class Operator:
    def __init__(self, text, types, identity=True, commutes=True, model=None):
        self.text, self.types, self.identity, self.commutes = text, types, identity, commutes
        self.model = model or text


def lambda_of(body):
    return lambda t: f'[]({t} a, {t} b) {{ return {body}; }}'


OPERATORS = {
    'plus': Operator('tessera::plus{}', ('bool',) + NUMBERS + HALVES),
    'std_plus': Operator('std::plus<>{}', NUMBERS, model='tessera::plus{}'),
    'multiplies': Operator('tessera::multiplies{}', ('bool',) + NUMBERS + HALVES),
    'minimum': Operator('tessera::minimum{}', ('bool',) + NUMBERS + HALVES),
    'maximum': Operator('tessera::maximum{}', ('bool',) + NUMBERS + HALVES),
    'minimum_number': Operator('tessera::minimum_number{}', ('int',) + FLOATS + HALVES),
    'maximum_number': Operator('tessera::maximum_number{}', ('char',) + FLOATS + HALVES),
    'bit_and': Operator('tessera::bit_and{}', ('bool',) + INTEGERS),
    'bit_or': Operator('tessera::bit_or{}', ('bool',) + INTEGERS),
    'bit_xor': Operator('tessera::bit_xor{}', ('bool',) + INTEGERS),
    'logical_and': Operator('tessera::logical_and{}', ('bool', 'int')),
    'logical_or': Operator('tessera::logical_or{}', ('bool', 'int')),
    'argmin': Operator('tessera::argmin{}', ('indexed', 'indexed_long', 'named')),
    'argmax': Operator('tessera::argmax{}', ('indexed', 'indexed_long', 'named')),
    'minmax': Operator('tessera::minmax{}', ('min_max', 'ends')),
    'smallest': Operator('tessera::smallest{}', ('best3', 'best2')),
    'largest': Operator('tessera::largest{}', ('best3', 'best2')),
    'welford': Operator('tessera::welford{}', ('moments',), commutes=False),
    'affine': Operator('tessera::affine{}', ('recurrence', 'recurrence_long'), commutes=False),
    'log_sum_exp': Operator('tessera::log_sum_exp{}', ('exp_sum', 'attention')),
    'zip': Operator('tessera::zip(tessera::plus{}, tessera::maximum{})', ('zipped',)),
    'joining': Operator(lambda t: f'oracle::joining<{t}>()', MONOIDS, commutes=False),  # has its identity
    'join': Operator('oracle::join{}', MONOIDS, identity=False, commutes=False),  # a function without an identity
    'adding': Operator(lambda t: f'oracle::adding<{t}>()', ('map3', 'upper2', 'matrix2', 'matrix4')),
    'take_first': Operator('oracle::take_first{}', ('char', 'long', 'double', 'map3', 'matrix2'), identity=False, commutes=False),
    'take_last': Operator('oracle::take_last{}', ('short', 'unsigned', 'float', 'upper2', 'matrix4'), identity=False, commutes=False),
    'lambda': Operator(lambda_of('a < b ? b : a'), INTEGERS, identity=False),
}


def values_of(type_name, op):
    """Returns the kind of values to draw for a type and operator, whose results have the same bits in any order."""
    if type_name in FLOATS + HALVES:
        return {'plus': 'exact', 'std_plus': 'exact', 'multiplies': 'unit'}.get(op, 'special')
    if op in ('smallest', 'largest'):
        return {'smallest': 'least', 'largest': 'greatest'}[op]
    if op in ('logical_and', 'logical_or') and type_name != 'bool':
        return 'truth'
    if type_name == 'recurrence':
        return 'exact'
    return 'special' if type_name in ('indexed', 'min_max', 'zipped', 'named', 'ends') else 'any'


# ---- Calls

DIMENSIONS = ('collective', 'kind', 'size', 'type', 'op', 'items', 'form', 'convergence', 'placement', 'participants', 'method',
              'direction', 'extra', 'order', 'memory', 'flow')
POLICIES = {
    'convergence': ('adaptive', 'converged', 'isolated'),
    'placement': ('to_all', 'to_leader', 'scattered'),
    'participants': ('everyone', 'first', 'where'),
    'method': ('automatic', 'shuffles', 'hardware'),
    'direction': ('prefix', 'suffix'),
    'extra': ('value_only', 'with_total'),
    'order': ('blocked', 'striped'),
    'memory': ('own', 'shared', 'fresh'),
}


class Call:
    """A choice in each dimension, or None in those that the collective doesn't have."""

    def __init__(self, **chosen):
        for dimension in DIMENSIONS:
            setattr(self, dimension, chosen.get(dimension))
        self.parent = None     # the size of the parent of a nested tile
        self.bits = False      # draws arbitrary floats, if the contract promises bits
        self.within_error = False  # set while the text of a comparison within an error is written
        self.scratch = None    # the name of the scratch

    def key(self):
        return tuple(getattr(self, d) for d in DIMENSIONS)

    @property
    def entry(self):
        return COLLECTIVES[self.collective]

    def features(self):
        return [f'{d} {getattr(self, d)}' for d in DIMENSIONS if getattr(self, d) is not None]

    # The values of the placeholders in the table's templates.
    @property
    def T(self):
        return TYPES[self.type][0]

    @property
    def bytes(self):
        return TYPES[self.type][1] * max(1, self.items or 0) if self.type else 4

    @property
    def result_type(self):
        return 'unsigned' if self.type == 'bool' and self.op == 'plus' else self.T

    @property
    def combined_type(self):
        """The type in which the model combines: a reduction of a range adds short integers as int."""
        of_range = self.collective in ('joint_reduce', 'joint_transform_reduce')
        return 'int' if of_range and self.type in ('char', 'short') and self.op in ('plus', 'std_plus') else self.T

    @property
    def which(self):
        return 'oracle::values::' + ('any' if self.bits else values_of(self.type, self.op))

    @property
    def x(self):
        return f'c.items<{self.T}, {self.items}>({self.which})' if self.items else f'c.value<{self.T}>({self.which})'

    @property
    def xs(self):
        return f't.items_of<{self.T}, {self.items}>({self.which})' if self.items else f't.values_of<{self.T}>({self.which})'

    @property
    def X(self):
        return f'tessera::items<{self.T}, {self.items}>' if self.items else self.T

    @property
    def key_x(self):
        return f'c.value<{self.T}>(oracle::values::few)'

    @property
    def keys(self):
        return f't.values_of<{self.T}>(oracle::values::few)'

    @property
    def before(self):
        return ORDERS[self.form][0].replace('{{', '{').replace('}}', '}')

    @property
    def model_before(self):
        return ORDERS[self.form][1].replace('{{', '{').replace('}}', '}')

    @property
    def sort_keys(self):
        return f'c.items<int, {self.items}>(oracle::values::few, 2)' if self.items else 'c.value<int>(oracle::values::few, 2)'

    @property
    def model_keys(self):
        return f't.items_of<int, {self.items}>(oracle::values::few, 2)' if self.items else 't.values_of<int>(oracle::values::few, 2)'

    @property
    def X2(self):
        """The type of twice as many values."""
        return f'tessera::items<{self.T}, {2 * (self.items or 1)}>'

    @property
    def second(self):
        """Another value or items of each lane, for the model, too."""
        return {k: v.replace(f'({self.which})', f'({self.which}, 5)') for k, v in (('x2', self.x), ('xs2', self.xs))}

    def reordered(self, values):
        """Values of the model that lanes have in the policy's order, in blocked order."""
        return f'oracle::model::from_striped({values})' if self.order == 'striped' else values

    @property
    def sorted_n(self):
        """How many values take part where first(n) counts values."""
        return f'oracle::values_of_first(t.drawn().n(), {self.items or 1})' if self.participants == 'first' else '1 << 30'

    @property
    def taken(self):
        """K of top_k<K>: one or few of the tile's values, or all; a queue holds 1024 at most."""
        all_values = self.size * (self.items or 1)
        if self.collective != 'top_k':
            all_values = min(all_values, 1024)
        chosen = (1, 2, 3, 8, 20, 40, all_values)[(SIZES.index(self.size) + (self.items or 0) + len(self.form or '')) % 7]
        lanes = self.size if self.placement == 'scattered' else 1
        return max(1, min(chosen, all_values, lanes * MANY_BYTES // TYPES[self.type][1]))

    @property
    def selected(self):
        """The type of a lane's result of top_k."""
        if self.placement != 'scattered':
            return f'tessera::items<{self.T}, {self.taken}>'
        return self.T if self.taken <= self.size else f'tessera::items<{self.T}, {(self.taken + self.size - 1) // self.size}>'

    @property
    def op_text(self):
        text = OPERATORS[self.op].text
        return text if isinstance(text, str) else text(self.T)

    @property
    def algebra(self):
        text = OPERATORS[self.op].model
        of = 'algebra_by_definition' if self.within_error else 'algebra_for'
        return f'oracle::model::{of}<{self.combined_type}>({text if isinstance(text, str) else text(self.T)})'

    @property
    def swapped(self):
        """Values that several lanes share, with the same bits."""
        return 'oracle::values::' + ('special' if self.type in FLOATS + HALVES else 'few')

    @property
    def combined(self):
        """The greatest number of values that a result combines, including an initial value and the cell."""
        if self.collective.startswith('joint'):
            return f't.drawn().count_of_range(sizeof({self.T})) + 2'
        return f't.lanes() * {max(1, self.items or 0)} + 2'

    def policy(self):
        words = []
        for kind, choices in POLICIES.items():
            choice = getattr(self, kind)
            if choice in (None, choices[0]):
                continue
            n = f'oracle::values_of_first(c.n(), {self.items or 1})' if self.entry.first_values else 'c.n()'
            words.append({'first': f'tessera::first({n})', 'where': 'tessera::where(c.pred())',
                          'shared': f'tessera::shared({self.scratch})',
                          'fresh': f'tessera::fresh({self.scratch})'}.get(choice, f'tessera::{choice}'))
        return ' | '.join(words)

    @property
    def p(self):
        """The policy as an additional argument."""
        policy = self.policy()
        return f', {policy}' if policy else ''

    @property
    def how(self):
        who = {'first': 'oracle::model::first(t.lanes(), t.drawn().n())',
               'where': 'oracle::model::where(t.preds())'}.get(self.participants, 'oracle::model::everyone(t.lanes())')
        suffix = 'true' if self.direction == 'suffix' else 'false'
        return f'oracle::model_of::with({who}, {suffix}, oracle::model::placement::{self.placement or "to_all"})'

    @property
    def N(self):
        return self.size


class Collective:
    """A row of the table."""

    def __init__(self, kernel, model, types=None, ops=False, items=None, form=None, padded=False, prepare=None, store=True,
                 memory_bytes=0, needs_identity=False, commuting=False, bits=False, least=1, **policies):
        self.first_values = policies.get('participants') == FIRST_VALUES['participants']  # first(n) counts values, of items too
        self.kernel, self.model, self.prepare = kernel, model, prepare
        self.padded, self.store, self.memory_bytes = padded, store, memory_bytes
        self.needs_identity, self.commuting, self.bits, self.least = needs_identity, commuting, bits, least
        self.domains = {
            'kind': KINDS if padded else KINDS[:3], 'size': SIZES, 'type': types, 'op': tuple(OPERATORS) if ops else None,
            'items': items, 'form': form, 'flow': ('together', 'some', 'apart', 'repeated'), 'convergence': POLICIES['convergence'],
            **policies,
        }


WHO = dict(participants=POLICIES['participants'])
FIRST_VALUES = dict(participants=('everyone', 'first'))
WHERE_TO = dict(placement=('to_all', 'to_leader'))
METHODS = dict(method=POLICIES['method'])
SCANS = dict(direction=POLICIES['direction'], extra=POLICIES['extra'])
MEMORY = dict(memory=('own', 'shared'))
ORDER = dict(order=POLICIES['order'])
ALL_MEMORY = dict(memory=POLICIES['memory'])
SEGMENTS = {'head': ('c.pred(1)', 'oracle::model::by_head(t.preds(1))'),
            'by_head': ('tessera::by_head(c.pred(1))', 'oracle::model::by_head(t.preds(1))'),
            'by_tail': ('tessera::by_tail(c.pred(1))', 'oracle::model::by_tail(t.preds(1))'),
            'by_key': ('tessera::by_key(c.value<int>(oracle::values::few, 2))',
                       'oracle::model::by_key(t.values_of<int>(oracle::values::few, 2))')}
LABELS = {'int': 'int', 'char': 'signed char', 'long': 'long long', 'affine': 'oracle::affine'}
KEYS = ('bool', 'char', 'short', 'int', 'unsigned', 'long', 'float', 'double', 'map3', 'brackets')
COUNTED = ('char', 'short', 'int', 'unsigned', 'long')
ATOMIC = ('short', 'int', 'unsigned', 'long', 'float', 'double', 'affine', 'half', 'bfloat16')
RANGE = '{T} const* const first = c.range<{T}>(); int const n = c.length(sizeof({T}));'
RANGE_XS = 'auto const x = oracle::range_of<{T}>(t.drawn(), t.drawn().count_of_range(sizeof({E})), {which});'
FILL_RANGE = 'oracle::fill_range<{T}>(at, memory + at.range_begin(alignof({T})), at.count_of_range(sizeof({E})), {which});'
ADDRESS = 't.drawn().range_begin(alignof({T})) % 16'
SWAP_START = 'auto const start = at.value<{T}>(0, {swapped}, 0, 3); std::memcpy(memory, &start, sizeof start);'
SWAPS = ('auto const held = t.results<{T}>(); '
         't.that(oracle::model::follow_each_other(t.same_value<{T}>({swapped}), held, LEFT, t.held<{T}>()), '
         '"the lanes\' exchanges follow each other in no order"); t.untouched(sizeof({T}), t.memory_bytes());')
FILL_PARTS = 'oracle::fill_parts<{T}>(at, memory, at.valid_count * {items_or_1}, {which}, {model_before});'
FILL_SORTED = FILL_RANGE.replace('fill_range', 'fill_sorted_range')
FILL_HALVES = FILL_RANGE.replace('fill_range', 'fill_halves').replace(');', ', {model_before});')
SEARCHED = ('char', 'short', 'int', 'unsigned', 'long', 'float', 'double') + HALVES
RANGE_SCANS = dict(prepare=FILL_RANGE, ops=True, form=('apart', 'in_place'), memory_bytes=512, **SCANS, **MEMORY)
TRANSFORMED = RANGE_XS.replace('auto const x', 'auto x') + ' if (x.size() > 2) x[2] = decltype(x)::value_type{{}};'

# An order that most values are in.
RARE_FIRST = '[](auto const& a, auto const& b) {{ return oracle::is_rare(a) && !oracle::is_rare(b); }}'

# The orders that sorts are drawn with, and what they are by definition.
ORDERS = {'less': ('tessera::less{{}}', 'oracle::model::rising{{}}'), 'greater': ('tessera::greater{{}}', 'oracle::model::falling{{}}'),
          'std_less': ('std::less<>{{}}', 'oracle::model::rising{{}}'), 'rare': (RARE_FIRST, RARE_FIRST)}
# Equivalence relations, with long and with short runs of random values.
EQUALS = {like: f'[](auto const& a, auto const& b) {{ return oracle::{like}(a) == oracle::{like}(b); }}' for like in ('is_rare', 'is_high')}
ORDERED = MOVED + HALVES  # for sorts, selections and merges, which order halves as numbers
SORTED = tuple(t for t in ORDERED if t != 'indexed_long')  # without padding, since results are compared by their bytes

# Calls that count values, not lanes.

QUEUED = ('char', 'int', 'float', 'double', 'map3', 'indexed', 'upper2') + HALVES

COLLECTIVES = {
    'reduce': Collective(
        'tessera::reduce(tile, {x}, {op_text}{p})', 't.compare(oracle::model::reduce({N}, {xs}, {algebra}, {how}));',
        types=VALUES, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, **WHO, **WHERE_TO, **METHODS, **ALL_MEMORY),
    'reduce_batch': Collective(
        'tessera::reduce_batch(tile, {x}, {op_text}{p})', 't.compare_slots(oracle::model::reduce_batch({N}, {xs}, {algebra}, {how}));',
        types=VALUES, ops=True, items=(1, 2, 3, 4, 7, 8, 16, 33), bits=True, placement=POLICIES['placement'], **WHO, **METHODS, **ALL_MEMORY),
    'inclusive_scan': Collective(
        'tessera::inclusive_scan(tile, {x}, {op_text}{p})', '{scan}(oracle::model::inclusive_scan({N}, {xs}, {algebra}, {how}){value});',
        types=VALUES, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, **WHO, **METHODS, **SCANS, **MEMORY),
    'exclusive_scan': Collective(
        'tessera::exclusive_scan(tile, {x}, {op_text}{p})', '{scan}(oracle::model::exclusive_scan({N}, {xs}, {algebra}, {how}){value});',
        types=VALUES, ops=True, items=(0, 1, 2, 3, 8), padded=True, needs_identity=True, bits=True, **WHO, **METHODS, **SCANS, **MEMORY),
    'exclusive_scan_from': Collective(
        'tessera::exclusive_scan(tile, {x}, {op_text}, c.same_value<{R}>({which}){p})',
        '{scan}(oracle::model::exclusive_scan({N}, {xs}, {algebra}, t.same_value<{R}>({which}), {how}){value});',
        types=LIKE_OTHERS, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, **WHO, **METHODS, **SCANS, **MEMORY),
    'inclusive_scan_from': Collective(
        'tessera::inclusive_scan(tile, {x}, {op_text}, c.same_value<{R}>({which}){p})',
        '{scan}(oracle::model::inclusive_scan({N}, {xs}, {algebra}, t.same_value<{R}>({which}), {how}){value});',
        types=LIKE_OTHERS, ops=True, items=(0, 1, 2, 3, 8), padded=True, **WHO, **METHODS, **SCANS, **MEMORY),
    'segmented_inclusive_scan': Collective(
        'tessera::segmented_inclusive_scan(tile, {x}, {segments}, {op_text}{p})',
        '{scan}(oracle::model::segmented_inclusive_scan({N}, {xs}, {heads}, {algebra}, {how}){value});',
        types=VALUES, ops=True, form=tuple(SEGMENTS), **WHO, **SCANS, **MEMORY),
    'segmented_exclusive_scan': Collective(
        'tessera::segmented_exclusive_scan(tile, {x}, {segments}, {op_text}{p})',
        '{scan}(oracle::model::segmented_exclusive_scan({N}, {xs}, {heads}, {algebra}, {how}){value});',
        types=VALUES, ops=True, form=tuple(SEGMENTS), needs_identity=True, **WHO, **SCANS, **MEMORY),
    'segmented_reduce': Collective(
        'tessera::segmented_reduce(tile, {x}, {segments}, {op_text}{p})',
        't.compare(oracle::model::segmented_reduce({N}, {xs}, {heads}, {algebra}, {how}));',
        types=VALUES, ops=True, form=tuple(SEGMENTS), **WHO, **WHERE_TO, **MEMORY),
    'adjacent_difference': Collective(
        'tessera::adjacent_difference(tile, {x}, {op_text}{p})', 't.compare(oracle::model::adjacent_difference({N}, {xs}, {algebra}, {how}));',
        types=LIKE_OTHERS, ops=True, items=(0, 1, 2, 3, 8), padded=True, bits=True, direction=POLICIES['direction'], **ALL_MEMORY),
    'is_sorted': Collective(
        'tessera::is_sorted(tile, {x}, ' + RARE_FIRST + '{p})', 't.compare(oracle::model::is_sorted({N}, {xs}, ' + RARE_FIRST + ', {how}));',
        types=MOVED, items=(0, 1, 2, 3, 8), padded=True, **WHO, **WHERE_TO, **MEMORY),
    'sort': Collective(
        'tessera::sort(tile, {x}, {before}{p})',
        't.that(oracle::model::is_a_sort({blocked_xs}, {blocked_results}, {model_before}, {sorted_n}), "the values aren\'t in order");',
        types=SORTED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **ORDER, **MEMORY),
    'stable_sort': Collective(
        'tessera::stable_sort(tile, {x}, {before}{p})',
        't.compare({in_order}(oracle::model::stable_sort({N}, {blocked_xs}, {model_before}, {sorted_n})));',
        types=ORDERED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **ORDER, **MEMORY),
    'sort_by_key': Collective(
        'tessera::sort_by_key(tile, {sort_keys}, {x}, {before}{p}).values',
        't.that(oracle::model::is_a_sort_by_key({blocked_keys}, {blocked_xs}, {blocked_results}, {model_before}, {sorted_n}), "the values aren\'t in their keys\' order");',
        types=SORTED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **ORDER, **MEMORY),
    'stable_sort_by_key': Collective(
        'tessera::stable_sort_by_key(tile, {sort_keys}, {x}, {before}{p}).values',
        't.compare({in_order}(oracle::model::stable_values_by_key({N}, {blocked_keys}, {blocked_xs}, {model_before}, {sorted_n})));',
        types=ORDERED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **ORDER, **MEMORY),
    'merge': Collective(
        'tessera::merge(tile, {row_a}, {row_b}, {before}{p})',
        't.compare({in_order}(oracle::model::merge({xs}, {parts}, {model_before})));',
        prepare=FILL_PARTS, types=ORDERED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, memory_bytes=512, **ORDER, **MEMORY),
    'merge_counted': Collective(
        'tessera::merge(tile, {row_a}, c.index({all_values} + 2, 7), {row_b}, c.index({all_values} + 2, 8), {before}{p})',
        't.compare({in_order}(oracle::model::merge({xs}, {parts}, {model_before}, t.drawn().index({all_values} + 2, 7), t.drawn().index({all_values} + 2, 8))));',
        prepare=FILL_PARTS, types=ORDERED, items=(0, 1, 2, 3), form=tuple(ORDERS), padded=True, memory_bytes=512, **ORDER, **MEMORY),
    'merge_by_key': Collective(
        'tessera::merge_by_key(tile, {key_row_a}, {x}, {key_row_b}, {x2}, {before}{p}).values',
        't.compare({in_order}(oracle::model::merge_by_key({key_parts}, {blocked_xs}, {blocked_xs2}, {model_before})));',
        prepare=FILL_PARTS.replace('{T}', 'int').replace('{which}', 'oracle::values::few'), types=MOVED, items=(0, 1, 2, 3, 4),
        form=tuple(ORDERS), padded=True, memory_bytes=512, **ORDER, **MEMORY),
    'top_k': Collective(
        'tessera::top_k<{taken}>(tile, {x}, {before}{p})',
        't.that(oracle::model::is_a_top_k({N}, {taken}, {xs}, t.results<{selected}>(), {model_before}, {sorted_n}, {how}), "these aren\'t the first values");',
        types=ORDERED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), placement=POLICIES['placement'], **FIRST_VALUES,
        **MEMORY),
    'top_k_push': Collective(
        'oracle::top_k_push<{taken}>(tile, {x}, {before}{p})',
        't.that(oracle::model::is_best_pushed({N}, {taken}, {xs}, t.results<{selected}>(), {model_before}, {how}), "these aren\'t the first values");',
        types=QUEUED, items=(0, 1, 3, 8), form=tuple(ORDERS), **WHO),
    'top_k_best': Collective(
        'oracle::top_k_best<{taken}>(tile, {x}, {before}{p})',
        't.that(oracle::model::is_a_top_k({N}, {taken}, {xs}, t.results<{selected}>(), {model_before}, 1 << 30, {how}), "these aren\'t the first values");',
        types=QUEUED, items=(0, 1, 3, 8), form=tuple(ORDERS), placement=POLICIES['placement'], **MEMORY),
    'nth_element': Collective(
        'tessera::nth_element(tile, {x}, {place}, {before}{p})',
        't.that(oracle::model::is_an_nth_element({xs}, {place}, t.results<{T}>(), {model_before}, {sorted_n}), "this isn\'t the value of its place");',
        types=SORTED, items=(0, 1, 2, 3, 4, 8), form=tuple(ORDERS), padded=True, **FIRST_VALUES, **MEMORY),
    'shuffle': Collective(
        'tessera::shuffle(tile, {x}, c.own_source(){p})', 't.compare(oracle::model::shuffle({N}, {xs}, t.sources()));',
        types=MOVED, items=(0, 1, 2, 3), **ALL_MEMORY),
    'broadcast': Collective(
        'tessera::broadcast(tile, {x}, c.source(){p})', 't.compare(oracle::model::broadcast({N}, {xs}, t.drawn().source()));',
        types=MOVED, items=(0, 1, 2, 3), padded=True, **ALL_MEMORY),
    'shift_up': Collective(
        'tessera::shift_up(tile, {x}, c.delta(){fill}{p})', 't.compare(oracle::model::shift_up({N}, {xs}, t.drawn().delta(){fills}));',
        types=MOVED, items=(0, 1, 3), form=('own', 'fill', 'by_one'), **ALL_MEMORY),
    'shift_down': Collective(
        'tessera::shift_down(tile, {x}, c.delta(){fill}{p})', 't.compare(oracle::model::shift_down({N}, {xs}, t.drawn().delta(){fills}));',
        types=MOVED, items=(0, 1, 3), form=('own', 'fill', 'by_one'), **ALL_MEMORY),
    'rotate': Collective(
        'tessera::rotate(tile, {x}, c.offset(){p})', 't.compare(oracle::model::rotate({N}, {xs}, t.drawn().offset()));',
        types=MOVED, items=(0, 1, 3), **ALL_MEMORY),
    'reverse': Collective(
        'tessera::reverse(tile, {x}{p})', 't.compare(oracle::model::reverse({N}, {xs}));', types=MOVED, items=(0, 1, 2, 3), **ALL_MEMORY),
    'butterfly': Collective(
        'tessera::butterfly(tile, {x}, c.mask(){p})', 't.compare(oracle::model::butterfly({N}, {xs}, t.drawn().mask()));',
        types=MOVED, items=(0, 1, 3), **ALL_MEMORY),
    'exchange_items': Collective(
        'tessera::exchange_items(tile, {x}, c.mask(), c.index({items}, 1), c.index({items}, 2){p})',
        't.compare(oracle::model::exchange_items({N}, {xs}, t.drawn().mask(), t.drawn().index({items}, 1), t.drawn().index({items}, 2)));',
        types=MOVED, items=(1, 2, 3, 4), **ALL_MEMORY),
    'striped_to_blocked': Collective(
        'tessera::striped_to_blocked(tile, {x}{p})', 't.compare(oracle::model::striped_to_blocked({N}, {xs}));',
        types=MOVED, items=(1, 2, 3, 4, 8, 16), **MEMORY),
    'blocked_to_striped': Collective(
        'tessera::blocked_to_striped(tile, {x}{p})', 't.compare(oracle::model::blocked_to_striped({N}, {xs}));',
        types=MOVED, items=(1, 2, 3, 4, 8, 16), **MEMORY),
    'transpose': Collective(
        'tessera::transpose(tile, {x}{p})', 't.compare(oracle::model::transpose({N}, {xs}));',
        types=MOVED, items=(1, 2, 4, 5, 8, 16, 32), **MEMORY),
    'ballot': Collective(
        'tessera::ballot(tile, c.pred(1){p})', 't.compare(oracle::as_masks<{N}>(oracle::model::ballot({N}, t.preds(1), {how})));',
        padded=True, **WHO, **WHERE_TO, **ALL_MEMORY),
    'any_of': Collective('tessera::any_of(tile, c.pred(1){p})', 't.compare(oracle::model::any_of({N}, t.preds(1), {how}));',
                         padded=True, **WHO, **WHERE_TO, **ALL_MEMORY),
    'all_of': Collective('tessera::all_of(tile, c.pred(1){p})', 't.compare(oracle::model::all_of({N}, t.preds(1), {how}));',
                         padded=True, **WHO, **WHERE_TO, **ALL_MEMORY),
    'none_of': Collective('tessera::none_of(tile, c.pred(1){p})', 't.compare(oracle::model::none_of({N}, t.preds(1), {how}));',
                          padded=True, **WHO, **WHERE_TO, **ALL_MEMORY),
    'count_if': Collective('tessera::count_if(tile, c.pred(1){p})', 't.compare(oracle::model::count_if({N}, t.preds(1), {how}));',
                           padded=True, **WHO, **WHERE_TO, **ALL_MEMORY),
    'elect': Collective('tessera::elect(tile{p})', 't.compare(oracle::model::elect({N}, {how}));', padded=True, **WHO, **ALL_MEMORY),
    'invoke_one': Collective(
        'tessera::invoke_one(tile, [&] {{ return {x}; }}{p})', 't.compare(oracle::model::invoke_one({N}, {xs}, {how}));',
        types=MOVED, padded=True, **WHERE_TO, **ALL_MEMORY),
    'match_any': Collective(
        'tessera::match_any(tile, {key_x}{p})', 't.compare(oracle::as_masks<{N}>(oracle::model::match_any({N}, {keys}, {how})));',
        types=KEYS, **WHO, **MEMORY),
    'peers': Collective('tessera::peers(tile, {key_x}{p})', 't.compare(oracle::as_groups<{N}>(oracle::model::peers({N}, {keys})));',
                        types=KEYS, **MEMORY),
    'match_all': Collective('tessera::match_all(tile, {key_x}{p})', 't.compare(oracle::model::match_all({N}, {keys}, {how}));',
                            types=KEYS, **WHO, **MEMORY),
    'reduce_by_label': Collective(
        'tessera::reduce_by_label(tile, c.value<{label}>(oracle::values::few, 2), {x}, {op_text}{p})',
        't.compare(oracle::model::reduce_by_label({N}, t.values_of<{label}>(oracle::values::few, 2), {xs}, {algebra}, {how}));',
        types=VALUES, ops=True, form=tuple(LABELS), bits=True, **WHO, **WHERE_TO, **MEMORY),
    'partition': Collective(
        'tessera::partition(tile, oracle::is_odd({x}){p}).position',
        't.compare(oracle::model::as_positions(oracle::model::even_behind({xs}, {sorted_n}), {xs}));',
        types=COUNTED, items=(0, 1, 2, 3, 8), padded=True, **FIRST_VALUES, **MEMORY),
    'scatter': Collective(
        'tessera::scatter(tile, {x}, c.permuted<{items_or_0}>(){p})',
        't.compare(oracle::model::scatter({xs}, t.permutation({items_or_0})));',
        types=MOVED, items=(0, 1, 2, 3, 4, 8), padded=True, **MEMORY),
    'radix_rank': Collective(
        'tessera::radix_rank<{form}>(tile, {x}{p}).rank',
        't.compare(oracle::model::as_positions(oracle::model::radix_rank({form}, {xs}, {sorted_n}), {xs}));',
        types=COUNTED, items=(0, 1, 2, 3, 4), form=(1, 3, 4, 5, 6, 8), **FIRST_VALUES, **MEMORY),
    'unique': Collective(
        'tessera::unique(tile, {x}, {equal}{p}).position',
        't.compare(oracle::model::as_positions(oracle::model::unique({xs}, {equal}, {sorted_n}), {xs}));',
        types=MOVED, items=(0, 1, 2, 3, 4), form=tuple(EQUALS), padded=True, **FIRST_VALUES, **MEMORY),
    'run_length_encode': Collective(
        'tessera::run_length_encode(tile, {x}, {equal}{p}).length',
        't.compare(oracle::model::as_positions(oracle::model::lengths_of_runs({xs}, {equal}, {sorted_n}), {xs}));',
        types=MOVED, items=(0, 1, 2, 3, 4), form=tuple(EQUALS), padded=True, **FIRST_VALUES, **MEMORY),
    'run_length_encode_values': Collective(
        'tessera::run_length_encode(tile, {x}, {equal}{p}).value',
        't.compare(oracle::model::values_of_runs({xs}, {equal}, {sorted_n}));',
        types=MOVED, items=(0, 1, 2, 3, 4), form=tuple(EQUALS), padded=True, **FIRST_VALUES, **MEMORY),
    'run_length_decode': Collective(
        'tessera::run_length_decode<{form}>(tile, {x}, oracle::length_of({sort_keys}), c.index(9, 6){p}).value',
        't.compare_slots(oracle::model::decoded_runs({xs}, oracle::lengths_of({model_keys}), {form}, t.drawn().index(9, 6), {sorted_n}));',
        types=MOVED, items=(0, 1, 2, 3, 4), form=(1, 2, 3), padded=True, **FIRST_VALUES, **MEMORY),
    'compact': Collective(
        'tessera::compact(tile, {x}, c.pred(1), c.memory<{T}>(64){p})',
        'auto const kept = oracle::model::compact({N}, {xs}, t.preds(1), {how}); '
        't.compare(oracle::model::lanes<unsigned>(t.lanes(), static_cast<unsigned>(kept.size()))); '
        't.compare_memory(oracle::all_of_them(kept), 64); t.untouched(0, 64); '
        't.untouched(static_cast<unsigned>(64 + kept.size() * sizeof({T})), t.memory_bytes());',
        types=MOVED, padded=True, memory_bytes=128, **WHO, **ALL_MEMORY),
    'compact_append': Collective(
        'tessera::compact(tile, {x}, c.pred(1), c.memory<{T}>(64), c.memory<unsigned>(){p})',
        'auto const kept = oracle::model::compact({N}, {xs}, t.preds(1), {how}); auto const count = static_cast<unsigned>(kept.size()); '
        't.compare(oracle::model::lanes<tessera::appended<unsigned>>(t.lanes(), tessera::appended<unsigned>{{0, count}})); '
        't.compare_memory(oracle::all_of_them(oracle::model::list<unsigned>{{count}})); t.compare_memory(oracle::all_of_them(kept), 64); '
        't.untouched(4, 64); t.untouched(static_cast<unsigned>(64 + kept.size() * sizeof({T})), t.memory_bytes());',
        prepare='std::memset(memory, 0, 4);', types=MOVED, padded=True, memory_bytes=128, **WHO, **MEMORY),
    'histogram': Collective(
        'tessera::histogram<{form}>(tile, {key_x}{p})', 't.compare_slots(oracle::model::histogram({N}, {form}, {keys}, {how}));',
        types=COUNTED, form=(1, 4, 16, 33), placement=('to_all', 'scattered'), **WHO, **MEMORY),
    'aggregated_add': Collective(
        'tessera::aggregated_add(tile, c.memory<{T}>(), c.value<{label}>(oracle::values::few, 2) % 40, {added}{p})',
        'oracle::model::list<{label}> keys; for ({label} k : t.values_of<{label}>(oracle::values::few, 2)) keys.push_back(static_cast<{label}>(k % 40)); '
        't.compare_memory(oracle::all_of_them(oracle::model::aggregated_add<{T}, {label}>({N}, oracle::range_of<{T}>(t.drawn(), 40, {which}), keys{addeds}, {how}))); '
        't.untouched(40 * sizeof({T}), t.memory_bytes());',
        prepare='oracle::fill_range<{T}>(at, memory, 40, {which});', store=False,
        types=('int', 'unsigned', 'long', 'float', 'double'), form=('int', 'unsigned', 'long', 'count'), memory_bytes=384, **WHO, **METHODS),
    'atomic_reduce': Collective(
        'tessera::atomic_reduce(tile, c.memory<{T}>(), {x}, {op_text}{p})',
        't.compare_memory(oracle::all_of_them(oracle::model::list<{T}>{{oracle::model::atomic_reduce({N}, t.same_value<{T}>({which}), {xs}, {algebra}, {how})}})); '
        't.untouched(sizeof({T}), t.memory_bytes());',
        prepare='oracle::fill_range<{T}>(at, memory, 1, {which}); auto const start = at.value<{T}>(0, {which}, 0, 3); std::memcpy(memory, &start, sizeof start);',
        store=False, types=ATOMIC, ops=True, padded=True, memory_bytes=16, bits=True, **WHO, **METHODS, **ALL_MEMORY),
    'atomic_update': Collective(
        'tessera::atomic_update(c.memory<{T}>(), {x}, {op_text})',
        'auto cell = t.same_value<{T}>({which}); for ({T} const x : {xs}) cell = oracle::model::atomic_update(cell, x, {algebra}); '
        't.compare_memory(oracle::all_of_them(oracle::model::list<{T}>{{cell}})); t.untouched(sizeof({T}), t.memory_bytes());',
        prepare='auto const start = at.value<{T}>(0, {which}, 0, 3); std::memcpy(memory, &start, sizeof start);',
        store=False, types=ATOMIC, ops=True, memory_bytes=16, commuting=True, convergence=None),
    'atomic_exchange': Collective(
        'tessera::atomic_exchange(c.memory<{T}>(), c.value<{T}>({swapped}))',
        SWAPS.replace('LEFT', 't.values_of<{T}>({swapped})'), prepare=SWAP_START, types=ATOMIC, memory_bytes=16, convergence=None),
    'atomic_compare_exchange': Collective(
        'tessera::atomic_compare_exchange(c.memory<{T}>(), c.value<{T}>({swapped}, 2), c.value<{T}>({swapped}))',
        SWAPS.replace('LEFT', 'oracle::model::swapped(held, t.values_of<{T}>({swapped}, 2), t.values_of<{T}>({swapped}))'),
        prepare=SWAP_START, types=ATOMIC, memory_bytes=16, convergence=None),
    'load': Collective(
        'tessera::load<{items}>(tile, c.range<{T}>(), c.length(sizeof({T})){filled}{p})',
        RANGE_XS + ' t.compare(oracle::model::load<{items}>({N}, x, t.lanes(), {fill_value}, {striped}));',
        prepare=FILL_RANGE, types=MOVED, items=(1, 2, 3, 4, 8, 16), form=('zero', 'fill'), padded=True, memory_bytes=512, **ORDER),
    'store': Collective(
        'tessera::store(tile, {x}, c.out<{T}>(), c.length(sizeof({T})){p})',
        'auto const stored = oracle::model::store({N}, {xs}, t.drawn().count_of_range(sizeof({T})), {striped}); '
        'auto const begin = t.drawn().out_begin(alignof({T})); t.compare_memory(oracle::all_of_them(stored), begin); '
        't.untouched(0, begin); t.untouched(static_cast<unsigned>(begin + stored.size() * sizeof({T})), t.memory_bytes());',
        store=False, types=MOVED, items=(0, 1, 2, 3, 4, 8), padded=True, memory_bytes=512, **ORDER),
    'joint_merge': Collective(
        'tessera::joint_merge(tile, c.range<{T}>(), c.length(sizeof({T})) / 2, c.range<{T}>() + c.length(sizeof({T})) / 2, '
        'c.length(sizeof({T})) - c.length(sizeof({T})) / 2, c.out<{T}>(), {before}{p})',
        RANGE_XS + ' t.compare_memory(oracle::all_of_them(oracle::model::joint_merge(x, {model_before})), t.drawn().out_begin(alignof({T}))); '
        't.untouched(static_cast<unsigned>(t.drawn().out_begin(alignof({T})) + x.size() * sizeof({T})), t.memory_bytes());',
        prepare=FILL_HALVES, store=False, types=ORDERED,
        form=tuple(ORDERS), memory_bytes=512, **MEMORY),
    'joint_sort': Collective(
        'tessera::joint_sort(tile, c.range<{T}>(), c.length(sizeof({T})), c.out<{T}>(), {before}{p})',
        RANGE_XS + ' t.compare_memory(oracle::all_of_them(oracle::model::joint_sort(x, {model_before})), t.drawn().range_begin(alignof({T})));',
        prepare=FILL_RANGE, store=False, types=INTEGERS, form=('less', 'greater', 'std_less'), memory_bytes=512, **MEMORY),
    'joint_stable_sort': Collective(
        'tessera::joint_stable_sort(tile, c.range<{T}>(), c.length(sizeof({T})), c.out<{T}>(), {before}{p})',
        RANGE_XS + ' t.compare_memory(oracle::all_of_them(oracle::model::joint_sort(x, {model_before})), t.drawn().range_begin(alignof({T})));',
        prepare=FILL_RANGE, store=False, types=ORDERED, form=tuple(ORDERS), memory_bytes=512, **MEMORY),
    'joint_reduce': Collective(
        'tessera::joint_reduce(tile, c.range<{T}>(), c.length(sizeof({T})), {op_text}{p})',
        RANGE_XS + ' t.compare(oracle::model::joint_reduce({N}, x, ' + ADDRESS + ', {algebra}, {how}));',
        prepare=FILL_RANGE, types=VALUES, ops=True, needs_identity=True, memory_bytes=512, **WHERE_TO, **MEMORY),
    'joint_transform_reduce': Collective(
        'tessera::joint_transform_reduce(tile, c.range<{T}>(), c.length(sizeof({T})), {op_text}, [](auto const& x, int i) {{ return i % 3 == 0 ? c_of(x) : x; }}{p})'.replace('c_of(x)', 'x'),
        RANGE_XS + ' t.compare(oracle::model::joint_transform_reduce({N}, x, ' + ADDRESS + ', {algebra}, [](auto const& y, std::size_t) {{ return y; }}, {how}));',
        prepare=FILL_RANGE, types=LIKE_OTHERS, ops=True, needs_identity=True, memory_bytes=512, **WHERE_TO, **MEMORY),
    'joint_top_k': Collective(
        'tessera::joint_top_k<{taken}>(tile, c.range<{T}>(), c.length(sizeof({T})), {before}{p})',
        RANGE_XS + ' t.that(oracle::model::is_a_top_k({N}, {taken}, x, t.results<{selected}>(), {model_before}, 1 << 30, {how}), '
        '"these aren\'t the first values");',
        prepare=FILL_RANGE, types=QUEUED, form=tuple(ORDERS), memory_bytes=512, placement=POLICIES['placement'], **MEMORY),
    'joint_transform_top_k': Collective(
        'tessera::joint_transform_top_k<{taken}>(tile, c.range<{T}>(), c.length(sizeof({T})), {before}, [](auto const& x, int) {{ return x; }}{p})',
        RANGE_XS + ' t.that(oracle::model::is_a_top_k({N}, {taken}, x, t.results<{selected}>(), {model_before}, 1 << 30, {how}), '
        '"these aren\'t the first values");',
        prepare=FILL_RANGE, types=('int', 'float'), form=tuple(ORDERS), memory_bytes=512, placement=POLICIES['placement'], **MEMORY),
    'joint_any_of': Collective(
        'tessera::joint_any_of(tile, c.range<{T}>(), c.length(sizeof({T})), [](auto const& x) {{ return oracle::is_rare(x); }}{p})',
        RANGE_XS + ' t.compare(oracle::model::joint_any_of({N}, x, [](auto const& y, std::size_t) {{ return oracle::is_rare(y); }}, {how}));',
        prepare=FILL_RANGE, types=MOVED, memory_bytes=512, **WHERE_TO),
    'joint_all_of': Collective(
        'tessera::joint_all_of(tile, c.range<{T}>(), c.length(sizeof({T})), [](auto const& x) {{ return !oracle::is_rare(x); }}{p})',
        RANGE_XS + ' t.compare(oracle::model::joint_all_of({N}, x, [](auto const& y, std::size_t) {{ return !oracle::is_rare(y); }}, {how}));',
        prepare=FILL_RANGE, types=MOVED, memory_bytes=512, **WHERE_TO),
    'joint_none_of': Collective(
        'tessera::joint_none_of(tile, c.range<{T}>(), c.length(sizeof({T})), [](auto const& x, int i) {{ return i % 2 == 0 && oracle::is_rare(x); }}{p})',
        RANGE_XS + ' t.compare(oracle::model::joint_none_of({N}, x, [](auto const& y, std::size_t i) {{ return i % 2 == 0 && oracle::is_rare(y); }}, {how}));',
        prepare=FILL_RANGE, types=MOVED, memory_bytes=512, **WHERE_TO),
    'find_if': Collective(
        'tessera::find_if(tile, c.range<{T}>(), c.length(sizeof({T})), [](auto const& x) {{ return oracle::is_rare(x); }}{p})',
        RANGE_XS + ' t.compare(oracle::model::find_if({N}, x, [](auto const& y) {{ return oracle::is_rare(y); }}, t.lanes()));',
        prepare=FILL_RANGE, types=MOVED, memory_bytes=512),
    'lower_bound': Collective(
        'tessera::lower_bound(tile, c.range<{T}>(), c.length(sizeof({T})), c.same_value<{T}>({which}){p_after_less})',
        RANGE_XS + ' t.compare(oracle::model::bound<false>(x, t.same_value<{T}>({which}), t.lanes()));',
        prepare=FILL_SORTED, types=SEARCHED, memory_bytes=512),
    'upper_bound': Collective(
        'tessera::upper_bound(tile, c.range<{T}>(), c.length(sizeof({T})), c.same_value<{T}>({which}){p_after_less})',
        RANGE_XS + ' t.compare(oracle::model::bound<true>(x, t.same_value<{T}>({which}), t.lanes()));',
        prepare=FILL_SORTED, types=SEARCHED, memory_bytes=512),
    'equal_range': Collective(
        'tessera::equal_range(tile, c.range<{T}>(), c.length(sizeof({T})), c.same_value<{T}>({which}){p_after_less})',
        RANGE_XS + ' t.compare(oracle::model::equal_range(x, t.same_value<{T}>({which}), t.lanes()));',
        prepare=FILL_SORTED, types=SEARCHED, memory_bytes=512),
    'binary_search': Collective(
        'tessera::binary_search(tile, c.range<{T}>(), c.length(sizeof({T})), c.same_value<{T}>({which}){p_after_less})',
        RANGE_XS + ' t.compare(oracle::model::is_there(x, t.same_value<{T}>({which}), t.lanes()));',
        prepare=FILL_SORTED, types=SEARCHED, memory_bytes=512),
    'merge_path': Collective(
        'tessera::merge_path(c.range<{T}>(), {count} / 2, c.range<{T}>() + {count} / 2, {count} - {count} / 2, c.diagonal({count}), {before})',
        RANGE_XS + ' t.compare(oracle::model::merge_path(x, {model_before}, t.diagonals(t.drawn().count_of_range(sizeof({T})))));',
        prepare=FILL_HALVES, types=ORDERED, form=tuple(ORDERS), memory_bytes=512, convergence=None),
    'find_first': Collective(
        'tessera::find_first(tile, c.range<{T}>(), c.length(sizeof({T})), c.same_value<{T}>(oracle::values::few){p})',
        RANGE_XS.replace('{which}', 'oracle::values::few') + ' t.compare(oracle::model::find_first(x, t.same_value<{T}>(oracle::values::few), t.lanes()));',
        prepare=FILL_RANGE.replace('{which}', 'oracle::values::few'), types=('char', 'short', 'int', 'unsigned', 'long'), memory_bytes=512),
    'joint_inclusive_scan': Collective(
        'tessera::joint_inclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}{p})',
        RANGE_XS + ' auto const all = oracle::model::joint_inclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, {how}); {written}',
        types=VALUES, **RANGE_SCANS),
    'joint_exclusive_scan': Collective(
        'tessera::joint_exclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}{p})',
        RANGE_XS + ' auto const all = oracle::model::joint_exclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, {how}); {written}',
        types=VALUES, needs_identity=True, **RANGE_SCANS),
    'joint_exclusive_scan_from': Collective(
        'tessera::joint_exclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}, c.same_value<{R}>({which}){p})',
        RANGE_XS + ' auto const all = oracle::model::joint_exclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, t.same_value<{R}>({which}), {how}); {written}',
        types=LIKE_OTHERS, **RANGE_SCANS),
    'joint_inclusive_scan_from': Collective(
        'tessera::joint_inclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}, c.same_value<{R}>({which}){p})',
        RANGE_XS + ' auto const all = oracle::model::joint_inclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, t.same_value<{R}>({which}), {how}); {written}',
        types=LIKE_OTHERS, **RANGE_SCANS),
    'joint_transform_inclusive_scan': Collective(
        'tessera::joint_transform_inclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}, [](auto x, int i) {{ if (i == 2) x = decltype(x){{}}; return x; }}{p})',
        TRANSFORMED + ' auto const all = oracle::model::joint_inclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, {how}); {written}',
        types=LIKE_OTHERS, **RANGE_SCANS),
    'joint_transform_exclusive_scan': Collective(
        'tessera::joint_transform_exclusive_scan(tile, c.range<{T}>(), c.length(sizeof({E})), {out}, {op_text}, [](auto x, int i) {{ if (i == 2) x = decltype(x){{}}; return x; }}, c.same_value<{R}>({which}){p})',
        TRANSFORMED + ' auto const all = oracle::model::joint_exclusive_scan({N}, x, ' + ADDRESS + ', {algebra}, t.same_value<{R}>({which}), {how}); {written}',
        types=LIKE_OTHERS, **RANGE_SCANS),
}


def fields(c):
    """Returns the values of the templates' placeholders."""
    count = c.form == 'count'
    joint_total = (f't.compare(oracle::model::lanes<{c.result_type}>(t.lanes(), all.total));'
                   if c.extra == 'with_total' and c.type else '')
    begin = f't.drawn().{"range_begin" if c.form == "in_place" else "out_begin"}(alignof({c.result_type if c.type else "int"}))'
    return {
        'E': c.result_type if c.type and 'scan' in c.collective else c.T if c.type else '',
        'N': c.N, 'T': c.T if c.type else '', 'R': c.result_type if c.type else '', 'items': c.items, 'form': c.form,
        'in_order': 'oracle::model::to_striped' if c.order == 'striped' else '', 'striped': 'true' if c.order == 'striped' else 'false',
        **({'blocked_xs': c.reordered(c.xs), 'blocked_xs2': c.reordered(c.second['xs2']), 'blocked_keys': c.reordered(c.model_keys), 'blocked_results': c.reordered(f't.results<{c.X}>()')}
           if c.type else {}),
        'filled': f', c.same_value<{c.T}>({c.which})' if c.form == 'fill' else '',
        'fill_value': f't.same_value<{c.T}>({c.which})' if c.form == 'fill' else f'tessera::items<{c.T}, 1>{{}}[0]' if c.type else '',
        'items_or_0': c.items or 0, 'items_or_1': c.items or 1, 'all_values': c.size * (c.items or 1), **(c.second if c.type else {}),
        **{name: f'c.row<{type_name}, {c.items or 0}>({half}{", true" if c.order == "striped" else ""})' for half in (0, 1)
           for name, type_name in ((f'row_{"ab"[half]}', c.T if c.type else 'int'), (f'key_row_{"ab"[half]}', 'int'))},
        **{name: f'oracle::parts_of<{type_name}>(t.drawn(), t.lanes() * {c.items or 1}, {which}, {c.model_before})'
           for name, type_name, which in (('parts', c.type and c.T, c.type and c.which), ('key_parts', 'int', 'oracle::values::few')) if c.type and c.form in ORDERS},
        'x': c.x if c.type else '', 'xs': c.xs if c.type else '', 'key_x': c.key_x if c.type else '', 'keys': c.keys if c.type else '',
        'which': c.which if c.type else '', 'swapped': c.swapped, 'op_text': c.op_text if c.op else '', 'algebra': c.algebra if c.op else '',
        'p_after_less': f', tessera::less{{}}{c.p}' if c.p else '',
        'how': c.how, 'p': c.p, 'X': c.X if c.type else '', 'sorted_n': c.sorted_n,
        **({'before': c.before, 'model_before': c.model_before, 'sort_keys': c.sort_keys, 'model_keys': c.model_keys}
           if c.form in ORDERS else {}),
        **({'taken': c.taken, 'selected': c.selected} if 'top_k' in c.collective else {}),
        'count': f'c.count_of_range(sizeof({c.T}))' if c.type else '',
        'place': c.size * (c.items or 1) // 3 if c.collective == 'nth_element' else 0,
        'sort_keys': c.sort_keys, 'model_keys': c.model_keys, 'equal': EQUALS.get(c.form, ''),
        **({'before': c.before, 'model_before': c.model_before} if c.form in ORDERS else {}),
        'scan': 't.compare(oracle::with_totals' if c.extra == 'with_total' else 't.compare',
        'value': ')' if c.extra == 'with_total' else '.value',
        'segments': SEGMENTS.get(c.form, ('',))[0], 'heads': SEGMENTS.get(c.form, ('', ''))[1],
        'label': LABELS.get(c.form, 'int') if c.form != 'unsigned' else 'unsigned',
        'fill': f', c.same_value<{c.X}>({c.which})' if c.form == 'fill' else '',
        'fills': f', oracle::model::list<{c.X}>(t.lanes(), t.same_value<{c.X}>({c.which}))' if c.form == 'fill' else '',
        'added': '' if count else f'c.value<{c.T}>({c.which})' if c.type else '',
        'addeds': '' if count else f', {c.xs}' if c.type else '',
        'out': f'c.range<{c.T}>()' if c.form == 'in_place' and c.type else f'c.out<{c.result_type}>()' if c.type else '',
        'written': joint_total + f' t.compare_memory(oracle::all_of_them(all.out), {begin});',
    }


def kernel_text(c):
    text = c.entry.kernel.format(**fields(c))
    if c.form == 'by_one':
        text = text.replace('c.delta()', '1')
    if c.form == 'count':
        text = text.replace(' % 40, ,', ' % 40,').replace(' % 40, )', ' % 40)')
    return text


def model_text(c):
    text = c.entry.model.format(**fields(c))
    if c.op and c.type in WITHIN_ERROR:
        c.within_error = True
        near = f't.within_error_of({c.combined}); ' + c.entry.model.format(**fields(c))
        c.within_error = False
        text = f'{{ {text} }} {{ {near} }}' if c.bits else near
    return text.replace('t.drawn().delta()', '1') if c.form == 'by_one' else text


# ---- The combinations that don't exist, with the reasons

MANY_BYTES = 256
# Every n is tested for tiles of up to 64 lanes only.
COSTLY = ('reduce_batch', 'reduce_by_label', 'match_any', 'match_all', 'histogram', 'sort', 'stable_sort', 'sort_by_key', 'stable_sort_by_key',
          'top_k', 'top_k_push', 'top_k_best', 'nth_element', 'partition', 'scatter', 'radix_rank', 'unique', 'run_length_encode',
          'run_length_decode')


def instruction(c):
    """Returns whether an instruction of the warp combines such values; see tuning.hpp."""
    if c.op not in OPERATORS:
        return True
    extreme = c.op in ('minimum', 'maximum', 'minimum_number', 'maximum_number')
    bits = c.op in ('bit_and', 'bit_or', 'bit_xor')
    if c.type == 'bool' or c.op in ('logical_and', 'logical_or'):
        return True
    if c.type in ('char', 'short', 'int', 'unsigned'):
        return extreme or bits or c.op in ('plus', 'std_plus')
    if c.type == 'long':
        return bits
    if c.type in ('float', *HALVES):
        return extreme
    return c.op in ('argmin', 'argmax') and c.type == 'indexed'


RULES = [
    rule('the operator combines other types', 'type op', lambda c: c.op is None or c.type in OPERATORS[c.op].types),
    rule('first(n) and where(pred) take an operator with an identity', 'op participants',
         lambda c: c.op is None or c.participants in (None, 'everyone') or OPERATORS[c.op].identity),
    rule('the collective needs an operator with an identity', 'collective op',
         lambda c: c.op is None or not c.entry.needs_identity or OPERATORS[c.op].identity),
    rule('with_total of a range that may be empty needs an identity', 'collective op extra',
         lambda c: not c.collective.startswith('joint') or c.extra != 'with_total' or OPERATORS[c.op].identity),
    rule('lanes update the cell in any order, so the operator must commute', 'collective op',
         lambda c: not c.entry.commuting or OPERATORS[c.op].commutes),
    rule('a block as a tile has 64 lanes or more', 'kind size', lambda c: c.kind in ('part', 'nested') or c.size >= 64),
    rule('a tile of a tile is smaller than its parent', 'kind size', lambda c: c.kind != 'nested' or c.size < 1024),
    rule('if the block is the tile, all of its threads make the call', 'kind flow',
         lambda c: (c.flow in ('together', 'repeated')) if c.kind in ('block', 'padded') else c.flow != 'repeated'),
    rule('only numbers have an order of their own', 'collective type form',
         lambda c: c.form not in ('less', 'greater', 'std_less') or 'by_key' in c.collective or c.type in NUMBERS + HALVES + ('bool',) or (
             'top_k' in c.collective and c.type in ('indexed', 'indexed_long'))),
    rule('a padded tile has no striped order', 'kind order', lambda c: c.kind != 'padded' or c.order != 'striped'),
    rule('with converged the whole warp makes the call', 'size convergence flow',
         lambda c: c.convergence != 'converged' or c.size >= 32 or c.flow == 'together'),
    rule('only tiles of several warps exchange through memory', 'size memory', lambda c: c.memory in (None, 'own') or c.size > 32),
    rule('a sum of two bools is their number, which is no bool', 'collective type op',
         lambda c: c.collective != 'adjacent_difference' or c.type != 'bool' or c.op not in ('plus', 'std_plus')),
    rule('elect exchanges only with where(pred)', 'collective participants memory',
         lambda c: c.memory in (None, 'own') or c.collective != 'elect' or c.participants == 'where'),
    rule('with to_leader, invoke_one exchanges nothing', 'collective placement memory',
         lambda c: c.memory in (None, 'own') or c.collective != 'invoke_one' or c.placement != 'to_leader'),
    rule('the scratch exceeds what a kernel may declare', 'size type items memory',
         lambda c: c.memory in (None, 'own') or c.size * c.bytes * 2 <= MOST_SCRATCH),
    rule('only scans of bools have an instruction', 'collective type op items method',
         lambda c: c.method != 'hardware' or 'scan' not in c.collective or (c.type == 'bool' and not c.items and c.op in (
             'plus', 'multiplies', 'minimum', 'maximum', 'bit_and', 'bit_or', 'bit_xor', 'logical_and', 'logical_or'))),
    rule('the warp has no instruction for the type and operator', 'type op method',
         lambda c: c.method != 'hardware' or c.op is None or instruction(c)),
    rule('a value has too many bytes for the registers of a lane', 'type items', lambda c: c.bytes <= MANY_BYTES),
    rule('the test allows one write to each element of memory only', 'collective flow',
         lambda c: not c.entry.memory_bytes or c.flow in ('together', 'some')),
    rule('a count of bools has another type, so it is not in place', 'type op form',
         lambda c: c.form != 'in_place' or not (c.type == 'bool' and c.op == 'plus')),
    rule('the result of an atomic must not depend on the order of floats', 'collective type op',
         lambda c: c.collective != 'atomic_update' or c.type not in FLOATS + HALVES or c.op in ('plus', 'std_plus', 'minimum', 'maximum')),
]

CHOSEN = tuple(d for d in DIMENSIONS if d != 'collective')
TILES = Table(COLLECTIVES, RULES, DIMENSIONS, Call, doubled=('items', 'method', 'memory'))
complete = TILES.complete


# ---- Programs

def draw_details(call, rng):
    """Draws the parts of a call that aren't dimensions."""
    if call.kind == 'nested':
        larger = [s for s in SIZES if s > call.size]
        if call.memory in ('shared', 'fresh'):  # blocks have at least the parent's threads
            larger = [s for s in larger if s == larger[0] or s * Program.scratch_item(call) <= MOST_SCRATCH]
        call.parent = rng.choice(larger)
    # In a padded tile's scan, the bits of the last lane and of the total aren't those of `reduce`: then the results must not
    # depend on the order.
    order_is_promised = not (call.kind == 'padded' and 'scan' in call.collective)
    sums = call.op in ('plus', 'std_plus') and call.type in FLOATS + HALVES
    if call.entry.bits and (sums or call.op == 'welford') and order_is_promised:
        call.bits = rng.random() < 0.7
    return call


class Program:
    def __init__(self, name):
        self.name, self.calls, self.sweep, self.leave_after = name, [], False, -1

    def shape(self, calls=None):
        """The blocks that are possible for all calls, as (multiple, most, exactly); or None."""
        multiple, most, exactly = 1, 1024, 0
        for c in calls or self.calls:
            if c.kind == 'block':
                if exactly not in (0, c.size):
                    return None
                exactly = c.size
            elif c.kind == 'padded':
                most = min(most, c.size)
            else:
                multiple = max(multiple, c.parent or c.size)
                if c.memory in ('shared', 'fresh'):
                    most = min(most, self.scratch_threads(c))
        if multiple > most or (exactly and (exactly % multiple or exactly > most)):
            return None
        return multiple, most, exactly

    def scratches(self, calls=None):
        """Name, bytes of an item, and threads of each scratch. The tiles of one size share a scratch."""
        found = {}
        for c in calls or self.calls:
            if c.memory in ('shared', 'fresh'):
                name = f'scratch_{c.kind}_{c.size}'
                threads = c.size if c.kind in ('block', 'padded') else (self.shape(calls) or (1, 1024, 0))[2] or self.scratch_threads(c)
                bytes_, before = found.get(name, (0, 1024))
                found[name] = (max(bytes_, self.scratch_item(c)), min(threads, before))
        return found

    def least_scratch(self):
        """The threads of the smallest scratch, if larger blocks, which must be reported, could make the calls; or 0."""
        if any(c.kind not in ('part', 'nested') for c in self.calls):
            return 0
        least = min((max(64, threads) for _, threads in self.scratches().values()), default=1024)
        return least if least < 1024 else 0

    def scratch_threads(self, c):
        """The greatest number of threads of a block whose tiles share a scratch."""
        threads = 1024
        while threads > max(64, c.parent or c.size) and 2 * threads * self.scratch_item(c) > MOST_SCRATCH:
            threads //= 2
        return threads

    @staticmethod
    def scratch_item(c):
        bytes_ = c.bytes if c.collective not in ('reduce', 'inclusive_scan', 'inclusive_scan_from', 'exclusive_scan', 'exclusive_scan_from') else TYPES[c.type][1]
        extra = 16 if c.collective.startswith('segmented') or c.collective.startswith('joint') else 0
        return max(4, bytes_) + extra

    @staticmethod
    def library_arrays(c):
        """The arrays of the library's own memory that a call may need, at most: tile, kind, bytes. See detail/library_memory.hpp."""
        if c.size <= 32:
            return set()
        block = c.kind in ('block', 'padded')
        lanes, most = (c.size, 16384) if block else (1024, 4096)

        def array(bytes_):
            size, step = 256, 4 if block else 16
            while size < bytes_:
                size *= step
            while size > most and size // 2 >= bytes_:
                size //= 2
            return size

        def outputs(bytes_a_warp):
            size = 128
            while size < bytes_a_warp:
                size *= 4 if size < 512 else 2
            return lanes // 32 * size

        values = (4, c.bytes, c.bytes + 16)
        inputs = {array(min(most, lanes * b)) for b in values} | {array(lanes // 32 * b) for b in values}
        arrays = {(c.size, block, 'inputs', bytes_ + min(bytes_, lanes)) for bytes_ in inputs}
        return arrays | {(c.size, block, 'outputs', outputs(b)) for b in (c.bytes, c.bytes + 16) if b > 32}

    def takes(self, call):
        calls = self.calls + [call]
        if self.shape(calls) is None or len(calls) > 6:
            return False
        scratch = sum((2 * threads + threads // 32) * bytes_ if (2 * threads + threads // 32) * bytes_ <= 48 * 1024
                      else (threads + threads // 32) * bytes_ for bytes_, threads in self.scratches(calls).values())
        own = sum(bytes_ for *_, bytes_ in set().union(*(self.library_arrays(c) for c in calls)))
        return scratch <= MOST_SCRATCH and scratch + own <= MOST_SHARED

    def may_leave_after(self, i):
        return (len(self.calls) > i + 1 and all(c.kind in ('part', 'nested') for c in self.calls) and
                all(not (c.convergence == 'converged' and c.size < 32) for c in self.calls[i + 1:]))

    def cell_bytes(self):
        most = 16
        for c in self.calls:
            bytes_ = c.bytes if c.type else 4
            if c.type == 'bool' and c.op == 'plus':
                bytes_ *= 4
            if c.extra == 'with_total':
                bytes_ = 2 * bytes_ + 16
            if c.collective in ('ballot', 'match_any', 'peers'):
                bytes_ = max(4, c.size // 8) + 8
            if c.collective in ('partition', 'radix_rank', 'unique', 'run_length_encode'):
                bytes_ = 4 * max(1, c.items or 0)  # positions and lengths
            if c.collective == 'run_length_decode':
                bytes_ = TYPES[c.type][1] * c.form
            if c.collective == 'histogram':
                bytes_ = 4 * c.form
            if 'top_k' in c.collective:
                bytes_ = MANY_BYTES
            if c.collective.startswith('merge'):
                bytes_ *= 2
            if c.collective == 'reduce_batch':
                bytes_ = max(bytes_, 4 * (c.items or 1))
            most = max(most, bytes_)
        return (most + 15) // 16 * 16

    def kernel_body(self):
        lines = []
        tiles = {}
        for c in self.calls:
            of = (c.kind, c.size, c.parent)
            if of not in tiles:
                tiles[of] = f'tile{len(tiles)}'
                made = {'part': f'tessera::tiled_partition<{c.size}>(block)',
                        'nested': f'tessera::tiled_partition<{c.size}>(tessera::tiled_partition<{c.parent}>(block))',
                        'block': f'tessera::this_block_tile<{c.size}>(block)',
                        'padded': f'tessera::padded_block_tile<{c.size}>(block)'}[c.kind]
                lines.append(f'auto const {tiles[of]} = {made};')
        for name, (bytes_, threads) in self.scratches().items():
            lines.append(f'ORACLE_SCRATCH({name}, oracle::bytes<{bytes_}>, {max(64, threads)});')
        for i, c in enumerate(self.calls):
            c.scratch = f'scratch_{c.kind}_{c.size}'
            tile = tiles[c.kind, c.size, c.parent]
            text = kernel_text(c).replace('(tile,', f'({tile},').replace('(tile)', f'({tile})').replace('(tile |', f'({tile} |')
            text = f'c.store({text});' if stores(c) else f'{text};'
            if c.memory == 'fresh':
                sync = 'block.sync();' if c.kind in ('block', 'padded') else f'{tile}.sync();'
                text = f'{{ {sync} {text} {sync} }}'
            lines.append(f'for (oracle::call c(e, block, {i}, {c.size}, oracle::flow::{c.flow}); c.more(); c.next())')
            lines.append(f'  {text}')
            if self.leave_after == i:
                lines.append('if (e.leaves(block.group_index().x, block.thread_rank())) return;')
        return lines

    def text(self):
        body = '\n'.join('    ' + line for line in self.kernel_body())
        prepare = '\n'.join(
            f'    oracle::each_memory(e, blocks, {i}, {c.size}, [](oracle::draws const& at, unsigned char* memory) {{ '
            f'{c.entry.prepare.format(**fields(c))} }});' for i, c in enumerate(self.calls) if c.entry.prepare)
        check = '\n'.join(
            f'    oracle::each_tile(k, {i}, {c.size}, oracle::flow::{c.flow}, [](oracle::expectation& t) {{ {model_text(c)} }});'
            for i, c in enumerate(self.calls))
        return f'''struct {self.name} {{
  template <class Block>
  ORACLE_KERNEL void kernel(Block const& block, [[maybe_unused]] oracle::environment const& e) {{
{body}
  }}
  static void prepare([[maybe_unused]] oracle::environment const& e, [[maybe_unused]] unsigned blocks) {{
{prepare}
  }}
  static void check(oracle::checks& k) {{
{check}
  }}
}};
'''

    def entry(self, numbers):
        multiple, most, exactly = self.shape()
        tried = ', '.join(f'{{{c.size if c.participants == "where" and c.size <= 8 else 0}, '
                          f'{c.size if c.participants == "first" and (c.size <= 64 or c.collective not in COSTLY) else 0}}}'
                          for c in self.calls)
        group = max(c.parent or c.size for c in self.calls)
        memory = max((c.entry.memory_bytes for c in self.calls), default=0)
        features = ', '.join('{' + ', '.join(str(numbers[f]) for f in c.features() if f in numbers) + '}' for c in self.calls)
        shown = '\\n'.join(line.replace('\\', '\\\\').replace('"', '\\"') for line in self.kernel_body())
        return (f'    {{"{self.name}", "{shown}", {{{multiple}, {most}, {exactly}}}, {self.least_scratch()}, {len(self.calls)}, {self.cell_bytes()}, {memory}, '
                f'{self.leave_after}, {group}, {int(self.sweep)}, '
                f'oracle::run_program<{self.name}>, {self.name}::prepare, {self.name}::check, {{{features}}}, {{{tried}}}}},')


def stores(c):
    if not c.entry.store:
        return False
    if c.collective.startswith('joint') and 'scan' in c.collective:
        return c.extra == 'with_total'
    return True


def programs_of(calls, rng, prefix):
    """Combines the calls to programs of one to six calls, which are possible in blocks of the same shape."""
    programs = []
    rest = [draw_details(c, rng) for c in calls]
    rng.shuffle(rest)
    while rest:
        program = Program(f'{prefix}_{len(programs):03}')
        wanted = rng.randint(1, 6)
        i = 0
        while i < len(rest) and len(program.calls) < wanted:
            if not program.calls or program.takes(rest[i]):
                program.calls.append(rest.pop(i))
            else:
                i += 1
        after = rng.randrange(len(program.calls))
        if rng.random() < 0.4 and program.may_leave_after(after):
            program.leave_after = after
        programs.append(program)
    return programs


# The operators that reveal most errors with lanes that don't exist: they don't commute, or their neutral element is all ones.
TELLING = (('affine', 'joining'), ('bool', 'logical_and'), ('float', 'plus'), ('long', 'minimum'))


def sweeps(rng):
    """Returns programs for every collective that takes padded tiles, with each size of them, in blocks of every size. Collectives
    with an operator also run with those that reveal most errors."""
    programs = []

    def add(name, size, suffix, sweep, **fixed):
        call = None
        while call is None or call.type == 'matrix4':  # reveals no more than other types, and takes as long as all of them
            call = complete(name, {'kind': 'padded', 'size': size, **fixed}, rng)
            if call is None and fixed:
                return
        program = Program(f'sweep_{name}_{size}{suffix}')
        program.calls, program.sweep = [draw_details(call, rng)], sweep
        programs.append(program)

    for name, entry in COLLECTIVES.items():
        if not entry.padded:
            continue
        for size in SIZES[6:]:
            sweep = 1 + (size > 128) + (size > 256)
            add(name, size, '', min(3, sweep + (name in COSTLY)))
            if entry.domains['op']:
                for at, (type_name, op) in enumerate(TELLING):
                    direction = {'direction': 'suffix' if (at + SIZES.index(size)) % 2 else 'prefix'} if entry.domains.get('direction') else {}
                    add(name, size, f'_{op}', 2 + (size > 256), type=type_name, op=op,
                        **{d: entry.domains[d][0] for d in ('items', 'method') if entry.domains.get(d)}, **direction)
    return programs


def unit_text(programs, numbers):
    lines = ['// Generated by generate.py.', '#include "expect.hpp"', '', 'namespace {', '']
    lines += [p.text() for p in programs]
    lines += ['oracle::add_programs const added({']
    lines += [p.entry(numbers) for p in programs]
    lines += ['});', '', '}  // namespace', '']
    return '\n'.join(lines)


def pairs_text(features, pairs, numbers):
    return '\n'.join([
        '// Generated by generate.py: which values there are, and which pairs of them.', 'namespace oracle {',
        'extern char const* const feature_names[];', 'extern unsigned const feature_count;', 'extern unsigned short const pairs[][2];',
        'extern unsigned const pair_count;',
        'char const* const feature_names[] = {' + ''.join(f'"{f}", ' for f in features) + '""};',
        f'unsigned const feature_count = {len(features)};',
        'unsigned short const pairs[][2] = {' + ', '.join(f'{{{numbers[a]}, {numbers[b]}}}' for a, b in pairs) + (', ' if pairs else '') + '{0, 0}};',
        f'unsigned const pair_count = {len(pairs)};', '}  // namespace oracle', ''])


def fixed_set(seed):
    rng = random.Random(seed)
    pairs = TILES.all_pairs(rng)
    calls = TILES.covering_calls(pairs, rng)
    programs = programs_of(calls, rng, 'covering') + sweeps(rng)
    return programs, pairs


def drawn_program(seed, index):
    """Returns program `index` of those that `tools/fuzz --seed SEED` runs."""
    rng = random.Random(f'{seed}:{index}')
    program = Program(f'drawn_{index}')
    wanted = rng.randint(1, 6)
    tries = 0
    while len(program.calls) < wanted and tries < 60:
        tries += 1
        call = complete(rng.choice(list(COLLECTIVES)), {}, rng)
        if call and (not program.calls or program.takes(draw_details(call, rng))):
            program.calls.append(call if program.calls else draw_details(call, rng))
    after = rng.randrange(len(program.calls))
    if rng.random() < 0.4 and program.may_leave_after(after):
        program.leave_after = after
    program.sweep = program.shape()[:1] == (1,) and not program.shape()[2] and rng.random() < 0.1
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--units', type=int, default=16, help='how many files the programs are spread over')
    parser.add_argument('--suffix', default='cpp')
    parser.add_argument('--prefix', default='', help='of the names of all files')
    parser.add_argument('--few', type=int, metavar='N', help='only so many of the programs, and no pairs')
    options = parser.parse_args()
    programs, pairs = fixed_set(options.seed)
    if options.few:
        programs, pairs = programs[::max(1, len(programs) // options.few)], {}
    features = sorted({f for pair in pairs for f in pair})
    numbers = {f: i for i, f in enumerate(features)}
    options.out.mkdir(parents=True, exist_ok=True)
    for unit in range(options.units):
        (options.out / f'{options.prefix}programs_{unit:02}.{options.suffix}').write_text(unit_text(programs[unit::options.units], numbers))
    (options.out / f'{options.prefix}pairs.cpp').write_text(pairs_text(features, sorted(pairs), numbers))
    print(f'{len(programs)} programs, {sum(len(p.calls) for p in programs)} calls, {len(pairs)} pairs', file=sys.stderr)


if __name__ == '__main__':
    main()
