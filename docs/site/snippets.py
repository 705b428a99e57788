"""Finds the tested file that a snippet of a document is a part of.

A block of code in a document has the lines of a file that the tests compile and run, one after the other; indentation doesn't
count. C++ may be broken into other lines, of up to WIDTH columns, so that no page scrolls sideways. Commands of a shell are
checked by themselves: the tools, options and tests that they name must exist.
"""
import functools
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The files that the tests compile and run, or hand to a program that checks them.
TESTED = ['test/docs/*.cpp', 'test/docs/*.cu', 'test/docs/*.txt', 'test/grid/docs_*', 'test/grid/parts/*_any_gpu_test.cu',
          'test/checks/nvrtc_test.cpp', 'test/build/**/*', 'examples/ladder/*', 'examples/tally/*', 'examples/arrays/*',
          'examples/sharded/*', 'test/grid/sharded/*_any_gpu_test.cu', 'docs/pictures/*.cpp', 'CMakeLists.txt']
CPP = {'cpp', 'cuda'}
WIDTH = 96
CODE = {'cpp', 'cuda', 'meson', 'cmake', 'ini', 'python'}
SHELL = {'sh', 'console', 'bash'}

REPORT = 'replay with TESSERA_HOST_SCHEDULE='  # what a host tile prints

BLOCK = re.compile(r'^```(\w*)\n(.*?)^```$', re.M | re.S)


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


@functools.lru_cache(maxsize=None)
def tested_files():
    """[(path below the repository, its lines as one string)]."""
    found = []
    for pattern in TESTED:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and path.suffix not in ('.npy', '.png', '.svg', '.md'):
                found.append((str(path.relative_to(ROOT)), '\n' + '\n'.join(lines_of(path.read_text())) + '\n'))
    return found


@functools.lru_cache(maxsize=None)
def squeezed_files():
    """The same of files of C++, without spaces but for a line feed in front of each line."""
    return [(path, re.sub(r'[^\S\n]', '', text)) for path, text in tested_files() if path.endswith(('.cpp', '.cu', '.hpp'))]


def source_of(code, language=''):
    """The tested file that has these lines, or None. C++ may have other line breaks, but begins and ends with a line of the file."""
    wanted = '\n' + '\n'.join(lines_of(code)).strip('\n') + '\n'
    source = next((path for path, text in tested_files() if wanted in text), None)
    if source or language not in CPP:
        return source
    anywhere = '\n' + r'\n*'.join(re.escape(c) for c in re.sub(r'\s', '', code)) + '\n'
    start = re.sub(r'\s', '', code.strip().splitlines()[0]) if code.strip() else ''
    return next((path for path, text in squeezed_files() if start[:20] in text.replace('\n', '') and re.search(anywhere, text)), None)


def blocks(text):
    """[(language, code)] of a document."""
    return BLOCK.findall(text)


def with_sources(text, here, link):
    """The document with a line after each block of code that says which tested file it is a part of."""
    def one(found):
        source = source_of(found[2], found[1]) if found[1] in CODE else None
        if not source:
            return found[0]
        origin = f'[{source}]({SITE}{link(here, ROOT / source)})'
        code = textwrap.dedent(found[2])
        return f'```{found[1]}\n{code}```\n\n<div class="source">\n\nFrom {origin}\n\n</div>\n'
    return BLOCK.sub(one, text)


SITE = 'site:'


def problems(document):
    """What is wrong with the snippets of a document."""
    name = document.relative_to(ROOT)
    for language, code in blocks(document.read_text()):
        yield from (f'{name}: more than {WIDTH} columns, which scroll sideways: {line}'
                    for line in code.splitlines() if language in CPP and len(line) > WIDTH)
        if (language in CODE or REPORT in code) and not source_of(code, language):
            yield f'{name}: no tested file has these lines:\n{code}'
        if language in SHELL and not source_of(code):
            for line in code.splitlines():
                yield from (f'{name}: {problem}: {line}' for problem in problems_of_command(line))


# ---- Commands

@functools.lru_cache(maxsize=None)
def text_of(path):
    return (ROOT / path).read_text(errors='replace') if (ROOT / path).is_file() else ''


@functools.lru_cache(maxsize=None)
def text_of_headers():
    return ''.join(path.read_text() for path in sorted((ROOT / 'include').rglob('*.hpp')))


@functools.lru_cache(maxsize=None)
def tested_commands():
    return ''.join(text for path, text in tested_files() if path.startswith('test/build') or path.endswith('.txt'))


def problems_of_command(line):
    """The tools of the repository must have the options, and Meson's options exist. Any other command is one that a test runs."""
    command = re.sub(r'\s+#.*$', '', line).strip()
    words = command.split()
    variables = [word for word in words if re.match(r'[A-Z_]+=', word)]
    for variable in variables:
        name = variable.split('=')[0]
        if name not in text_of_headers():
            yield f'no header reads {name}'
    words = [word for word in words if word not in variables]
    if not words:
        return
    if re.match(r'(tools|benchmark|\.ci)/', words[0]):
        yield from problems_of_tool(words)
    elif words[0] == 'meson':
        known = set(re.findall(r"^option\('(\w+)'", text_of('meson_options.txt'), re.M)) | {'buildtype', 'b_ndebug', 'prefix'}
        for option in re.findall(r'-D(?:tessera:)?(\w+)=', command):
            if option not in known and not option.endswith('_args'):
                yield f'no option of Meson is called {option}'
    elif '\n' + command + '\n' not in tested_commands():
        yield 'no test runs this command'


def problems_of_tool(words):
    text = text_of(words[0])
    if not text:
        yield f'there is no {words[0]}'
    for option in words[1:]:
        name = option.split('=')[0]
        if name.startswith('--') and not re.search(rf'{re.escape(name)}\b', text):
            yield f'{words[0]} has no option {name}'
