"""A call: a choice in each dimension, and the texts that programs have of it."""
from .orders import ORDERS
from .values import FLOATS, HALVES, OPERATORS, TYPES, values_of

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
# A part of the block, a part of a tile, the block, a padded block tile, a coalesced group of any lanes of a warp, and the block
# itself, which stands for a padded block tile of 1024.
KINDS = ('part', 'nested', 'block', 'padded', 'coalesced', 'thread_block')
PARTS = ('part', 'nested', 'coalesced')
ANY_SIZE = ('padded', 'thread_block')
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
MANY_BYTES = 256  # of values in the registers of a lane
FEW = 'oracle::values::few'

COLLECTIVES = {}  # the rows of the table by name: collective.py


class Call:
    """A choice in each dimension, or None in those that the collective doesn't have.

    Its other attributes are texts: of the kernel, where `c` is the call of one lane (harness.hpp), or of the host, where `t` is
    the call of a tile."""

    def __init__(self, **chosen):
        for dimension in DIMENSIONS:
            setattr(self, dimension, chosen.get(dimension))
        self.parent = None     # the size of the parent of a nested tile
        self.bits = False      # draws arbitrary floats, if the contract promises bits
        self.within_error = False  # set while the text of a comparison within an error is written
        self.tile, self.scratch = 'tile', None  # the names of the tile and the scratch

    @property
    def entry(self):
        return COLLECTIVES[self.collective]

    def key(self):
        return tuple(getattr(self, d) for d in DIMENSIONS)

    def features(self):
        return [f'{d} {getattr(self, d)}' for d in DIMENSIONS if getattr(self, d) is not None]

    # ---- Types, operators and orders

    @property
    def T(self):
        return TYPES[self.type][0]

    @property
    def X(self):
        return f'tessera::items<{self.T}, {self.items}>' if self.items else self.T

    @property
    def bytes(self):
        return TYPES[self.type][1] * max(1, self.items or 0) if self.type else 4

    @property
    def result_type(self):
        return 'unsigned' if self.type == 'bool' and self.op == 'plus' else self.T

    @property
    def combined_type(self):
        """The type in which the model combines: a reduction of a range adds short integers as int."""
        of_range = self.collective.removesuffix('_from') in ('joint_reduce', 'joint_transform_reduce')
        return 'int' if of_range and self.type in ('char', 'short') and self.op in ('plus', 'std_plus') else self.T

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
    def before(self):
        return ORDERS[self.form][0]

    @property
    def model_before(self):
        return ORDERS[self.form][1]

    # ---- Values

    @property
    def which(self):
        return 'oracle::values::' + ('any' if self.bits else values_of(self.type, self.op))

    @property
    def swapped(self):
        """Values that several lanes share, with the same bits."""
        return 'oracle::values::' + ('special' if self.type in FLOATS + HALVES else 'few')

    def value(self, T, *which):
        """A lane's value, as values are drawn that `which` says."""
        return f'c.value<{T}>({", ".join(which)})'

    def values(self, T, *which):
        """The same of all lanes, for the model."""
        return f't.values_of<{T}>({", ".join(which)})'

    def x_of(self, T, *which):
        """A lane's value or items."""
        return f'c.items<{T}, {self.items}>({", ".join(which)})' if self.items else self.value(T, *which)

    def xs_of(self, T, *which):
        return f't.items_of<{T}, {self.items}>({", ".join(which)})' if self.items else self.values(T, *which)

    @property
    def x(self):
        return self.x_of(self.T, self.which)

    @property
    def xs(self):
        return self.xs_of(self.T, self.which)

    def same_value(self, T, which):
        return f'c.same_value<{T}>({which})'

    def model_same_value(self, T, which):
        return f't.same_value<{T}>({which})'

    def blocked(self, values):
        """Values of the model that lanes have in the policy's order, in blocked order."""
        return f'oracle::model::from_striped({values})' if self.order == 'striped' else values

    @property
    def striped(self):
        return 'true' if self.order == 'striped' else 'false'

    @property
    def all_values(self):
        return self.size * (self.items or 1)

    @property
    def sorted_n(self):
        """How many values take part where first(n) counts values."""
        return f'oracle::values_of_first(t.drawn().n(), {self.items or 1})' if self.participants == 'first' else '1 << 30'

    @property
    def taken(self):
        """K of top_k<K>: one or few of the tile's values, or all; a queue holds 1024 at most."""
        all_values = self.all_values if self.collective == 'top_k' else min(self.all_values, 1024)
        turn = SIZES.index(self.size) + (self.items or 0) + len(self.form or '')
        chosen = (1, 2, 3, 8, 20, 40, all_values)[turn % 7]
        lanes = self.size if self.placement == 'scattered' else 1
        return max(1, min(chosen, all_values, lanes * MANY_BYTES // TYPES[self.type][1]))

    @property
    def combined(self):
        """The greatest number of values that a result combines, including an initial value and the cell."""
        if self.collective.startswith('joint'):
            return f't.drawn().count_of_range(sizeof({self.T})) + 2'
        return f't.lanes() * {max(1, self.items or 0)} + 2'

    # ---- Ranges in a tile's memory

    @property
    def range(self):
        return f'c.range<{self.T}>()'

    @property
    def length(self):
        return f'c.length(sizeof({self.T}))'

    # ---- Policies

    def policy(self, first_values):
        n = f'oracle::values_of_first(c.n(), {self.items or 1})' if first_values else 'c.n()'
        words = {'first': f'tessera::first({n})', 'where': 'tessera::where(c.pred())', 'shared': f'tessera::shared({self.scratch})',
                 'fresh': f'tessera::fresh({self.scratch})'}
        chosen = ((getattr(self, kind), choices[0]) for kind, choices in POLICIES.items())
        return ' | '.join(words.get(choice, f'tessera::{choice}') for choice, default in chosen if choice not in (None, default))

    @property
    def how(self):
        who = {'first': 'oracle::model::first(t.lanes(), t.drawn().n())',
               'where': 'oracle::model::where(t.preds())'}.get(self.participants, 'oracle::model::everyone(t.lanes())')
        suffix = 'true' if self.direction == 'suffix' else 'false'
        return f'oracle::model_of::with({who}, {suffix}, oracle::model::placement::{self.placement or "to_all"})'
