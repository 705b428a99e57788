"""Builds the site: stages the pages, draws the pictures, runs Sphinx, and checks the result. tools/docs calls it.

usage: build.py FOLDER [--external] [--refresh]

  FOLDER/source  what Sphinx reads: docs/, the reference, and copies of what pages link to
  FOLDER/html    the site

The reference is made by this folder's own code (headers.py reads, synopsis.py and comments.py write) rather than by Doxygen and
Breathe: those know neither the fields of the contracts nor the tested examples, and show parameters that no user writes.
"""
import os
import pathlib
import subprocess
import sys

import check_links
import figures
import headers
import pictures
import snippets
import stage
import table_labels
import tables


def documents():
    """The Markdown files whose snippets are checked."""
    docs = headers.ROOT / 'docs'
    pages = sorted(docs.rglob('*.md'))
    return [page for page in pages if page.relative_to(docs).parts[0] not in stage.NOT_PAGES]


def stale_snippets():
    """What is wrong with the snippets of the pages and of README.md."""
    checked = [headers.ROOT / 'README.md', *documents()]
    return [problem for document in checked for problem in snippets.problems(document)]


def sphinx(source, html):
    """Returns what Sphinx says if it warns of anything, else nothing."""
    options = ['-q', '-W', '--keep-going', '-E', '-j', '2', '-b', 'html', '-d', str(source.parent / 'doctrees')]
    ran = subprocess.run([sys.executable, '-m', 'sphinx', *options, str(source), str(html)], capture_output=True,
                         text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    table_labels.write(html)
    return '' if ran.returncode == 0 else (ran.stdout + ran.stderr).strip()


def build(folder, external=False):
    """Returns a list of problems, in the words that a reader needs to mend them."""
    source, html = folder / 'source', folder / 'html'
    found = stale_snippets() + list(tables.problems()) + list(figures.problems())
    stage.Stage(source).run()
    found += pictures.draw(source / 'pictures', folder / 'programs')
    warnings = sphinx(source, html)
    found += [warnings] if warnings else []
    return found + check_links.problems(html, external)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    if '--refresh' in sys.argv:
        pictures.refresh(folder)
    found = build(folder, '--external' in sys.argv)
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        print(folder / 'html/index.html')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
