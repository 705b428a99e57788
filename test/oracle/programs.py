"""Programs: a few consecutive calls in one kernel, and the texts of them."""
from calls.call import ANY_SIZE, COLLECTIVES, MANY_BYTES, PARTS, SIZES
from calls.rules import MOST_SCRATCH
from calls.values import FLOATS, HALVES, TYPES, WITHIN_ERROR

MOST_SHARED = 46 * 1024    # including the library's own memory; a kernel may declare 48 KiB
# Every n is tested for tiles of up to 64 lanes only.
COSTLY = ('reduce_batch', 'reduce_by_label', 'match_any', 'match_all', 'histogram', 'sort', 'stable_sort', 'sort_by_key',
          'stable_sort_by_key', 'top_k', 'top_k_push', 'top_k_best', 'nth_element', 'partition', 'scatter', 'radix_rank', 'unique',
          'run_length_encode', 'run_length_decode')


# ---- The texts of a call

def coalesced(c):
    """The last argument of the harness's functions."""
    return ', true' if c.kind == 'coalesced' else ''


def kernel_text(c):
    return c.entry.write(c).kernel


def prepare_text(c):
    return c.entry.write(c).prepare


def model_text(c):
    text = c.entry.write(c).model
    if not c.op or c.type not in WITHIN_ERROR:
        return text
    c.within_error = True
    near = f't.within_error_of({c.combined}); ' + c.entry.write(c).model
    c.within_error = False
    return f'{{ {text} }} {{ {near} }}' if c.bits else near


def draw_details(call, rng):
    """Draws the parts of a call that aren't dimensions."""
    if call.kind == 'nested':
        larger = [s for s in SIZES if s > call.size]
        if call.memory in ('shared', 'fresh'):  # blocks have at least the parent's threads
            larger = [s for s in larger if s == larger[0] or s * Program.scratch_item(call) <= MOST_SCRATCH]
        call.parent = rng.choice(larger)
    # In a padded tile's scan, the bits of the last lane and of the total aren't those of `reduce`: then the results must not
    # depend on the order.
    order_is_promised = not (call.kind in ANY_SIZE and 'scan' in call.collective)
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
            elif c.kind in ANY_SIZE:
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
                block = c.kind not in PARTS
                threads = c.size if block else (self.shape(calls) or (1, 1024, 0))[2] or self.scratch_threads(c)
                bytes_, before = found.get(name, (0, 1024))
                found[name] = (max(bytes_, self.scratch_item(c)), min(threads, before))
        return found

    def least_scratch(self):
        """The threads of the smallest scratch, if larger blocks, which must be reported, could make the calls; or 0."""
        if any(c.kind not in PARTS for c in self.calls):
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
        one_a_lane = ('reduce', 'inclusive_scan', 'inclusive_scan_from', 'exclusive_scan', 'exclusive_scan_from')
        bytes_ = TYPES[c.type][1] if c.collective in one_a_lane else c.bytes
        extra = 16 if c.collective.startswith('segmented') or c.collective.startswith('joint') else 0
        return max(4, bytes_) + extra

    @staticmethod
    def library_arrays(c):
        """The arrays of the library's own memory that a call may need, at most: tile, kind, bytes. See core/library_memory.hpp."""
        if c.size <= 32:
            return set()
        block = c.kind not in PARTS
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
        return (len(self.calls) > i + 1 and all(c.kind in PARTS for c in self.calls) and
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
                        'coalesced': 'oracle::coalesced_group_of(e, block)',
                        'block': f'tessera::this_block_tile<{c.size}>(block)',
                        'padded': f'tessera::padded_block_tile<{c.size}>(block)',
                        'thread_block': 'block'}[c.kind]
                lines.append(f'auto const {tiles[of]} = {made};')
        for name, (bytes_, threads) in self.scratches().items():
            lines.append(f'ORACLE_SCRATCH({name}, oracle::bytes<{bytes_}>, {max(64, threads)});')
        for i, c in enumerate(self.calls):
            c.tile, c.scratch = tiles[c.kind, c.size, c.parent], f'scratch_{c.kind}_{c.size}'
            text = kernel_text(c)
            text = f'c.store({text});' if stores(c) else f'{text};'
            if c.memory == 'fresh':
                sync = 'block.sync();' if c.kind not in PARTS else f'{c.tile}.sync();'
                text = f'{{ {sync} {text} {sync} }}'
            lines.append(f'for (oracle::call c(e, block, {i}, {c.size}, oracle::flow::{c.flow}{coalesced(c)}); c.more(); c.next())')
            lines.append(f'  {text}')
            if self.leave_after == i:
                lines.append('if (e.leaves(block.group_index().x, block.thread_rank())) return;')
        return lines

    def text(self):
        body = '\n'.join('    ' + line for line in self.kernel_body())
        prepare = '\n'.join(
            f'    oracle::each_memory(e, blocks, {i}, {c.size}, [](oracle::draws const& at, unsigned char* memory) {{ '
            f'{prepare_text(c)} }}{coalesced(c)});' for i, c in enumerate(self.calls) if prepare_text(c))
        check = '\n'.join(
            f'    oracle::each_tile(k, {i}, {c.size}, oracle::flow::{c.flow}, [](oracle::expectation& t) {{ {model_text(c)} }}{coalesced(c)});'
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
        return (f'    {{"{self.name}", "{shown}", {{{multiple}, {most}, {exactly}}}, {self.least_scratch()}, '
                f'{len(self.calls)}, {self.cell_bytes()}, {memory}, {self.leave_after}, {group}, {int(self.sweep)}, '
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
        'extern char const* const feature_names[];', 'extern unsigned const feature_count;',
        'extern unsigned short const pairs[][2];', 'extern unsigned const pair_count;',
        'char const* const feature_names[] = {' + ''.join(f'"{f}", ' for f in features) + '""};',
        f'unsigned const feature_count = {len(features)};',
        'unsigned short const pairs[][2] = {' + ''.join(f'{{{numbers[a]}, {numbers[b]}}}, ' for a, b in pairs) + '{0, 0}};',
        f'unsigned const pair_count = {len(pairs)};', '}  // namespace oracle', ''])
