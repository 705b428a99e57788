"""Tables and messages of documents that restate something of the code: what they must say, and whether they do.

usage: tables.py     (prints them, to be put into their documents)
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

MEMORY = {'no_storage': '–', 'shared_only': '`shared`', 'shared_fresh': '`shared` `fresh`'}


def collectives():
    """Which kinds of policy each call honors, as detail/collectives.hpp has it."""
    text = (ROOT / 'include/tessera/detail/collectives.hpp').read_text()
    rows = ['| call | policies | memory | padded block tiles |', '|---|---|---|---|']
    found = re.findall(r'^struct (\w+)\s*: described<([^>]*)> \{', text, re.M)
    for name, arguments in found:
        if name.endswith(('_append', '_many')):
            continue
        policies, storage, lanes = [part.strip() for part in arguments.split(',')]
        kinds = ' '.join(part.strip() for part in policies.split('|'))
        rows.append(f"| `{name}` | {kinds} | {MEMORY[storage]} | {'yes' if lanes == 'padded_tiles' else 'no'} |")
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


TABLES = {'docs/reference/policies.md': collectives, 'docs/reference/build-options.md': options}


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


def problems():
    yield from unknown_messages()
    for name, table in TABLES.items():
        text = (ROOT / name).read_text()
        missing = [row for row in table().split('\n') if row not in text]
        if missing:
            yield f'{name} lacks these rows of its table (docs/site/tables.py prints all):\n' + '\n'.join(missing)


if __name__ == '__main__':
    for document, wanted in TABLES.items():
        print(f'{document}\n\n{wanted()}\n')
