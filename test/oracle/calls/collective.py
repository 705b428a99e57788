"""A row of the table, and what rows of several families write."""
import collections

from .call import COLLECTIVES, KINDS, POLICIES, SIZES
from .values import HALVES, MOVED, OPERATORS

# What a row writes of a call: the call in the kernel, the host's comparison with the model, and how the host fills the tile's memory
# before the launch, `memory` for the draws `at`.
Texts = collections.namedtuple('Texts', 'kernel model prepare', defaults=[''])


class Collective:
    def __init__(self, write, example='', types=None, ops=False, items=None, form=None, padded=False, any_lanes=False, store=True, memory_bytes=0,
                 needs_identity=False, commuting=False, bits=False, **policies):
        self.write, self.example = write, example
        self.first_values = policies.get('participants') == FIRST_VALUES['participants']  # first(n) counts values, of items too
        self.padded, self.store, self.memory_bytes = padded, store, memory_bytes
        self.needs_identity, self.commuting, self.bits = needs_identity, commuting, bits
        self.domains = {
            'kind': KINDS if padded else KINDS[:3] + ('coalesced',) if any_lanes else KINDS[:3], 'size': SIZES, 'type': types, 'op': tuple(OPERATORS) if ops else None,
            'items': items, 'form': form, 'flow': ('together', 'some', 'apart', 'repeated'), 'convergence': POLICIES['convergence'],
            **policies,
        }


def collective(*names, **choices):
    """Makes a function, which returns the Texts of a call, the row of its name, or the rows of several names. The `example`, with $name for
    one of several, is the call of other tests: see ../examples.py."""
    example = choices.pop('example', '')

    def add(write):
        for name in names or [write.__name__]:
            COLLECTIVES[name] = Collective(write, example.replace('$name', name), **choices)
        return write
    return add


# ---- Choices that several rows have

WHO = dict(participants=POLICIES['participants'])
FIRST_VALUES = dict(participants=('everyone', 'first'))
WHERE_TO = dict(placement=('to_all', 'to_leader'))
PLACEMENT = dict(placement=POLICIES['placement'])
METHODS = dict(method=POLICIES['method'])
DIRECTION = dict(direction=POLICIES['direction'])
SCANS = dict(**DIRECTION, extra=POLICIES['extra'])
ORDER = dict(order=POLICIES['order'])
MEMORY = dict(memory=('own', 'shared'))
ALL_MEMORY = dict(memory=POLICIES['memory'])
ORDERED = MOVED + HALVES  # for sorts, selections and merges, which order halves as numbers
SORTED = tuple(t for t in ORDERED if t != 'indexed_long')  # without padding, since results are compared by their bytes
QUEUED = ('char', 'int', 'float', 'double', 'map3', 'indexed', 'upper2') + HALVES
COUNTED = ('char', 'short', 'int', 'unsigned', 'long')


# ---- Texts

def joined(*arguments):
    return ', '.join(str(argument) for argument in arguments if argument != '')


def call(c, name, *arguments, scope='tessera'):
    """The call of a tile in the kernel. Empty arguments are left out."""
    return f'{scope}::{name}({joined(c.tile, *arguments, c.policy(c.entry.first_values))})'


def model(name, *arguments):
    return f'oracle::model::{name}({joined(*arguments)})'


def compare(expected):
    return f't.compare({expected});'


def compare_slots(expected):
    return f't.compare_slots({expected});'


def compare_scan(c, scanned):
    """The model has the values and the total of a scan."""
    return f't.compare(oracle::with_totals({scanned}));' if c.extra == 'with_total' else f't.compare({scanned}.value);'


def compare_memory(elements, offset=''):
    return f't.compare_memory({joined(f"oracle::all_of_them({elements})", offset)});'


def untouched(begin, end='t.memory_bytes()'):
    return f't.untouched({begin}, {end});'


def after(begin, elements, T):
    """The offset after so many elements that begin at an offset."""
    return f'static_cast<unsigned>({begin} + {elements} * sizeof({T}))'


def that(condition, otherwise):
    return f't.that({condition}, "{otherwise}");'


def in_order(c, values):
    """Values of the model that are in blocked order, in the order in which lanes get them."""
    return f'oracle::model::to_striped({values})' if c.order == 'striped' else f'({values})'


# ---- Ranges in a tile's memory

def element(c):
    """The type whose size decides how many elements a range has."""
    return c.result_type if 'scan' in c.collective else c.T


def range_of(c, which=None, const='const '):
    """Declares x, the range's elements."""
    return (f'auto {const}x = oracle::range_of<{c.T}>(t.drawn(), t.drawn().count_of_range(sizeof({element(c)})), '
            f'{which or c.which});')


def fill(c, how='fill_range', which=None, *more):
    return (f'oracle::{how}<{c.T}>(' + joined(f'at, memory + at.range_begin(alignof({c.T}))', f'at.count_of_range(sizeof({element(c)}))',
                                              which or c.which, *more) + ');')
