#!/usr/bin/env python3
"""Plain kernels: one call each, as a user writes it, with its sizes and policies known, whose result is used in part.

The calls are those of the oracle's table (../oracle/calls), so that a new collective is here once it is there: each with every
size of tile, with types, policies and types of n in turn. A kernel stores what a lane gets (`whole`), or a part of it (`part`: a count,
the first, the total …), makes the call in a `loop`, or `after` another call. `EXCLUDED` says what can't be compared, and why.

`generate.py --out FOLDER` writes modules, kernels_000.cu and so on, for nvcc, and kernels_000.cpp, which includes it for the host's compiler.
"""
import argparse
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'oracle'))
import generate as oracle

SIZES = oracle.SIZES
COUNTS = ('short', 'int', 'unsigned', 'long long', 'unsigned short')  # types of n

# ---- What isn't compared bit for bit

EXCLUDED = {  # calls
    'atomic_exchange': 'what a lane gets depends on the order of the lanes',
    'atomic_compare_exchange': 'what a lane gets depends on the order of the lanes',
}
EXCLUDED_TYPES = {
    'moments': 'its arithmetic rounds', 'exp_sum': 'its arithmetic rounds', 'attention': 'its arithmetic rounds',
    'indexed_long': 'it has padding', 'named': 'it has padding',
}


def is_compared(c):
    """Returns whether the contract says what each lane gets that stores its result."""
    if c.type in EXCLUDED_TYPES:
        return False
    if c.placement == 'to_leader' and c.collective in ('reduce_by_label', 'segmented_reduce'):
        return False  # the leaders depend on the values
    if c.placement == 'scattered' and slots(c) > c.size and slots(c) % c.size:
        return False  # the last slots of some lanes are unspecified
    if c.participants not in (None, 'everyone') and ('top_k' in c.collective or c.collective == 'nth_element'):
        return False  # fewer values may take part than are asked for
    if c.collective in ('sort', 'sort_by_key') and c.kind == 'part' and c.size > 32 and c.items:
        return False  # equal values in any order: which network sorts them depends on the memory, of which host tiles have a block tile's
    if c.kind == 'coalesced' and (c.entry.memory_bytes or c.collective in ('shuffle', 'broadcast', 'scatter')):
        return False  # two groups of a warp would share the memory, and may not have the source
    return c.memory != 'fresh' and c.kind != 'nested'


def slots(c):
    """Returns the number of results that `scattered` gives to the lanes of a tile."""
    return c.taken if 'top_k' in c.collective else c.form if c.collective == 'histogram' else c.items or 1


# ---- What a kernel costs to compile

HEAVY = ('sort', 'top_k', 'nth_element', 'merge', 'joint', 'reduce_by_label', 'transpose', 'run_length', 'scatter', 'partition', 'radix')


def is_cheap(c):
    """Returns whether the call is compiled in a second or two: the others show nothing more."""
    bytes_ = c.bytes
    if c.collective == 'top_k_push' or c.collective == 'top_k_best' or 'top_k' in c.collective:
        return bytes_ <= 16 and (c.items or 1) <= 2 and c.taken <= 40
    if any(word in c.collective for word in HEAVY):
        return bytes_ <= 16 and (c.items or 1) <= 4
    return bytes_ <= 64 and (c.items or 1) <= 8


# ---- Kernels

class Kernel:
    def __init__(self, call, use, count):
        self.call, self.use, self.count = call, use, count

    def key(self):
        return self.call.key(), self.use, self.count

    @property
    def threads(self):
        c = self.call
        if c.kind == 'block':
            return c.size
        if c.kind in ('padded', 'thread_block'):
            return c.size - c.size // 3
        return min(1024, max(64, 2 * c.size))

    def text_of_call(self):
        text = oracle.kernel_text(self.call)
        text = re.sub(r'\bc\.(n|length)\(', rf'c.\1<{self.count}>(', text)
        if self.call.collective == 'run_length_decode':
            text = re.sub(r'\.value$', '.total', text)  # values after the total are unspecified
        return text.replace('tessera::hardware', 'PLAIN_HARDWARE')

    def part(self, result):
        c = self.call
        if c.collective in ('ballot', 'match_any', 'peers'):
            parts = ['plain::count_of(r)']
            parts += ['r.rank', 'r.leader'] if c.collective == 'peers' else ['r.first()', 'r.any()', 'r.rank_of(tile.thread_rank())']
        elif c.extra == 'with_total' and not c.collective.startswith('joint'):
            parts = ['r.total', 'r.value']
        elif c.collective == 'compact_append':
            parts = ['r.begin', 'r.count']
        elif c.collective == 'equal_range':
            parts = ['r.begin', 'r.end']
        elif c.collective in ('partition', 'unique'):
            return [result.replace('.position', '.count')]
        elif c.collective in ('run_length_encode',):
            return [result.replace('.length', '.count')]
        elif c.items and c.collective in ('inclusive_scan', 'exclusive_scan', 'sort', 'stable_sort', 'shuffle', 'rotate', 'reverse',
                                          'transpose', 'striped_to_blocked', 'blocked_to_striped', 'exchange_items', 'merge'):
            parts = ['plain::first_of(r)', 'plain::last_of(r)']
        else:
            return []
        return [f'[&] {{ auto const r = {result}; return {part}; }}()' for part in parts]

    def stored(self, result):
        """Returns a statement that stores the result where the contract says what it is."""
        c = self.call
        round_ = ', round' if self.use == 'loop' else ''
        text = f'plain::store(a, block, {result}{round_});'
        if c.placement == 'to_leader':
            return f'{{ auto const r = {result}; if (tile.thread_rank() == 0) plain::store(a, block, r{round_}); }}'
        if c.placement == 'scattered' and slots(c) < c.size:
            return f'{{ auto const r = {result}; if (tile.thread_rank() < {slots(c)}) plain::store(a, block, r{round_}); }}'
        return text

    def body(self, rng):
        c = self.call
        made = {'part': f'tessera::tiled_partition<{c.size}>(block)', 'block': f'tessera::this_block_tile<{c.size}>(block)',
                'padded': f'tessera::padded_block_tile<{c.size}>(block)', 'thread_block': 'block',
                'coalesced': 'tessera::binary_partition(tessera::tiled_partition<32>(block), block.thread_rank() * 5 % 7 < 3)'}[c.kind]
        lines = ['PLAIN_BLOCK;', f'[[maybe_unused]] auto const tile = {made};']
        if c.memory == 'shared':
            c.scratch = 'scratch'
            bytes_, threads = oracle.Program.scratch_item(c), max(64, (self.threads + 31) // 32 * 32)
            if c.kind in ('padded', 'thread_block'):
                threads = max(64, c.size)
            lines.append(f'PLAIN_SCRATCH(scratch, oracle::bytes<{bytes_}>, {threads});')
        text = self.text_of_call()
        if not oracle.stores(c):
            call = f'{text};'
        else:
            parts = self.part(text) if self.use in ('part', 'count') else []
            call = self.stored(parts[0] if self.use == 'count' else rng.choice(parts or [text]))
        inputs = f'plain::inputs const c(a, block, {c.size});'
        if self.use == 'loop':
            lines += ['for (unsigned round = 0; round < a.rounds; ++round) {', f'  plain::inputs const c(a, block, {c.size}, round);',
                      f'  {call}', '}']
        elif self.use == 'after':
            lines += [inputs, 'unsigned const before = tessera::count_if(tile, c.pred(2));',
                      'if (tile.thread_rank() == 0) plain::store(a, block, before, 1);', call]
        else:
            lines += [inputs, call]
        return lines

    def source(self, name, rng):
        c = self.call
        many = self.threads > 512 or (self.threads > 256 and 'sort' in c.collective)  # registers: their contracts say so
        bounds = f'__launch_bounds__({self.threads})' if many else f'PLAIN_BOUNDS({self.threads})'
        body = self.body(rng)
        self.shown = '\\n'.join(line.replace('\\', '\\\\').replace('"', '\\"') for line in body)
        text = f'PLAIN_KERNEL({name}, {bounds}) {{\n' + '\n'.join('  ' + line for line in body) + '\n}\n'
        prepared = oracle.prepare_text(c)
        if prepared:
            text += (f'#if !TESSERA_CUDA\nstatic void prepare_{name}(oracle::draws const& at, unsigned char* memory) {{ {prepared} }}\n#endif\n')
        return text

    def entry(self, name):
        c = self.call
        prepare = f'prepare_{name}' if oracle.prepare_text(c) else 'nullptr'
        buffer = 'true' if c.collective in ('joint_sort', 'joint_stable_sort') else 'false'
        return f'    {{"{name}", "{self.shown}", {c.size}, {self.threads}, {c.entry.memory_bytes}, {buffer}, {name}, {prepare}}},'


def counts_of(c):
    """Returns the types of n that the call may have."""
    text = oracle.kernel_text(c)
    if c.participants == 'first' and not c.entry.first_values:
        return COUNTS
    if 'c.length(' not in text or 'joint_merge' in text:
        return ('int',)
    fits_short = c.size * 256 // oracle.TYPES[c.type][1] < 30000
    return COUNTS if fits_short else ('int', 'unsigned', 'long long')


def uses_of(c):
    uses = ['whole', 'part', 'after']
    if oracle.stores(c) and c.form != 'in_place' and c.collective != 'compact_append':
        uses.append('loop')
    if not oracle.stores(c):
        uses.remove('part')
    return uses


def drawn(collective, size, rng):
    """Returns a kernel of the collective with tiles of this size, if there is one."""
    for _ in range(60):
        c = oracle.complete(collective, {'size': size, 'flow': 'together'}, rng)
        if c and is_compared(c) and is_cheap(c):
            return Kernel(c, rng.choice(uses_of(c)), rng.choice(counts_of(c)))
    return None


def all_kernels(seed, number):
    """Returns so many different kernels: all calls, and then again with another size each."""
    rng = random.Random(seed)
    kernels, keys, tries = [], set(), 0
    names = [name for name in oracle.COLLECTIVES if name not in EXCLUDED]
    sizes = {name: rng.sample(SIZES, len(SIZES)) for name in names}
    pairs = [(name, sizes[name][turn]) for turn in range(len(SIZES)) for name in names]
    while len(kernels) < number and tries < 4 * number:
        name, size = pairs[tries % len(pairs)]
        tries += 1
        kernel = drawn(name, size, rng)
        if kernel and kernel.key() not in keys:
            keys.add(kernel.key())
            kernels.append(kernel)
    return kernels


# Kernels that a compiler once got wrong, whatever else is drawn. See docs/explanation/compilers-faults.md.
MET = [
    *[('match_any', dict(size=256, type='int', participants='everyone', memory='own', kind='part'), use, 'int') for use in ('count', 'whole')],
    *[('peers', dict(size=size, type='int', memory='own', kind='part'), 'count', 'int') for size in (128, 256, 512)],
    *[('find_if', dict(size=size, type='upper2', convergence='converged', kind='part'), 'whole', 'short') for size in (1, 2, 4, 8, 16)],
    *[('joint_any_of', dict(size=size, type='upper2', kind='part', placement='to_all'), 'whole', 'short') for size in (1, 2, 4, 8, 16)],
    *[('joint_sort', dict(size=2, type='int', form='less', kind='part', convergence=convergence), 'whole', count)
      for convergence in ('converged', 'isolated', 'adaptive') for count in ('short', 'int')],
    *[('joint_stable_sort', dict(size=2, type='float', form='greater', kind='part', convergence=convergence), 'whole', 'short')
      for convergence in ('converged', 'isolated', 'adaptive')],
    *[('sort', dict(size=2, type='int', form='less', kind='part', items=8, participants='first', order='blocked', convergence=convergence),
       'whole', 'int') for convergence in ('converged', 'isolated', 'adaptive')],
]


def met(seed):
    rng = random.Random(seed)
    kernels = []
    for collective, fixed, use, count in MET:
        c = oracle.complete(collective, {'flow': 'together', **fixed}, rng)
        kernels.append(Kernel(c, use, count))
    return kernels


def widest():
    """Returns each call of a tile on 512 and on 1024 lanes, of ints where it takes them, with the defaults of its policies."""
    kernels = []
    for name, entry in oracle.COLLECTIVES.items():
        if not entry.domains['convergence']:
            continue  # no call of a tile
        defaults = {d: values[0] for d, values in entry.domains.items() if values and d not in ('type', 'op', 'size', 'form')}
        for size in (512, 1024):
            of_types = ({'type': t} for t in ('int', 'indexed', 'float') if t in entry.domains['type']) if entry.domains['type'] else [{}]
            calls = (oracle.complete(name, {**defaults, **of_type, 'size': size, 'kind': 'block'}, random.Random(name))
                     for of_type in of_types)
            kernels.append(Kernel(next(filter(None, calls)), 'whole', 'int'))
    return kernels


def widest_text():
    """Returns these kernels without launch bounds, for the test of their registers."""
    lines = ['// Generated by generate.py.', '#include "plain.hpp"', '']
    for kernel in widest():
        name = f'{kernel.call.collective}_{kernel.call.size}'
        lines.append(re.sub(r'__launch_bounds__\(\d+\)', '', kernel.source(name, random.Random(name)), count=1))
    return '\n'.join(lines)


def module_text(name, numbered, seed):
    rng = random.Random(f'{seed} {name}')
    lines = ['// Generated by generate.py.', '#include "plain.hpp"', '']
    lines += [kernel.source(f'k{number}', rng) for number, kernel in numbered]
    lines += ['#if !TESSERA_CUDA', f'static plain::add_module const added("{name}", {{']
    lines += [kernel.entry(f'k{number}') for number, kernel in numbered]
    lines += ['});', '#endif', '']
    return '\n'.join(lines)


def write(path, text):
    """Leaves a file as it is that has this text, so that nothing is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--kernels', type=int, default=4000, help='how many')
    parser.add_argument('--modules', type=int, default=64, help='how many files they are spread over')
    parser.add_argument('--widest', action='store_true', help='instead only widest.cu, of each call on 512 and 1024 lanes')
    options = parser.parse_args()
    if options.widest:
        options.out.mkdir(parents=True, exist_ok=True)
        return write(options.out / 'widest.cu', widest_text())
    kernels = met(options.seed)
    kernels += all_kernels(options.seed, max(0, options.kernels - len(kernels)))
    options.out.mkdir(parents=True, exist_ok=True)
    numbered = list(enumerate(kernels))
    for i in range(options.modules):
        name = f'kernels_{i:03}'
        write(options.out / f'{name}.cu', module_text(name, numbered[i::options.modules], options.seed))
        write(options.out / f'{name}.cpp', f'// Generated by generate.py.\n#include "{name}.cu"\n')
    print(f'{len(kernels)} kernels, {len({k.call.collective for k in kernels})} calls', file=sys.stderr)


if __name__ == '__main__':
    main()
