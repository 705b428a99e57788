#!/usr/bin/env python3
"""Checks what the documents and the reference say against the code, without building the site. Prints TAP."""
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / 'test/support'), str(ROOT / 'docs/site'), str(ROOT / 'test/checks/callables')]
import build
import check as callables
import comments
import figures
import headers
import names
import reference
import snippets
import stage
import tables
import tap
import test_tables


def none_of(problems):
    problems = list(problems)
    if problems:
        raise AssertionError('\n'.join(problems))


def reference_pages():
    """{header: the Markdown of its page}, as the site has it."""
    with tempfile.TemporaryDirectory() as folder:
        reference.write(pathlib.Path(folder))
        return {path: (pathlib.Path(folder) / reference.page_of(path)).read_text() for path in headers.public_headers()}


PAGES = reference_pages()


def section_of(page, name):
    """What a page says of a name: from its anchor to the next one; None where there is no anchor."""
    # A name that two headers declare, such as grid::select of select.hpp and select.cuh, has the second one's name, too.
    second = r'(?:-misuse|-schedule|-select|-reduce|-scan|-segments|-sort-segments|-scan-segments|-rows|-computed-rows|-sort|-runs|-scan-by-key|-histogram|-top-k|-merge|-search|-adjacent-difference|-quantized-norm|-top-k-rows|-sharded(?:-sample|-select|-sort|-top-k)?(?:-rows)?)?'
    found = re.search(rf'^\({re.escape(reference.anchor(name))}{second}\)=\n(.*?)(?=^\(tessera-|\Z)', page, re.M | re.S)
    return found and found[1]


def without_code(text):
    return re.sub(r'^```.*?^```$|^#[^\n]*$|^The header itself[^\n]*$', '', text, flags=re.M | re.S).strip()


def squeezed(text):
    """Code without comments and spaces, so that line breaks don't count."""
    return re.sub(r'\s|//[^\n]*', '', text)


def statements(lines):
    """The statements of some lines of code, each with its line breaks."""
    open_lines = []
    for line in filter(None, lines):
        open_lines.append(line)
        if line.endswith((';', '{', '}')):
            yield '\n'.join(open_lines)
            open_lines = []


def contract_comments(header):
    yield header.comment
    for one in header.declarations:
        yield reference.stripped(one.comment)


# ---- Pages

@tap.check
def every_snippet_is_a_part_of_a_tested_file():
    none_of(build.stale_snippets())


@tap.check
def a_snippet_may_be_broken_elsewhere_but_not_changed():
    code = next(code for _, code in snippets.blocks((ROOT / 'docs/operators.md').read_text()) if 'attention(' in code)
    tap.equal(snippets.source_of(code, 'cpp'), 'test/docs/docs_test.cpp')
    tap.equal(snippets.source_of(code.replace('D * key + d', 'D * key'), 'cpp'), None)
    tap.equal(snippets.source_of(code.strip()[:-3], 'cpp'), None, 'it ends within a line')


@tap.check
def every_table_says_what_the_code_says():
    none_of(tables.problems())


@tap.check
def every_figure_is_of_the_newest_results():
    none_of(figures.problems())


@tap.check
def index_lists_every_page():
    text = (ROOT / 'docs/index.md').read_text()
    listed = {page for _, pages in stage.navigation(text) for _, page in pages}
    none_of(f'docs/index.md does not list {page.relative_to(ROOT / "docs")}' for page in build.documents()
            if str(page.relative_to(ROOT / 'docs')) not in listed | {'index.md'})


@tap.check
def every_picture_is_drawn_and_shown():
    drawn = {path.stem for path in (ROOT / 'docs/pictures').glob('*.cpp')}
    shown = {name for page in build.documents() for name, _ in stage.PICTURE.findall(page.read_text())}
    none_of([f'docs/pictures has no {name}.cpp' for name in sorted(shown - drawn)] +
            [f'no page shows docs/pictures/{name}.cpp' for name in sorted(drawn - shown)])


@tap.check
def every_public_call_is_listed_at_a_glance():
    text = (ROOT / 'docs/reference/calls.md').read_text()
    called = {call for path in headers.public_headers() for call in callables.public_calls(headers.INCLUDE / path)}
    none_of(f'docs/reference/calls.md does not list {call}' for call in sorted(called - {'make_operator', 'zip'})
            if not re.search(rf'\b{call}\b', text))


# ---- Reference

@tap.check
def every_public_header_has_a_group():
    text = reference.index([headers.read(path) for path in PAGES])
    none_of(f'no group of the reference has {path}' for path in PAGES if reference.page_of(path) not in text)


@tap.check
def every_public_name_has_an_anchor():
    none_of(f'{path}: {name} has no anchor on {reference.page_of(path)}' for path, page in PAGES.items()
            for name in sorted(names.public_names(headers.INCLUDE / path)) if section_of(page, name) is None)


@tap.check
def every_public_name_is_described():
    none_of(f'{path}: nothing is said of {name}: put a comment that begins with /// above it' for path, page in PAGES.items()
            for name in sorted(names.public_names(headers.INCLUDE / path))
            if section_of(page, name) is not None and not without_code(section_of(page, name)))


@tap.check
def every_page_has_an_example_that_the_tests_run():
    listed = [path for path, _ in test_tables.listed().values()]
    problems = []
    for path, page in PAGES.items():
        sources = re.findall(r'^This is a part of \[([^\]]*)\]', page, re.M)
        tests = [re.sub(r'^test/|\.\w+$', '', source) for source in sources]
        if not sources:
            files = ' or '.join(reference.EXAMPLES)
            problems.append(f'{path} has no example: write a region // [{path}] in {files}')
        problems += [f"{path}: no table of test/ lists '{test}'" for test in tests if test not in listed]
    none_of(problems)


@tap.check
def every_line_of_code_in_a_contract_is_tested():
    tested = [squeezed((ROOT / file).read_text()) for file in reference.EXAMPLES]
    problems = []
    for path in PAGES:
        for comment in contract_comments(headers.read(path)):
            for statement in statements(comments.code_lines(comment)):
                if not any(squeezed(statement).rstrip(';') in text for text in tested):
                    problems.append(f'{path}: no example has\n{statement}')
    none_of(problems)


sys.exit(tap.run())
