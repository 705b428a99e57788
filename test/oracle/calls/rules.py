"""The combinations that don't exist, with the reasons. Every other combination is promised, so it is generated."""
from pairs import rule

from .call import ANY_SIZE, MANY_BYTES, PARTS
from .values import FLOATS, HALVES, NUMBERS, OPERATORS

MOST_SCRATCH = 20 * 1024   # bytes of scratch in one program


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
    rule('a block as a tile has 64 lanes or more', 'kind size', lambda c: c.kind in PARTS or c.size >= 64),
    rule('a tile of a tile is smaller than its parent', 'kind size', lambda c: c.kind != 'nested' or c.size < 1024),
    rule('a coalesced group is a tile of 32 lanes', 'kind size', lambda c: c.kind != 'coalesced' or c.size == 32),
    rule('a block itself is a padded tile of 1024', 'kind size', lambda c: c.kind != 'thread_block' or c.size == 1024),
    rule('a coalesced group exchanges by its own lanes', 'kind convergence', lambda c: c.kind != 'coalesced' or c.convergence != 'converged'),
    rule('if the block is the tile, all of its threads make the call', 'kind flow',
         lambda c: (c.flow in ('together', 'repeated')) if c.kind not in PARTS else c.flow != 'repeated'),
    rule('only numbers have an order of their own', 'collective type form',
         lambda c: c.form not in ('less', 'greater', 'std_less') or 'by_key' in c.collective or c.type in NUMBERS + HALVES + ('bool',) or (
             'top_k' in c.collective and c.type in ('indexed', 'indexed_long'))),
    rule('where lanes are missing, there is no striped order', 'kind order',
         lambda c: c.kind not in (*ANY_SIZE, 'coalesced') or c.order != 'striped'),
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
