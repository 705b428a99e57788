#!/usr/bin/env python3
"""What may include what: docs/architecture.md draws it, this test reads the headers.

    layers.py INCLUDE     as TAP

A header uses headers of its own room, and of the rooms that FLOORS has before it; no two headers include each other, however
far around. And what every kernel does first, without which its launches could begin before what precedes them in their streams
has ended.
"""
import pathlib
import re
import sys

# The rooms of include/tessera, the lowest first: each is a folder.
FLOORS = ['core', 'operators', 'group', 'warp', 'block', 'cluster', 'host/run', 'host/report', 'host', 'tile',
          '.',  # the contracts and entries of the collectives
          'grid/parts', 'grid/reduce', 'grid/search', 'grid/sort', 'grid/scan', 'grid/select', 'grid/segments', 'grid/rows',
          'grid/histogram', 'grid/top_k', 'grid/transform', 'grid/copy', 'grid/sharded', 'grid',
          'all']
# Headers that only include others.
ALL = {'tessera', 'joint', 'grid'}
# Of the collectives' headers none includes another but these, which have no collective.
WITHOUT_COLLECTIVE = {'version', 'device', 'block_tile', 'cluster_tile', 'coalesced_group', 'operators'}
# Types that calls on whole arrays take, and their agents, too.
TYPES_OF_ARRAYS = {'grid/execution.hpp', 'grid/workspace.hpp', 'grid/matrix.hpp', 'grid/count_on_device.hpp',
                   'grid/start_on_device.hpp', 'grid/segment_list.hpp', 'grid/shard.hpp', 'grid/route_rows.hpp', 'grid/sample_rows.hpp'}


def room_of(name):
    folder, _, file = name.rpartition('/')
    if name in TYPES_OF_ARRAYS:
        return 'grid/parts'
    if name == 'grid/sharded.hpp':
        return 'grid/sharded'  # a rank of these calls
    return 'all' if not folder and file.rsplit('.', 1)[0] in ALL else folder or '.'


def may_include(name, other):
    if room_of(name) == room_of(other) == '.':
        return other.rsplit('.', 1)[0] in WITHOUT_COLLECTIVE
    return FLOORS.index(room_of(other)) <= FLOORS.index(room_of(name))


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
    wrong = {room: [] for room in FLOORS}
    for name, includes in graph.items():
        wrong[room_of(name)] += [f'{name} includes {other}' for other in includes if not may_include(name, other)]
        if not name.startswith('grid/') and re.search(r'^using namespace', (root / name).read_text(), re.M):
            wrong[room_of(name)].append(f'{name} has a using directive for all who include it')
    print(f'1..{len(FLOORS) + 2}')
    for room, found in wrong.items():
        print('not ok' if found else 'ok', f'- {room} uses what is below it')
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
