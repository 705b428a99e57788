"""Tables and messages of documents that restate something of the code: what they must say, and whether they do.

usage: tables.py            (prints them)
       tables.py --write    (writes them into their documents, and the columns that say which header declares a call)
"""
import difflib
import pathlib
import re
import sys

import comments
import headers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / 'test/oracle'), str(ROOT / 'src/grid')]
import examples  # noqa: E402
import instantiations  # noqa: E402

MEMBERS_OF_QUEUE = {'top_k_push', 'top_k_best'}
# Documents whose tables name calls in one of their columns, and headers in the last.
COLUMN_OF_CALLS = {'docs/reference/calls.md': 0, 'docs/coming-from.md': 1}
MEMORY = {'no_storage': '–', 'shared_only': '`shared`', 'shared_fresh': '`shared` `fresh`'}


def declaring_headers():
    """{name: [its headers]}, names of whole arrays with grid:: before them, headers as in `grid/reduce.hpp`."""
    found = {}
    for path in headers.public_headers():
        if path.startswith('tessera/host/'):
            continue
        for name in headers.read(path).names():
            found.setdefault(name, []).append(path.removeprefix('tessera/'))
    return found


def collectives():
    """Which kinds of policy each call honors, as tile/collectives.hpp has it."""
    declared = declaring_headers()
    rows = ['| call | policies | memory | padded block tiles | coalesced groups | cluster tiles | header |', '|---|---|---|---|---|---|---|']
    for row in examples.rows().values():
        if row.name.endswith(('_append', '_many')):
            continue
        header, = declared['top_k_queue' if row.name in MEMBERS_OF_QUEUE else row.name]
        kinds, padded = ' '.join(row.kinds), 'yes' if 'padded_tiles' in row.properties else 'no'
        any_lanes = 'yes' if {'padded_tiles', 'any_lanes'} & set(row.properties) else 'no'
        clusters = 'yes' if 'clusters' in row.properties else 'no'
        rows.append(f"| `{row.name}` | {kinds} | {MEMORY[row.storage]} | {padded} | {any_lanes} | {clusters} | `{header}` |")
    return '\n'.join(rows)


def options():
    """The options of meson_options.txt."""
    text = (ROOT / 'meson_options.txt').read_text()
    rows = ['| option | default | meaning |', '|---|---|---|']
    for name, rest in re.findall(r"^option\('(\w+)',(.*?)\)\n(?=option|\Z)", text, re.M | re.S):
        default = re.search(r"value: (\[.*?\]|'[^']*'|\w+)", rest)
        shown = re.sub(r"[\[\]' ]", '', default[1]) if default else 'auto'
        meaning = re.search(r"description: '(.*?)'\s*$", rest.strip(), re.S)[1]
        rows.append(f'| `{name}` | `{shown}` | {meaning} |')
    return '\n'.join(rows)


# Types as docs/reference/arrays.md calls them.
WORDS = {'wide numbers': instantiations.NUMBERS, 'numbers': instantiations.NUMBERS + instantiations.HALVES,
         'numbers, `std::uint8_t`': ('std::uint8_t',) + instantiations.NUMBERS + instantiations.HALVES,
         'floats': instantiations.FLOATS + instantiations.HALVES, 'integers': instantiations.INTEGERS}


def words_for(types):
    return types if isinstance(types, str) else next(word for word, meant in WORDS.items() if set(meant) == set(types))


def choices_of(function, name):
    """What a name stands for in the groups of a function, without those that it has more than once."""
    return list(dict.fromkeys(choice for group in function.groups for choice in group.get(name, ())))


def operators_of(function):
    """The operators, first those for all types."""
    if 'Op' in function.shown:
        return ', '.join(f'`{name}`' for name in function.shown['Op'].split(', '))
    shared = [name for name in choices_of(function, 'Op') if all(name in group['Op'] for group in function.groups)]
    more = [name for name in choices_of(function, 'Op') if name not in shared]
    text = ', '.join(f'`{name}`' for name in shared)
    return text + ('; of integers ' + ', '.join(f'`{name}`' for name in more) if more else '')


def types_of_the_library():
    """What the static library has kernels for: a row for calls of the same types."""
    calls = {}
    for function in instantiations.FUNCTIONS:
        shown = function.shown
        others = [''.join([words_for(text) for text in ([shown[name]] if isinstance(shown[name], str) else shown[name])])
                  for name in shown if name not in ('T', 'Op') and shown[name]]
        cells = words_for(shown.get('T', choices_of(function, 'T'))), operators_of(function), '; '.join(others)
        calls.setdefault((function.part, *cells), []).extend(function.calls.split())
    rows = ['| calls | elements, or keys | operators, orders | other arguments |', '|---|---|---|---|']
    rows += ['| ' + ', '.join(f'`{call}`' for call in named) + ' | ' + ' | '.join(cells) + ' |' for (_, *cells), named in calls.items()]
    return '\n'.join(rows).replace('|  |', '| |').replace('|  |', '| |')


def missing_parts():
    """The part of the library that has a function which the linker misses."""
    rows = ['| the linker misses | add to the option `grid` |', '|---|---|']
    for part, names in instantiations.parts().items():
        rows.append(f'| {", ".join(f"`{name}`" for name in names)} | `{part}` |')
    return '\n'.join(rows)


def headers_in_rooms():
    """What each header is, by its first sentence. Those of calls are in no room."""
    include = ROOT / 'include/tessera'
    rows = ['| header | what it is |', '|---|---|']
    for path in sorted(include.rglob('*.*')):
        name = path.relative_to(include)
        if len(name.parts) == 1 or name.parts[0] == 'grid' and len(name.parts) == 2:
            continue
        sentence = comments.first_sentence(headers.opening_comment(path.read_text()))
        rows.append(f'| `{name}` | {comments.inline(sentence, lambda _: None).rstrip(".:")} |')
    return '\n'.join(rows)


TABLES = {'docs/reference/policies.md': collectives, 'docs/architecture.md': headers_in_rooms,
          'docs/reference/build-options.md': options, 'docs/reference/arrays.md': types_of_the_library,
          'docs/linking.md': missing_parts}


def headers_of(cell, declared, scope):
    """The headers of the calls that a cell names, in their order; after one with grid:: all are of whole arrays. Policies and
    members stand beside calls."""
    found = []
    for code in re.findall(r'`([^`.][^`]*)`', cell):
        for name in re.findall(r'(?<![\w.])(?:grid::)?[a-z]\w*', code):
            scope = 'grid::' if name.startswith('grid::') else scope
            found += declared.get(scope + name) or declared.get(name) or []
            if found and '(' in code:
                break  # what follows are its arguments
    return ', '.join(f'`{header}`' for header in dict.fromkeys(found) if header != 'policy.hpp')


def with_headers(name):
    """The document with the column of headers filled in. A table has the column if its last heading is `header`."""
    declared, scope, is_table = declaring_headers(), '', False
    lines = []
    for line in (ROOT / name).read_text().split('\n'):
        if line.startswith('## '):
            scope = 'grid::' if line == '## Whole arrays' else ''
        if not line.startswith('|'):
            is_table = False
        elif line.endswith('| header |'):
            is_table = True
        elif is_table and not line.startswith('|---'):
            cells = re.split(r'(?<!\\)\|', line)[1:-1]
            cells[-1] = f' {headers_of(cells[COLUMN_OF_CALLS[name]], declared, scope)} '.replace('  ', ' ')
            line = '|' + '|'.join(cells) + '|'
        lines.append(line)
    return '\n'.join(lines)


def stale_headers():
    for name in COLUMN_OF_CALLS:
        if with_headers(name) != (ROOT / name).read_text():
            yield f'{name}: a column of headers is stale: docs/site/tables.py --write writes it'


def messages():
    """All string literals of the headers, each with its neighbors joined to it, as the compiler does."""
    text = '\n'.join(path.read_text() for path in sorted((ROOT / 'include').rglob('*.*')))
    return re.sub(r'"\s*\n\s*"', '', text)


def unknown_messages():
    """Quotations in the page of errors that no header says. An ellipsis stands for what a quotation leaves out."""
    name = 'docs/reference/errors.md'
    said = messages()
    for quoted in re.findall(r'\| "(.*)" \|$', (ROOT / name).read_text(), re.M):
        parts = re.split(r'\s*…\s*', quoted.replace('\\', ''))
        yield from (f'{name}: no header says: {part}' for part in parts if part not in said)


def with_table(name):
    """The document with its table, which begins with the same heading, as it must be."""
    table = TABLES[name]()
    heading = '\n'.join(table.split('\n')[:2]) + '\n'
    before, after = (ROOT / name).read_text().split(heading)
    return before + table + re.sub(r'\A([|].*\n)*', '\n', after)


def problems():
    yield from unknown_messages()
    yield from stale_headers()
    for name in TABLES:
        text, wanted = (ROOT / name).read_text(), with_table(name)
        if text != wanted:
            rows = [row for row in difflib.ndiff(text.split('\n'), wanted.split('\n')) if row[0] in '-+']
            yield f'{name} has another table than the code (docs/site/tables.py --write writes it):\n' + '\n'.join(rows)


if __name__ == '__main__':
    if sys.argv[1:] == ['--write']:
        for document in TABLES:
            (ROOT / document).write_text(with_table(document))
        for document in COLUMN_OF_CALLS:
            (ROOT / document).write_text(with_headers(document))
    else:
        for document, wanted in TABLES.items():
            print(f'{document}\n\n{wanted()}\n')
