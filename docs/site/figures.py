#!/usr/bin/env python3
"""Tables in documents, or rows of them, whose figures are those of the newest benchmark results: what they must say, and whether they do.

usage: figures.py          (prints the rows that are stale)
       figures.py --write  (writes them)
"""
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GPU = 'NVIDIA-H200'
ANY_GPU = 'NVIDIA-*'  # The tables of what CUB does faster are those of the newest run.
CUB_SUMS = ['CUB warps', 'CUB raking', 'CUB commutative']


class Results:
    """The newest results of a program: throughput and latency by section, row and column, as in 'float sum', 'cg', 'N=64'."""

    def __init__(self, program):
        newest = max((ROOT / 'benchmark/results').glob(f'*-{GPU}-{program}.txt'))
        self.cells, section, columns = {}, None, []
        for line in newest.read_text().splitlines():
            name, *rest = re.split(r'  +', line.strip())
            if rest and rest[0].startswith('N='):
                section, columns = name, [column for column in rest if column.startswith('N=')]
            elif section and len(rest) >= len(columns):
                for column, cell in zip(columns, rest):
                    found = re.fullmatch(r'([\d.]+) / ([\d.]+)', cell)
                    if found:
                        self.cells[section, name, column] = float(found[1]), float(found[2])

    def best(self, section, rows, lanes):
        """The least throughput and the least latency of these rows, as each has its own best. Not every row has every column."""
        found = [self.cells[section, row, f'N={lanes}'] for row in rows if (section, row, f'N={lanes}') in self.cells]
        return min(cell[0] for cell in found), min(cell[1] for cell in found)


class Arrays:
    """The newest results of whole arrays: microseconds by section, column and row, as in 'float sum', '2^28', 'CUB'. Later runs of a
    part of the program, as `arrays_rows`, take the place of what they have in the newest whole one."""

    def __init__(self, gpu=GPU):
        folder = ROOT / 'benchmark/results'
        newest = max(folder.glob(f'*-{gpu}-arrays.json'))
        self.cells = {}
        for run in [newest, *sorted(p for p in folder.glob(f'*-{gpu}-arrays_*.json') if p.name > newest.name)]:
            cells = {}
            for row in json.loads(run.read_text())['results']:
                cell = cells.setdefault((row['what'], row['size']), {})
                cell[row['method']] = float(f'{statistics.median(row["microseconds"]):.4g}')  # as it is printed
            self.cells.update(cells)

    def to_cub(self, section, column, row='tessera'):
        """The better of CUB's times, and the library's."""
        cells = self.cells[section, column]
        return min(cells[name] for name in cells if name.startswith('CUB')), cells[row]


def shown(x):
    """Three digits, and at least two; one after the point below 100."""
    return f'{x:.0f}' if x >= 100 else f'{x:.1f}'


def listed(values):
    return ', '.join(shown(value) for value in values)


def ratio(peer, own):
    value = peer / own
    return f'{value:.2f}' if value < 2 else f'{value:.1f}'


def of_softmax(size):
    """The ratio to PyTorch as the newest comparison has it."""
    newest = max((ROOT / 'benchmark/results').glob(f'*-{GPU}-compare_torch.txt'))
    line = re.search(rf'^softmax, float {size} .*$', newest.read_text(), re.M)[0]
    return re.split(r'  +', line)[-2].split()[0]


def readme():
    reduce, scan, block, sort, match = (Results(f'tile_{name}') for name in ('reduce', 'scan', 'block', 'sort', 'match'))
    arrays = Arrays()

    def row(work, peer, theirs, ours, ratios):
        return f'| {work} | {peer} | {listed(theirs)} | {listed(ours)} | {ratios} |'

    def compared(results, cells, peers, own):
        theirs = [results.best(section, peers, lanes)[0] for section, lanes in cells]
        return theirs, [results.best(section, [own], lanes)[0] for section, lanes in cells]

    theirs, ours = compared(reduce, [('float sum', n) for n in (2, 4, 8, 16)], ['cg::reduce'], 'tessera adaptive')
    yield row('sum of 2, 4, 8, 16 lanes, cycles a warp', '`cg::reduce`', theirs, ours,
              f'{ratio(theirs[0], ours[0])} … {ratio(theirs[-1], ours[-1])}')
    theirs, ours = compared(scan, [('inclusive float scan', n) for n in (4, 8, 16)], ['CUB WarpScan'], 'tessera adaptive')
    yield row('scan of 4, 8, 16 lanes, cycles a warp', 'CUB `WarpScan`', theirs, ours,
              f'{ratio(theirs[0], ours[0])} … {ratio(theirs[-1], ours[-1])}')
    theirs, ours = compared(match, [('match_any, 4 keys', 4)], ['cg'], 'tessera adaptive')
    yield row('`match_any` of 4 lanes, cycles a warp', '`tile.match_any`', theirs, ours, ratio(theirs[0], ours[0]))
    theirs, ours = compared(sort, [(f'{keys} uint32 a lane', 32) for keys in (1, 4, 8)], ['CUB WarpMergeSort'], 'tessera adaptive')
    yield row('sort of 32 lanes, 1, 4, 8 keys each, cycles', 'CUB `WarpMergeSort`', theirs, ours,
              ', '.join(map(ratio, theirs, ours)))
    theirs, ours = compared(block, [('float sum', n) for n in (64, 256, 1024)], CUB_SUMS, 'tessera, block tile')
    yield row('sum of 64, 256, 1024 lanes, ns', 'CUB `BlockReduce`', theirs, ours, ', '.join(map(ratio, theirs, ours)))
    cells = [('sort of 4 uint32 a lane', n) for n in (64, 256, 1024)]
    theirs = [block.best(section, ['CUB merge', 'CUB merge, registers'], lanes)[0] / 1000 for section, lanes in cells]
    ours = [block.best(section, ['tessera, block tile', 'tessera, registers'], lanes)[0] / 1000 for section, lanes in cells]
    yield (f'| sort of 64, 256, 1024 lanes, 4 keys, µs | CUB `BlockMergeSort` | {", ".join(f"{x:.2f}" for x in theirs)} | '
           f'{", ".join(f"{x:.2f}" for x in ours)} | {", ".join(map(ratio, theirs, ours))} |')

    def of_arrays(work, peer, section, *columns, between=', '):
        return f'| {work} | {peer} | | | {between.join(ratio(*arrays.to_cub(section, column)) for column in columns)} |'

    yield of_arrays('sum of an array, 2^14 … 2^28', 'CUB `DeviceReduce`', 'float sum', '2^14', '2^28', between=' … ')
    yield f'| softmax of 65536 rows of 1024 | PyTorch 2.11 | | | {of_softmax("65536 x 1024")} |'
    yield of_arrays('sums of segments of mean 8, 64, 1024', 'CUB', 'float segment sum', 'mean 8', 'mean 64', 'mean 1024')
    yield of_arrays('histogram of 2^28 ints, 256 bins', 'CUB', 'histogram, 256 bins', 'uniform')


def of_warps():
    """Tiles within a warp: throughput."""
    reduce, scan, match = Results('tile_reduce'), Results('tile_scan'), Results('tile_match')
    rows = [('`cg::reduce`', reduce, 'float sum', 'cg::reduce', ''),
            ('CUB `WarpReduce`, to lane 0 only', reduce, 'float sum', 'CUB (lane 0 only)', ''),
            ('**`tessera::reduce(tile, x)`**', reduce, 'float sum', 'tessera adaptive', '**'),
            ('`tessera::reduce(tile, x, plus{}, converged)`, shuffles by hand', reduce, 'float sum', 'tessera converged', ''),
            ('**`tessera::inclusive_scan(tile, x)`**', scan, 'inclusive float scan', 'tessera adaptive', '**'),
            ('`cg::inclusive_scan`, CUB `WarpScan`', scan, 'inclusive float scan', 'CUB WarpScan', ''),
            ('**`tessera::match_any(tile, key)`**, 4 different keys', match, 'match_any, 4 keys', 'tessera adaptive', '**'),
            ('`tile.match_any(key)`', match, 'match_any, 4 keys', 'cg', '')]
    for name, results, section, own, bold in rows:
        cells = [results.best(section, [own], lanes)[0] for lanes in (2, 4, 8, 16, 32)]
        yield f'| {name} | ' + ' | '.join(f'{bold}{shown(cell)}{bold}' for cell in cells) + ' |'


def of_blocks():
    """Tiles of several warps: throughput (latency), the least of each column in bold; a row may have two algorithms."""
    block = Results('tile_block')
    sums = [('`cg::reduce`', [['cg']]), ("the best of CUB's three `BlockReduce`, and a broadcast", [CUB_SUMS]),
            ('`tessera::reduce(tile, x)`', [['tessera']]), ('… of `this_block_tile`', [['tessera, block tile']])]
    scans = [('`cg::inclusive_scan`', [['cg']]), ('CUB `BlockScan`, warp scans / raking', [['CUB warps'], ['CUB raking']]),
             ('`tessera::inclusive_scan(tile, x)`', [['tessera']]), ('… of `this_block_tile`', [['tessera, block tile']])]
    for section, rows in (('float sum', sums), ('inclusive float scan', scans)):
        lines = [f'| {name} |' for name, _ in rows]
        for lanes in (64, 128, 256, 512, 1024):
            cells = [[tuple(map(shown, block.best(section, one, lanes))) for one in algorithms] for _, algorithms in rows]
            least = [min((cell[i] for row in cells for cell in row), key=float) for i in (0, 1)]
            marked = [' / '.join('{} ({})'.format(*(f'**{x}**' if x == best else x for x, best in zip(cell, least))) for cell in row)
                      for row in cells]
            lines = [f'{line} {cell} |' for line, cell in zip(lines, marked)]
        yield from lines


def behind_cub():
    """Whole arrays of which the better of CUB's calls takes less time, by more than half a percent."""
    arrays, found = Arrays(ANY_GPU), {}
    for (section, column), cells in arrays.cells.items():
        for row in cells:
            if row.startswith('tessera') and any(name.startswith('CUB') for name in cells):
                theirs, ours = arrays.to_cub(section, column, row)
                if theirs / ours < 0.995:
                    found.setdefault(section + row.removeprefix('tessera'), []).append((column, f'{theirs / ours:.2f}'))
    for work, cells in found.items():
        yield f'| {work} | {"; ".join(column for column, _ in cells)} | {", ".join(ratio for _, ratio in cells)} |'


def behind_in_blocks():
    """Tiles of several warps: the targets that CUB stands in the way of. Those of the latency say so."""
    text, found = max((ROOT / 'benchmark/results').glob(f'*-{ANY_GPU}-tile_block.txt')).read_text(), {}
    for work, lanes, latency, peer, is_at in re.findall(r'^(.*), N=(\d+)(, latency)?: (CUB.*) / tessera\S*.*?  +\S+ +(\S+) .*NOT REACHED$', text, re.M):
        found.setdefault((work + latency, peer), []).append((lanes, is_at))
    for (work, peer), cells in found.items():
        yield f'| {work} | {", ".join(lanes for lanes, _ in cells)} | {peer} | {", ".join(is_at for _, is_at in cells)} |'


FIGURES = {'README.md': [readme], 'docs/explanation/slower.md': [of_warps, of_blocks]}
WHOLE_TABLES = {'docs/explanation/slower.md': {'| whole arrays | of | library to CUB |': behind_cub,
                                                   '| tiles of several warps | lanes | peer | library to peer |': behind_in_blocks}}


def replaced(name):
    """The document with the rows that begin as these do; a row of the same name comes in the same order again."""
    lines, at = (ROOT / name).read_text().split('\n'), 0
    for table in FIGURES[name]:
        for row in table():
            first = row[:row.index(' | ') + 3]
            at = next(i for i in range(at, len(lines)) if lines[i].startswith(first))
            lines[at] = row
            at += 1
    for head, table in WHOLE_TABLES.get(name, {}).items():
        first = lines.index(head) + 2
        end = next(i for i in range(first, len(lines)) if not lines[i].startswith('|'))
        lines[first:end] = table()
    return '\n'.join(lines)


def problems():
    for name in FIGURES:
        new = replaced(name).split('\n')
        stale = [line for line in (ROOT / name).read_text().split('\n') if line not in new]
        if stale or (ROOT / name).read_text() != '\n'.join(new):
            yield f'{name} has other figures than the newest results (docs/site/figures.py --write writes them):\n' + '\n'.join(stale)


if __name__ == '__main__':
    if sys.argv[1:] == ['--write']:
        for document in FIGURES:
            (ROOT / document).write_text(replaced(document))
    else:
        print('\n'.join(problems()))
