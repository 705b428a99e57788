#!/usr/bin/env python3
"""Sees that docs/coming-from.md names every call of CUB's and Thrust's public headers. Prints TAP.

usage: coming_from_test.py [NVCC [FOLDER_FOR_TOOLKITS]]

The headers are those of NVCC's toolkit, and of the newest CCCL among the toolkits of that folder (compilers/toolkits.py).
In the page, the first cell of a table's row names calls: `cub::DeviceReduce::Sum`, `Min` are both of DeviceReduce, and
`thrust::sort`, `stable_sort` both of thrust.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / 'test/support'), str(HERE / 'compilers')]
import tap
import toolkits

# Names with a capital that the parser takes for calls, though nobody calls them.
NO_CALLS = {'BlockMergeSortStrategyT', 'InputT', 'CallBack', 'Digit', 'ThreadBin', 'InternalWarpExchange'}
# Whose members are those of other classes.
BASES = {'BlockMergeSortStrategy': ('BlockMergeSort', 'WarpMergeSort')}
# Of Thrust's headers: memory, iterators' arithmetic and containers, which are no algorithms.
NO_ALGORITHMS = {'advance', 'allocate_unique', 'device_vector', 'distance', 'host_vector', 'memory', 'per_device_resource'}


def without_comments(text):
    return re.sub(r'//[^\n]*', '', re.sub(r'/\*.*?\*/', '', text, flags=re.S))


def bodies(text, kind):
    """(name, what is between its braces) of each class of that kind whose name begins as CUB's do."""
    for found in re.finditer(rf'\b{kind}\s+(?:_CCCL_\w+(?:\([^)]*\))?\s+)*((?:Device|Block|Warp)\w+)\b(?!\s*[<;])', text):
        begin = re.compile(r'[{;]').search(text, found.end())
        if begin is None or begin[0] == ';':
            continue
        depth, end = 0, begin.start()
        while True:
            depth += {'{': 1, '}': -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        yield found[1], text[begin.end():end - 1]


def public_heads(body, is_struct):
    """The public members, without what is in their own braces."""
    depth, flat = 0, []
    for letter in body:
        depth += letter == '{'
        if depth == 0:
            flat.append(letter)
        depth -= letter == '}'
    parts = re.split(r'\b(public|private|protected)\s*:(?!:)', ''.join(flat))
    return (parts[0] if is_struct else '') + ''.join(text for access, text in zip(parts[1::2], parts[2::2]) if access == 'public')


def calls_of_cub(cccl):
    """{(class, name)} of cub/device, cub/block and cub/warp."""
    calls = set()
    for path in [path for room in ('device', 'block', 'warp') for path in sorted((cccl / 'cub' / room).glob('*.cuh'))]:
        text = without_comments(path.read_text())
        for kind in ('struct', 'class'):
            for of, body in bodies(text, kind):
                if 'Internal' in of:
                    continue
                for name in re.findall(r'[A-Za-z_]\w*(?:<[^;{}()]*?>)?&?\s+([A-Z]\w*[a-z]\w*)\s*\(', public_heads(body, kind == 'struct')):
                    if name != of and name not in NO_CALLS:
                        calls |= {(base, name) for base in BASES.get(of, (of,))}
    return calls


def calls_of_thrust(cccl):
    """{('thrust', name)} of functions of iterators in thrust/*.h."""
    calls = set()
    for path in sorted((cccl / 'thrust').glob('*.h')):
        if path.stem in NO_ALGORITHMS:
            continue
        calls |= {('thrust', name) for name in re.findall(
            r'(?:^|[\s>&*])([a-z]\w+)\s*\(\s*(?:const\s+)?(?:thrust::)?(?:detail::)?(?:execution_policy_base|[A-Z]\w*(?:Iterator|It)\w*\s+\w+)',
            without_comments(path.read_text()))}
    return calls


def named_on_page():
    """{(class, name)} of the first cells of the page's tables."""
    named = set()
    for line in (ROOT / 'docs/coming-from.md').read_text().splitlines():
        if not line.startswith('|'):
            continue
        of = None
        for span in re.findall(r'`([^`]+)`', re.split(r'(?<!\\)\|', line)[1]):
            found = re.fullmatch(r'(?:cub::(\w+)|(thrust))::(\w+)', span)
            if found:
                of = found[1] or found[2]
            if of and (found or re.fullmatch(r'\w+', span)):
                named.add((of, found[3] if found else span))
    return named


def includes():
    """{what it is: the folder of CCCL's headers}"""
    of = {}
    if len(sys.argv) > 1:
        toolkit = pathlib.Path(sys.argv[1]).resolve().parent.parent
        of['the toolkit'] = toolkit / 'include'
    newest = pathlib.Path(sys.argv[2]) / 'newest' if len(sys.argv) > 2 else None
    if newest and toolkits.nvcc_of(newest.parent):
        of['the newest'] = newest / 'nvidia/cu13/include'
    return {name: next((folder for folder in (include / 'cccl', include) if (folder / 'cub/device').is_dir()), None)
            for name, include in of.items()}


def names_every_call(cccl):
    calls = calls_of_cub(cccl) | calls_of_thrust(cccl)
    for known in (('DeviceReduce', 'Sum'), ('BlockScan', 'InclusiveSum'), ('WarpReduce', 'Reduce'), ('thrust', 'sort')):
        if known not in calls:
            raise AssertionError(f'{known} is not among the calls that were found')
    missing = sorted(calls - named_on_page())
    if missing:
        raise AssertionError('docs/coming-from.md lacks ' + ', '.join('::'.join(call) for call in missing))


@tap.check
def the_page_names_every_call_of_the_toolkits_cccl():
    cccl = includes().get('the toolkit')
    if cccl is None:
        raise tap.Skip('no toolkit')
    names_every_call(cccl)


@tap.check
def the_page_names_every_call_of_the_newest_cccl():
    cccl = includes().get('the newest')
    if cccl is None:
        raise tap.Skip('no newer CCCL')
    names_every_call(cccl)


if __name__ == '__main__':
    sys.exit(tap.run())
