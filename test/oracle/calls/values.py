"""The types and operators that calls are drawn with, and the kinds of their values."""

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
