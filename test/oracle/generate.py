#!/usr/bin/env python3
"""Random programs over everything that the library promises for tiles, each of which has a few consecutive calls.

A call is a choice in each dimension: collective, kind of tile, size, type, operator, items, form, the eight kinds of policy, and
the flow, which is how often the tiles of the block make the call. The table of calls is in calls/, and programs are written by
programs.py.

`generate.py --out FOLDER` writes the fixed set: programs in which each pair of choices occurs that the rules allow, programs for
blocks of every size, and a list of the pairs, so that the run can check that each pair occurred.
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pairs import Table  # noqa: E402
from programs import (COSTLY, Program, draw_details, kernel_text, model_text, pairs_text, prepare_text, programs_of, stores,  # noqa: E402,F401
                      unit_text)
from calls import COLLECTIVES  # noqa: E402
from calls.call import DIMENSIONS, POLICIES, SIZES, Call  # noqa: E402,F401
from calls.rules import RULES  # noqa: E402
from calls.values import HALVES, OPERATORS, TYPES  # noqa: E402,F401

CHOSEN = tuple(d for d in DIMENSIONS if d != 'collective')
TILES = Table(COLLECTIVES, RULES, DIMENSIONS, Call, doubled=('items', 'method', 'memory'))
complete = TILES.complete


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

    def write(name, text):
        """Leaves a file as it is that has this text, so that it isn't compiled again."""
        file = options.out / (options.prefix + name)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)

    for unit in range(options.units):
        write(f'programs_{unit:02}.{options.suffix}', unit_text(programs[unit::options.units], numbers))
    write('pairs.cpp', pairs_text(features, sorted(pairs), numbers))
    print(f'{len(programs)} programs, {sum(len(p.calls) for p in programs)} calls, {len(pairs)} pairs', file=sys.stderr)


if __name__ == '__main__':
    main()
