"""Checks the built pages: each link inside leads to a page and an anchor that exist, and nothing is loaded from elsewhere.

usage: check_links.py FOLDER [--external]     (with --external other hosts are asked for what the pages link to)
"""
import html.parser
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request

LOADED = {'script': 'src', 'img': 'src', 'link': 'href', 'iframe': 'src', 'source': 'src', 'video': 'src', 'audio': 'src'}
NOT_LOADED = {'canonical', 'next', 'prev', 'search', 'index', 'genindex', 'top', 'up', 'copyright', 'author', 'help'}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        for name in ('id', 'name'):
            if found.get(name) and (name == 'id' or tag == 'a'):
                self.ids.add(found[name])
        if tag == 'a' and found.get('href'):
            self.links.append(found['href'])
        if found.get(LOADED.get(tag)) and not set((found.get('rel') or '').split()) & NOT_LOADED:
            self.loads.append(found[LOADED[tag]])


def is_external(link):
    return bool(urllib.parse.urlsplit(link).netloc)


def read(folder):
    return {path: Page(path.read_text()) for path in sorted(folder.rglob('*.html'))}


def internal_problems(folder, pages):
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.netloc or parts.scheme in ('data', 'mailto'):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path.resolve()
            name = path.relative_to(folder)
            if not target.exists():
                yield f'{name}: {link} leads nowhere'
            elif parts.fragment and target.suffix == '.html' and target in pages and \
                    urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                yield f'{name}: {link} names an anchor that is not there'


def external_loads(folder, pages):
    for path, page in pages.items():
        yield from (f'{path.relative_to(folder)}: loads {link}' for link in page.loads if is_external(link))
    for path in sorted(folder.rglob('*.css')):
        text = path.read_text()
        if 'url(http' in text.replace('"', '').replace("'", '') or '@import' in text:
            yield f'{path.relative_to(folder)}: loads from elsewhere'


def external_links(pages):
    return sorted({link for page in pages.values() for link in page.links if is_external(link)})


def answers(link):
    request = urllib.request.Request(link, headers={'User-Agent': 'tools/docs'})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status < 400
    except (urllib.error.URLError, OSError):
        return False


def problems(folder, external=False):
    """All of that, as a list."""
    folder = pathlib.Path(folder).resolve()
    pages = read(folder)
    found = list(internal_problems(folder, pages)) + list(external_loads(folder, pages))
    if external:
        found += [f'{link} does not answer' for link in external_links(pages) if not answers(link)]
    return found


def main():
    found = problems(sys.argv[1], '--external' in sys.argv)
    print('\n'.join(found) if found else 'all links lead somewhere')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
