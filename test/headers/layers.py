#!/usr/bin/env python3
"""What may include what: docs/architecture.md draws it, this test reads the headers.

    layers.py INCLUDE     as TAP

Lowest first; a header uses headers of its own layer or of a lower one, and no two headers include each other, however far around:

    vocabulary   what every call is written with: config, tile, policy, operators, items, masks, scratch
    detail       the algorithms, one file a level, and what they are written against
    collectives  the public headers of the collectives; none includes another's
    host         host tiles: the vocabulary and what groups need
    grid         whole arrays: anything above
    all          tessera.hpp, joint.hpp, grid.hpp: headers that only include others

And what every kernel does first, without which its launches could begin before what precedes them in their streams has ended.
"""
import pathlib
import re
import sys

VOCABULARY = {'config', 'version', 'device', 'exchangeable', 'lane_mask', 'items', 'policy', 'scratch', 'scanned', 'segments', 'tile',
              'block_tile', 'operator_traits', 'operators', 'comparators'}
ALL = {'tessera', 'joint', 'grid'}
# What the vocabulary and host tiles need of detail/: functions on bits, numbers and words, and the groups of several warps.
BASICS = {'bits', 'count', 'ieee_float', 'number', 'minimum', 'rounded', 'range_uniform', 'words', 'tuning', 'cuda_std', 'operator_aliases', 'type_name', 'warp_group', 'group', 'multi_warp_group', 'library_memory',
          'scratch_layout', 'thread'}
MAY_USE = {
    'basics': {'basics', 'vocabulary'},
    'vocabulary': {'basics', 'vocabulary', 'host'},
    'host': {'basics', 'vocabulary', 'host'},
    'detail': {'basics', 'vocabulary', 'host', 'detail'},
    'collectives': {'basics', 'vocabulary', 'detail'},
    'grid': {'basics', 'vocabulary', 'detail', 'collectives', 'grid'},
    'all': {'vocabulary', 'collectives', 'grid', 'all'},
}


def layer_of(name):
    folder, _, file = name.rpartition('/')
    stem = file.rsplit('.', 1)[0]
    if folder == 'detail':
        return 'basics' if stem in BASICS else 'detail'
    if folder.startswith('grid'):
        return 'grid'
    if folder == 'host':
        return 'host'
    if folder == 'operators' or stem in VOCABULARY:
        return 'vocabulary'
    return 'all' if stem in ALL else 'collectives'


def cycle_of(graph):
    """Headers that include each other around, or nothing."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        found = next(filter(None, map(visit, graph.get(name, ()))), None)
        path.pop()
        done.add(name)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


def main():
    root = pathlib.Path(sys.argv[1]) / 'tessera'
    graph = {}
    for path in sorted(root.rglob('*')):
        if path.suffix in ('.hpp', '.cuh'):
            graph[str(path.relative_to(root))] = re.findall(r'^\s*#include <tessera/([^>]+)>', path.read_text(), re.M)
    wrong = {layer: [] for layer in MAY_USE}
    for name, includes in graph.items():
        layer = layer_of(name)
        wrong[layer] += [f'{name} includes {other}, of {layer_of(other)}' for other in includes
                         if layer_of(other) not in MAY_USE[layer]]
    for name in graph:
        if layer_of(name) == 'grid' or layer_of(name) == 'all':
            continue
        text = (root / name).read_text()
        if re.search(r'^using namespace', text, re.M):
            wrong[layer_of(name)].append(f'{name} has a using directive for all who include it')
    print(f'1..{len(MAY_USE) + 2}')
    for layer, found in wrong.items():
        print('not ok' if found else 'ok', f'- {layer} uses what is below it')
        for what in found:
            print('#', what)
    cycle = cycle_of(graph)
    print('not ok' if cycle else 'ok', '- no header includes itself, however far around')
    if cycle:
        print('#', ' -> '.join(cycle))
    early = [name for name in graph for body in re.findall(r'__global__[^;{]*\{\s*(.*)', (root / name).read_text())
             if not body.startswith('wait_for_stream();')]
    print('not ok' if early else 'ok', '- every kernel waits for its stream first')
    for name in early:
        print('#', name)


main()
