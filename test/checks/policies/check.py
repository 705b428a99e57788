#!/usr/bin/env python3
"""Every collective with every choice of policy: it compiles, or fails with a message that says what to write.

    check.py INCLUDE COMPILER [OPTION...]     as TAP, a case a collective

The table is include/tessera/tile/collectives.hpp; the oracle's rows (test/oracle/examples.py) have a call of each. Choices that the table allows are compiled
together; those that it doesn't allow are compiled together as well, and each must be refused at its own line. The oracle
(test/oracle/calls), which tries what the calls give, must draw the kinds of policy that the table has.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'oracle'))
import examples  # noqa: E402

os.environ.update(LC_ALL='C.UTF-8', LANGUAGE='')  # compilers' messages are read

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


def joins(name, row, choice):
    """Whether the collective takes what a scratch is joined with."""
    with_what = choice.split(' | ')[1]
    if 'where' in with_what and 'first_only' in row.properties:
        return False
    return ('participants' if 'where' in with_what else 'placement') in row.kinds and (name, with_what) not in SPECIAL


def allowed(name, row, size, kind, choice):
    """Whether the table lets this choice through, for a tile of so many lanes."""
    if kind == 'memory':
        if size <= 32 or row.storage == 'no_storage':
            return False
        if 'fresh' in choice and row.storage != 'shared_fresh':
            return False
        if 'exchanges_with_where' in row.properties and 'where' not in choice:
            return False
        return not ('exchanges_to_all' in row.properties and 'to_leader' in choice)
    if kind not in row.kinds or (name, choice) in SPECIAL or (choice == 'where(true)' and 'first_only' in row.properties):
        return False
    return choice != 'scattered' or 'scatters' in row.properties


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
    table = examples.rows(include)
    print(f'1..{2 * len(table) + 1}')
    without = sorted(name for name, row in table.items() if not row.example)
    print('not ok' if without else 'ok', '- every collective of the table has an example in its row of the oracle')
    if without:
        print('#', *without)
    good, bad = [], []
    for name in sorted(set(table) - set(without)):
        row = table[name]
        for size in (8, 64):
            for kind, choices in CHOICES.items():
                if size == 64 and kind != 'memory':
                    continue  # what a tile's size has no part in is said once
                for choice in choices:
                    if ' | ' in choice and not joins(name, row, choice):
                        continue  # refused for what it is joined with
                    item = 'float' if 'float' in row.example or '$x' in row.example else 'int'
                    call = (f'{"this_block_tile<64>" if size == 64 else "tiled_partition<8>"}(block)', item,
                            row.call(choice, x='1.0f', u='3', **{'in': 'in', 'out': 'out'}))
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
        row = table[name]
        drawn = {k for k in CHOICES if row.entry.domains.get(k)} if row.entry else set()
        kinds = set(row.kinds) | ({'memory'} if row.storage != 'no_storage' else set())
        print('ok' if drawn == kinds else 'not ok', f'- {name}: the oracle draws what it takes')
        if drawn != kinds:
            print('# in one only:', ' '.join(sorted(drawn ^ kinds)))
    print(f'# {len(good)} calls compile, {len(bad)} are refused')


main()
