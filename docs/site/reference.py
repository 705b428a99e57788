"""Writes the reference: a page for each public header, from its comments and declarations and a tested example."""
import pathlib
import re

import comments
import headers
import synopsis

EXAMPLES = ['test/docs/reference_test.cpp', 'test/docs/host_test.cpp', 'test/docs/kernels_test.cu',
            'test/grid/docs_gpu_test.cpp', 'test/grid/docs_any_gpu_test.cu', 'test/grid/docs_sharded_any_gpu_test.cu',
            'test/grid/sharded/sharded_rows_any_gpu_test.cu', 'test/grid/sharded/sharded_sample_any_gpu_test.cu']

GROUPS = {
    'Collectives on a tile': None,  # what no other group has
    'Operators': r'operators|operators/.*|core/(?:operator_traits|comparators)',
    'Tiles, values and policies': r'block_tile|cluster_tile|coalesced_group|core/(?:tile|policy|items|scanned|segments|scratch|lane_mask|exchangeable)',
    'And the rest': 'tessera|joint|version|device|core/config',
    'Whole arrays': r'grid|grid/.*',
    'On the CPU': r'host/.*',
}

# Names that stand for a parameter, or for nothing but a word, where no argument follows.
ALSO_WORDS = {'first', 'where', 'get', 'tile', 'version', 'order', 'prefix', 'shared', 'block', 'shared(s)'}


def page_of(path):
    """The page of a header, below reference/: tessera/grid/reduce.cuh has headers/grid/reduce_cuh.md."""
    below = path.removeprefix('tessera/')
    return 'headers/' + (below[:-4] + '.md' if below.endswith('.hpp') else below.replace('.', '_') + '.md')


def anchor(full_name):
    words = full_name.replace('operator|', 'operator-or').replace('::', '-').replace('_', '-')
    return 'tessera-' + words


def anchors(read):
    """{header's path: {name: anchor}}; a name that two headers declare gets the second header's name as well."""
    taken, found = set(), {}
    for header in read:
        found[header.path] = {}
        for name in header.names():
            one = anchor(name)
            if one in taken:
                one += '-' + pathlib.PurePath(header.path).stem.replace('_', '-')  # Sphinx has no other ids
            taken.add(one)
            found[header.path][name] = one
    return found


# ---- Examples

def examples(root=headers.ROOT):
    """{header's path: [(file, code)]} of the regions `// [tessera/reduce.hpp]` … `// [end]` in the tested files."""
    found = {}
    for file in EXAMPLES:
        text = (root / file).read_text() if (root / file).exists() else ''
        for paths, code in re.findall(r'^ *// \[(tessera/[^\]]*)\]\n(.*?)^ *// \[end\]', text, re.M | re.S):
            for path in paths.split(', '):
                found.setdefault(path, []).append((file, '\n'.join(comments.trimmed(code.split('\n')))))
    return found


# ---- Pages

class Links:
    """Where a name in backticks, or a header's name, leads from one page."""

    def __init__(self, read):
        self.anchors = anchors(read)
        self.places = {}
        for path, names in self.anchors.items():
            for name, one in names.items():
                self.places.setdefault(name, (path, one))

    def of(self, path):
        scope = path.split('/')[1] + '::' if path.count('/') > 1 else ''

        def link(text):
            if text.endswith(('.hpp', '.cuh')):
                return self.to_header(path, text)
            if text.endswith('()') or text in ALSO_WORDS:  # a member, or a parameter
                return None
            name = re.sub(r'^tessera::', '', re.sub(r'[({<].*$', '', text))
            near, place = self.places.get(scope + name), self.places.get(name)
            if near and place and scope:  # both grid::reduce and reduce, say
                return None
            place = near or place
            return None if not place or place[0] == path else '#' + place[1]
        return link

    def to_header(self, path, text):
        near = str(pathlib.PurePath(path).parent / text)
        for candidate in (near, f'tessera/{text}', text):
            if candidate in self.anchors and candidate != path:
                up = '../' * page_of(path).count('/')
                return up + page_of(candidate)
        return None


def short(header):
    return header.path.removeprefix('tessera/')


def page(header, links, found):
    """A header's page. `found` has its examples: [(file, code)]."""
    link = links.of(header.path)
    own = links.anchors[header.path]
    out = [f'# {short(header)}', f'```cpp\n#include <{header.path}>\n```',
           comments.markdown(header.comment, link)]
    if own:
        out.append('\n'.join(f'- [`{name}`](#{own[name]}){summary(declared, link)}'
                             for name, declared in header.names().items()))
    if found:
        out.append('## Example')
    for file, code in found:
        out.append(f'```cpp\n{code}\n```\n\nThis is a part of [{file}](/{file}), which the tests compile and run.')
    for name, declared in header.names().items():
        out.append(f'({own[name]})=\n## `{name}`')
        for one in declared:
            out.append(f'```cpp\n{synopsis.of(one)}\n```')
            out.append(comments.markdown(stripped(one.comment), link))
    out.append(f'The header itself: [{header.path}](/include/{header.path}).')
    return '\n\n'.join(part for part in out if part) + '\n'


def stripped(comment):
    return [line[1:] if line.startswith(' ') else line for line in comment]


def summary(declared, link):
    text = next((comments.first_sentence(stripped(one.comment)) for one in declared if one.comment), '')
    return ': ' + comments.inline(text, link) if text else ''


def index(read):
    """The page that lists all headers."""
    out = ['# Headers', 'Each page has a header\'s contracts, its declarations and an example that the tests run. Names are in '
           '`namespace tessera` unless they say otherwise. Every collective also has a last parameter, left out here: '
           'the source line of the call, which reports name.']
    special = '|'.join(pattern for pattern in GROUPS.values() if pattern)
    for group, pattern in GROUPS.items():
        here = [header for header in read if member(header, pattern, special)]
        out.append(f'## {group}')
        out.append('\n'.join(f'- [{short(header)}]({page_of(header.path)}): {names_of(header)}' for header in here))
        out.append('\n'.join(['```{toctree}', ':hidden:', *(page_of(header.path)[:-3] for header in here), '```']))
    return '\n\n'.join(out) + '\n'


def member(header, pattern, special):
    name = re.sub(r'^tessera/|\.hpp$', '', header.path)
    return bool(re.fullmatch(pattern, name)) if pattern else not re.fullmatch(special, name)


def names_of(header):
    """What the header declares, or what it is about."""
    shown = [f'`{name.split("::")[-1]}`' for name in header.names()]
    if not shown or len(shown) > 20:
        return comments.inline(comments.first_sentence(header.comment), lambda _: None)
    return ', '.join(shown)


def write(folder, read=None):
    """Writes all pages below `folder`, the staged docs/reference."""
    read = read or [headers.read(path) for path in headers.public_headers()]
    links, found = Links(read), examples()
    for header in read:
        to = folder / page_of(header.path)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(page(header, links, found.get(header.path, [])))
    (folder / 'headers.md').write_text(index(read))
