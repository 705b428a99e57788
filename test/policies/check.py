#!/usr/bin/env python3
"""Every collective with every choice of policy: it compiles, or fails with a message that says what to write.

    check.py INCLUDE COMPILER [OPTION...]     as TAP, a case a collective

The table is include/tessera/tile/collectives.hpp; CALLS below has a call of each. Choices that the table allows are compiled
together; those that it doesn't allow are compiled together as well, and each must be refused at its own line. The oracle
(test/oracle/calls), which tries what the calls give, must draw the kinds of policy that the table has.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'oracle'))
import generate  # noqa: E402

X = 'items<float, 4>{{{{1, 2, 3, 4}}}}'
CALLS = {
    'reduce': 'reduce(tile, 1.0f, plus{{}}, {p})',
    'reduce_batch': f'reduce_batch(tile, {X.replace("float", "double")}, plus{{{{}}}}, {{p}})',
    'atomic_reduce': 'atomic_reduce(tile, out, 1, plus{{}}, {p})',
    'inclusive_scan': 'inclusive_scan(tile, 1.0f, plus{{}}, {p})',
    'exclusive_scan': 'exclusive_scan(tile, 1.0f, plus{{}}, {p})',
    'segmented_inclusive_scan': 'segmented_inclusive_scan(tile, 1.0f, true, plus{{}}, {p})',
    'segmented_exclusive_scan': 'segmented_exclusive_scan(tile, 1.0f, true, plus{{}}, {p})',
    'segmented_reduce': 'segmented_reduce(tile, 1.0f, true, plus{{}}, {p})',
    'adjacent_difference': 'adjacent_difference(tile, 1.0f, minus{{}}, {p})',
    'is_sorted': 'is_sorted(tile, 1.0f, less{{}}, {p})',
    'sort': 'sort(tile, 1.0f, less{{}}, {p})',
    'stable_sort': 'stable_sort(tile, 1.0f, less{{}}, {p})',
    'sort_by_key': 'sort_by_key(tile, 1.0f, 2, less{{}}, {p})',
    'stable_sort_by_key': 'stable_sort_by_key(tile, 1.0f, 2, less{{}}, {p})',
    'merge': 'merge(tile, 1.0f, 2.0f, less{{}}, {p})',
    'merge_by_key': 'merge_by_key(tile, 1.0f, 2, 3.0f, 4, less{{}}, {p})',
    'top_k': 'top_k<1>(tile, 1.0f, greater{{}}, {p})',
    'top_k_push': 'top_k_queue<1, float, greater, tile_size_v<decltype(tile)> < 32 ? tile_size_v<decltype(tile)> : 32>{{}}.push(tile, 1.0f, {p})',
    'top_k_best': 'top_k_queue<1, float, greater, tile_size_v<decltype(tile)> < 32 ? tile_size_v<decltype(tile)> : 32>{{}}.best(tile, {p})',
    'joint_top_k': 'joint_top_k<1>(tile, in, 9, greater{{}}, {p})',
    'joint_transform_top_k': 'joint_transform_top_k<1>(tile, in, 9, greater{{}}, [](int x) {{ return x; }}, {p})',
    'nth_element': 'nth_element(tile, 1.0f, 0, less{{}}, {p})',
    'partition': 'partition(tile, true, {p})',
    'scatter': 'scatter(tile, 1.0f, tile.thread_rank(), {p})',
    'radix_rank': 'radix_rank<4>(tile, 3, {p})',
    'unique': 'unique(tile, 1.0f, equal_to{{}}, {p})',
    'run_length_encode': 'run_length_encode(tile, 1.0f, equal_to{{}}, {p})',
    'run_length_decode': 'run_length_decode(tile, 1.0f, 2u, 3u, {p})',
    'shuffle': 'shuffle(tile, 1.0f, 0, {p})',
    'broadcast': 'broadcast(tile, 1.0f, 0, {p})',
    'shift_up': 'shift_up(tile, 1.0f, 1, {p})',
    'shift_down': 'shift_down(tile, 1.0f, 1, {p})',
    'rotate': 'rotate(tile, 1.0f, 1, {p})',
    'reverse': 'reverse(tile, 1.0f, {p})',
    'butterfly': 'butterfly(tile, 1.0f, 1, {p})',
    'exchange_items': f'exchange_items(tile, {X}, 1, 0, 1, {{p}})',
    'striped_to_blocked': f'striped_to_blocked(tile, {X}, {{p}})',
    'blocked_to_striped': f'blocked_to_striped(tile, {X}, {{p}})',
    'transpose': f'transpose(tile, {X}, {{p}})',
    'ballot': 'ballot(tile, true, {p})',
    'any_of': 'any_of(tile, true, {p})',
    'all_of': 'all_of(tile, true, {p})',
    'none_of': 'none_of(tile, true, {p})',
    'count_if': 'count_if(tile, true, {p})',
    'elect': 'elect(tile, {p})',
    'invoke_one': 'invoke_one(tile, [] {{ return 1; }}, {p})',
    'match_any': 'match_any(tile, 1, {p})',
    'match_all': 'match_all(tile, 1, {p})',
    'peers': 'peers(tile, 1, {p})',
    'reduce_by_label': 'reduce_by_label(tile, 1, 1.0f, plus{{}}, {p})',
    'aggregated_add': 'aggregated_add(tile, out, 1, 1, {p})',
    'histogram': 'histogram<8>(tile, 1, {p})',
    'compact': 'compact(tile, 1, true, out, {p})',
    'compact_append': 'compact(tile, 1, true, out, out, {p})',
    'load': 'load<4>(tile, in, 9, {p})',
    'store': 'store(tile, 1, out, 9, {p})',
    'joint_merge': 'joint_merge(tile, in, 9, in, 9, out, less{{}}, {p})',
    'joint_sort': 'joint_sort(tile, out, 9, out + 9, less{{}}, {p})',
    'joint_stable_sort': 'joint_stable_sort(tile, out, 9, out + 9, less{{}}, {p})',
    'joint_reduce': 'joint_reduce(tile, in, 9, plus{{}}, {p})',
    'joint_transform_reduce': 'joint_transform_reduce(tile, in, 9, plus{{}}, [](int x) {{ return x; }}, {p})',
    'joint_any_of': 'joint_any_of(tile, in, 9, [](int x) {{ return x > 0; }}, {p})',
    'joint_all_of': 'joint_all_of(tile, in, 9, [](int x) {{ return x > 0; }}, {p})',
    'joint_none_of': 'joint_none_of(tile, in, 9, [](int x) {{ return x > 0; }}, {p})',
    'lower_bound': 'lower_bound(tile, in, 9, 3, less{{}}, {p})',
    'upper_bound': 'upper_bound(tile, in, 9, 3, less{{}}, {p})',
    'find_if': 'find_if(tile, in, 9, [](int x) {{ return x > 0; }}, {p})',
    'joint_inclusive_scan': 'joint_inclusive_scan(tile, in, 9, out, plus{{}}, {p})',
    'joint_exclusive_scan': 'joint_exclusive_scan(tile, in, 9, out, plus{{}}, {p})',
    'joint_transform_inclusive_scan':
        'joint_transform_inclusive_scan(tile, in, 9, out, plus{{}}, [](int x) {{ return x; }}, {p})',
    'joint_transform_exclusive_scan':
        'joint_transform_exclusive_scan(tile, in, 9, out, plus{{}}, [](int x) {{ return x; }}, {p})',
}
CHOICES = {
    'convergence': ('adaptive', 'converged', 'isolated'),
    'placement': ('to_all', 'to_leader', 'scattered'),
    'participants': ('everyone', 'first(3)', 'where(true)'),
    'method': ('automatic', 'shuffles', 'hardware'),
    'direction': ('prefix', 'suffix'),
    'extra': ('value_only', 'with_total'),
    'order': ('blocked', 'striped'),
    'memory': ('shared(scratch)', 'fresh(scratch)', 'shared(scratch) | where(true)', 'shared(scratch) | to_leader'),
}
# What a choice needs beside its kind, as the messages say: a reduction by the hardware is one of integers, scans have an
# instruction for truth values only, and a histogram's counts go to all lanes or one to each.
SPECIAL = {('reduce', 'hardware'), ('reduce_batch', 'hardware'), ('inclusive_scan', 'hardware'), ('exclusive_scan', 'hardware'),
           ('histogram', 'to_leader')}
SAYS_WHAT = re.compile(r'leave|write|keep one')
PROLOGUE = '#include <tessera/host/launch.hpp>\n#include <tessera/tessera.hpp>\nusing namespace tessera;\n'


def described(include):
    """Of each collective: the kinds of policy, what it does with a scratch, and the rest of its line."""
    text = (pathlib.Path(include) / 'tessera/tile/collectives.hpp').read_text()
    text = re.sub(r'//.*', '', text)
    found = {}
    for m in re.finditer(r'struct (\w+)\s*:\s*described<([\w |]+), (\w+), (\w+)> \{(.*?)\n\};', text, re.S):
        found[m[1]] = {'kinds': set(m[2].replace(' ', '').split('|')), 'storage': m[3],
                       'scatters': 'scatters = true' in m[5],
                       'takes_where': 'takes_where = false' not in m[5], 'exchanges': m[5].partition('exchanges = ')[2].strip(' ;\n')}
    return found


def joins(name, row, choice):
    """Whether the collective takes what a scratch is joined with."""
    with_what = choice.split(' | ')[1]
    if 'where' in with_what and not row['takes_where']:
        return False
    return ('participants' if 'where' in with_what else 'placement') in row['kinds'] and (name, with_what) not in SPECIAL


def allowed(name, row, size, kind, choice):
    """Whether the table lets this choice through, for a tile of so many lanes."""
    if kind == 'memory':
        if size <= 32 or row['storage'] == 'no_storage':
            return False
        if 'fresh' in choice and row['storage'] != 'shared_fresh':
            return False
        if 'where' in row['exchanges'] and 'where' not in choice:
            return False
        return not ('to_leader' in row['exchanges'] and 'to_leader' in choice)
    if kind not in row['kinds'] or (name, choice) in SPECIAL or (choice == 'where(true)' and not row['takes_where']):
        return False
    return choice != 'scattered' or row['scatters']


def compiled(compiler, include, calls):
    """The messages at each call that is refused: {number: [message]}, and the compiler's output."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / 'calls.cpp'
        first = PROLOGUE.count('\n') + 1
        lines = [f'void call{i}(host::block block, int const* in, int* out) {{ auto const tile = {tile}; host::scratch<{item}, 64> scratch(block); '
                 f'(void)in; (void)out; (void)scratch; (void)tile; {call}; }}' for i, (tile, item, call) in enumerate(calls)]
        source.write_text(PROLOGUE + '\n'.join(lines) + '\n')
        ran = subprocess.run([*compiler, '-std=c++17', '-fsyntax-only', '-fmax-errors=0', f'-I{include}', str(source)],
                             stderr=subprocess.PIPE, text=True)
    refused, here = {}, None
    for line in ran.stderr.splitlines():
        at = re.search(r'calls\.cpp:(\d+):\d+:\s+required from here', line)
        if at:
            here = int(at[1]) - first
        wrong = re.search(r'error: static assertion failed: (.*)', line)
        if wrong and here is not None:
            refused.setdefault(here, []).append(wrong[1])
    return refused, ran.stderr


def main():
    include, compiler = sys.argv[1], sys.argv[2:]
    table = described(include)
    print(f'1..{2 * len(table) + 1}')
    known = set(table) == set(CALLS)
    print('ok' if known else 'not ok', '- every collective of the table has a call here')
    if not known:
        print('#', sorted(set(table) ^ set(CALLS)))
    good, bad = [], []
    for name in sorted(set(table) & set(CALLS)):
        row = table[name]
        for size in (8, 64):
            for kind, choices in CHOICES.items():
                if size == 64 and kind != 'memory':
                    continue  # what a tile's size has no part in is said once
                for choice in choices:
                    if ' | ' in choice and not joins(name, row, choice):
                        continue  # refused for what it is joined with
                    item = 'float' if 'float' in CALLS[name] or '1.0f' in CALLS[name] else 'int'
                    call = (f'{"this_block_tile<64>" if size == 64 else "tiled_partition<8>"}(block)', item,
                            CALLS[name].format(p=choice))
                    (good if allowed(name, row, size, kind, choice) else bad).append((name, size, choice, call))
    failed = {}
    refused, said = compiled(compiler, include, [call for *_, call in good])
    for i, messages in refused.items():
        name, size, choice, _ = good[i]
        failed.setdefault(name, []).append(f'{choice} on {size} lanes is refused: {messages[0]}')
    if 'error' in said and not refused:
        failed.setdefault('reduce', []).append(said[:2000])
    refused, _ = compiled(compiler, include, [call for *_, call in bad])
    for i, (name, size, choice, _) in enumerate(bad):
        if i not in refused:
            failed.setdefault(name, []).append(f'{choice} on {size} lanes compiles')
        elif not any(SAYS_WHAT.search(m) for m in refused[i]):
            failed.setdefault(name, []).append(f'{choice} on {size} lanes: no message says what to write: {refused[i]}')
    for name in sorted(table):
        print('not ok' if name in failed else 'ok', f'- {name} with every choice of policy')
        for what in failed.get(name, []):
            print('#', what)
        drawn = {k for k in CHOICES if generate.COLLECTIVES[name].domains.get(k)} if name in generate.COLLECTIVES else set()
        kinds = table[name]['kinds'] | ({'memory'} if table[name]['storage'] != 'no_storage' else set())
        print('ok' if drawn == kinds else 'not ok', f'- {name}: the oracle draws what it takes')
        if drawn != kinds:
            print('# in one only:', ' '.join(sorted(drawn ^ kinds)))
    print(f'# {len(good)} calls compile, {len(bad)} are refused')


main()
