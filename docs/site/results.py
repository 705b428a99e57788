"""The page of results by date: each file of benchmark/results."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

PROGRAMS = {
    'arrays': 'whole arrays beside CUB and kernels that only move the bytes',
    'compare_torch': 'softmax, layer norm and row sums beside PyTorch',
    'documents': 'the reductions and softmaxes that documents on warp primitives teach',
    'primitives': 'what one shuffle, vote, match or load takes',
    'tile_aggregate': 'additions to counters in shared memory',
    'tile_batch': 'many sums at once',
    'tile_block': 'tiles of 64 to 1024 lanes',
    'tile_block-bank_conflicts': 'bank conflicts of such tiles',
    'tile_cluster': 'sums, scans, counts and sorts of clusters of blocks',
    'tile_coalesced': 'sums and scans of any lanes of a warp',
    'tile_match': 'match and ballot',
    'tile_move': 'blocked and striped order',
    'tile_reduce': 'reductions of a tile in registers',
    'tile_scan': 'scans of a tile in registers',
}


def page():
    """Markdown with links relative to docs/explanation."""
    out = ['# Results by date',
           'Every file here was written by a program of the benchmarks, in one run on the GPU that its name says, with the peers '
           'beside the library on the same data. [Benchmarks](../../benchmark/README.md) says what the programs measure and how.']
    files = sorted((ROOT / 'benchmark/results').glob('*.txt'))
    runs = {}
    for file in files:
        date, gpu, program = re.match(r'(\d+-\d+-\d+)-(NVIDIA-\w+)-(.*)\.txt', file.name).groups()
        runs.setdefault((date, gpu.replace('-', ' ')), []).append((program, file.name))
    for (date, gpu), entries in sorted(runs.items(), reverse=True):
        out.append(f'## {date}, {gpu}')
        out.append('\n'.join(f'- [{program}](../../benchmark/results/{name}): {PROGRAMS.get(program, program)}'
                             for program, name in entries))
    return '\n\n'.join(out) + '\n'
