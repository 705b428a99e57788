#!/usr/bin/env python3
"""Builds the site as tools/docs does, and checks the pages that come out. Prints TAP; skipped where Sphinx is missing.

usage: site_test.py FOLDER
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / 'test/support'), str(ROOT / 'docs/site')]

try:
    import furo
    import myst_parser
    import sphinx
except ImportError as missing:
    own = ROOT / '.venv/bin/python'
    if own.exists() and pathlib.Path(sys.prefix) != ROOT / '.venv':
        os.execv(own, [str(own), *sys.argv])
    print(f'1..0 # SKIP {missing.name} is missing: tools/docs gets it, as does tools/test --all')
    sys.exit()

import build
import check_links
import headers
import names
import pictures
import reference
import stage
import tap

SOURCE, HTML = (pathlib.Path(sys.argv[1]).resolve() / name for name in ('source', 'html'))


def none_of(problems):
    problems = list(problems)
    if problems:
        raise AssertionError('\n'.join(problems)[:5000])


def pages():
    if not hasattr(pages, 'read'):
        pages.read = check_links.read(HTML)
    return pages.read


@tap.check
def pages_are_staged():
    stage.Stage(SOURCE).run()


@tap.check
def every_picture_is_drawn_from_a_run():
    none_of(pictures.draw(SOURCE / 'pictures', SOURCE.parent / 'programs'))


@tap.check
def sphinx_warns_of_nothing():
    none_of(filter(None, [build.sphinx(SOURCE, HTML)]))


@tap.check
def every_link_leads_to_a_page_and_an_anchor():
    none_of(check_links.internal_problems(HTML, pages()))


@tap.check
def nothing_is_loaded_from_other_hosts():
    none_of(check_links.external_loads(HTML, pages()))


@tap.check
def every_public_name_has_its_anchor_on_its_page():
    problems = []
    for path in headers.public_headers():
        page = HTML / 'reference' / reference.page_of(path).replace('.md', '.html')
        ids = pages()[page].ids if page in pages() else set()
        for name in sorted(names.public_names(headers.INCLUDE / path)):
            anchor = reference.anchor(name)
            if not ids & {anchor, f'{anchor}-{pathlib.PurePath(path).stem}'.replace('_', '-')}:
                problems.append(f'{page.relative_to(HTML)} has no anchor of {name}')
    none_of(problems)


sys.exit(tap.run())
