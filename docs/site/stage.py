"""Copies the pages of docs/ to where Sphinx reads them, and makes what belongs to the site alone.

Links that lead out of docs/ lead to a page here instead: those to public headers to the reference, those to other Markdown to a
copy of it, and all others to a page that shows the file. docs/index.md lists all pages; its lists become the navigation.
"""
import os
import pathlib
import re
import shutil

import headers
import reference
import results
import snippets

ROOT = headers.ROOT
DOCS = ROOT / 'docs'
NOT_PAGES = {'site', 'pictures', 'plots'}

LINK = re.compile(r'(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))')


class Stage:
    def __init__(self, folder):
        self.folder = folder
        self.to_copy = []  # files outside of docs/ that a page links to
        self.copied = set()

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(DOCS / 'site/_static', self.folder / '_static')
        shutil.copy(DOCS / 'site/conf.py', self.folder)
        shutil.copytree(DOCS / 'plots', self.folder / 'plots')
        (self.folder / 'pictures').mkdir()
        read = [headers.read(path) for path in headers.public_headers()]
        reference.write(self.folder / 'reference', read)
        self.anchors = {name: anchor for name, (_, anchor) in reference.Links(read).places.items()}
        self.rewrite_generated()
        self.write('explanation/results.md', results.page(), ROOT / 'docs/explanation')
        for page in sorted(DOCS.rglob('*.md')):
            below = page.relative_to(DOCS)
            if below.parts[0] not in NOT_PAGES:
                text = page.read_text()
                text = with_names_linked(text, self.anchors) if str(below) in LISTS_OF_NAMES else text
                self.write(str(below), self.with_navigation(below, text), page.parent)
        self.to_copy += sorted((DOCS / 'pictures').glob('*.cpp'))
        while self.to_copy:
            self.copy(self.to_copy.pop())

    def rewrite_generated(self):
        """Links of the reference to files of the repository, as /test/docs/reference.cpp."""
        for page in sorted((self.folder / 'reference').rglob('*.md')):
            here = page.relative_to(self.folder).parent

            def target(found):
                return found[1] + (self.source(here, found[2][1:]) if found[2].startswith('/') else found[2]) + found[3]
            page.write_text(LINK.sub(target, page.read_text()))

    def write(self, name, text, folder):
        """Writes a page whose links are relative to `folder` of the repository."""
        to = self.folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        text = with_kinds_of_tables(text)
        text = with_pictures(text, pathlib.PurePath(name).parent)
        text = snippets.with_sources(text, pathlib.PurePath(name).parent, self.file)
        to.write_text(self.links(text, folder, pathlib.PurePath(name).parent))

    def links(self, text, folder, here):
        """The text with its links rewritten, apart from those in blocks of code."""
        parts = re.split(r'(^```.*?^```$)', text, flags=re.M | re.S)
        return ''.join(part if i % 2 else LINK.sub(lambda found: self.link(found, folder, here), part)
                       for i, part in enumerate(parts))

    def link(self, found, folder, here):
        target, _, fragment = found[2].partition('#')
        if target.startswith(snippets.SITE):
            return found[1] + found[2][len(snippets.SITE):] + found[3]
        if not target or re.match(r'\w+:', target):
            return found[0]
        path = pathlib.Path(os.path.normpath(folder / target))
        return found[1] + self.file(here, path, fragment) + found[3]

    def file(self, here, path, fragment=''):
        """The link from a page in `here` to what shows a file of the repository."""
        page = self.page_of(path)
        has_anchor = fragment and path != ROOT / 'README.md'  # in whose place is the first page
        return os.path.relpath(page, here) + ('#' + fragment if has_anchor else '')

    def source(self, here, name):
        """The link to a page that shows a file, even if the file is a header with a page in the reference."""
        self.to_copy.append(ROOT / name)
        return os.path.relpath(copy_of(name), here)

    def page_of(self, path):
        if not path.exists():
            raise SystemExit(f'docs: a page links to {path}, which does not exist')
        inside = path.relative_to(ROOT)
        if path == ROOT / 'include/tessera':
            return 'reference/headers.md'
        included = os.path.relpath(path, headers.INCLUDE)
        if included in headers.public_headers():
            return 'reference/' + reference.page_of(included)
        if path == ROOT / 'benchmark/results':
            return 'explanation/results.md'
        if inside.parts[0] == 'docs':
            if path.is_dir():
                return str(pathlib.PurePath(*inside.parts[1:]) / 'index.md')
            return str(pathlib.PurePath(*inside.parts[1:]))
        if inside == pathlib.PurePath('README.md'):
            return 'index.md'
        self.to_copy.append(path)
        return copy_of(inside)

    def copy(self, path):
        inside = path.relative_to(ROOT)
        if inside in self.copied:
            return
        self.copied.add(inside)
        if path.suffix == '.md':
            self.write(copy_of(inside), '---\norphan: true\n---\n\n' + path.read_text(), path.parent)
        else:
            self.write_plain(copy_of(inside), listing(path, inside))

    def write_plain(self, name, text):
        to = self.folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)

    def with_navigation(self, below, text):
        if str(below) != 'index.md':
            return text
        for title, pages in navigation(text):
            lines = [f'{name} <{self.entry(page)}>' for name, page in pages]
            text += '\n'.join(['\n```{toctree}', ':hidden:', f':caption: {title}', '', *lines, '```\n'])
        return text

    def entry(self, target):
        return self.page_of(pathlib.Path(os.path.normpath(DOCS / target)))[:-3]


TABLE = re.compile(r'(?:^\|.*\|$\n?){3,}', re.M)


def with_kinds_of_tables(text):
    """The text with its tables marked by how they fit on a phone.

    Figures scroll; the rows of other tables become paragraphs, whose lines begin with the headings of their columns."""
    def one(found):
        rows = [re.split(r'(?<!\\)\|', line)[1:-1] for line in found[0].strip().split('\n')[2:]]
        short = len(rows[0]) > 3 and all(len(cell) < 40 for row in rows for cell in row[1:])
        kind = 'numbers' if short else 'stacked'
        return f'<div class="{kind}">\n\n{found[0]}\n</div>\n\n'
    return TABLE.sub(one, text)


LISTS_OF_NAMES = {'coming-from.md', 'reference/calls.md', 'reference/policies.md'}


def with_names_linked(text, anchors):
    """The text with the public names in its tables linked to the reference."""
    lines, scope = [], ''
    for line in text.split('\n'):
        if line.startswith('## '):
            scope = 'grid::' if 'Whole arrays' in line else ''

        def one(found):
            anchor = anchors.get(scope + found[2]) or anchors.get(found[2])
            return f'[{found[1]}](#{anchor})' if anchor else found[1]
        lines.append(re.sub(r'(?<!\[)(`((?:grid::)?\w+)(?![.\w])[^`]*`)', one, line) if line.startswith('|') else line)
    return '\n'.join(lines)


PICTURE = re.compile(r'^<!-- picture: (\w+): (.*) -->$', re.M)


def with_pictures(text, here):
    """The text with the pictures that the build draws, where comments name them."""
    def one(found):
        name, what = found[1], found[2]
        picture = snippets.SITE + os.path.relpath(f'pictures/{name}.svg', here)
        program = snippets.SITE + os.path.relpath(copy_of(f'docs/pictures/{name}.cpp'), here)
        return f'<div class="picture">\n\n![{what}]({picture})\n\n</div>\n\n' \
            f'<div class="source">\n\n{what}: [docs/pictures/{name}.cpp]({program})\n\n</div>\n'
    return PICTURE.sub(one, text)


def copy_of(inside):
    """Where the copy of a file outside of docs/ is: benchmark/README.md has files/benchmark/README.md, a.cu files/a_cu.md."""
    name = str(inside)
    return 'files/' + (name if name.endswith('.md') else re.sub(r'[.]', '_', name) + '.md')


def listing(path, inside):
    """A page with the contents of a file, or of a folder."""
    head = f'---\nnosearch: true\norphan: true\n---\n\n# {inside}\n\n'
    if path.is_dir():
        names = sorted(child.name + ('/' if child.is_dir() else '') for child in path.iterdir())
        return head + '\n'.join(f'- `{name}`' for name in names) + '\n'
    language = {'.hpp': 'cpp', '.cpp': 'cpp', '.cu': 'cpp', '.cuh': 'cpp', '.py': 'python', '.sh': 'bash', '.json': 'json',
                '.cmake': 'cmake'}.get(path.suffix, 'text')
    text = path.read_text()
    fence = '`' * max(3, max((len(run) + 1 for run in re.findall('`{3,}', text)), default=3))
    return head + f'{fence}{language}\n{text}\n{fence}\n'


def navigation(text):
    """[(title, [(name, page)])] of docs/index.md: the lists of links below its headings, the first of each item."""
    found = []
    for section in re.split(r'^## ', text, flags=re.M)[1:]:
        pages = re.findall(r'^[-*] \[([^\]]*)\]\(([^)#]+)\)', section, re.M)
        if pages:
            found.append((section.split('\n', 1)[0], pages))
    return found
