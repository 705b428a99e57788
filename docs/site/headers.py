"""Reads a public header: its opening comment, and each name that it declares with the contract block above it.

It knows as much C++ as these headers need: namespaces, templates, classes, enumerations, aliases, variables and functions.
"""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / 'include'

# Of what everything uses, and of the host tile, the headers with names that users write.
CORE = ['comparators', 'config', 'exchangeable', 'items', 'lane_mask', 'operator_traits', 'policy', 'scanned', 'scratch', 'segments',
        'tile']
HOST = ['block', 'cluster', 'launch', 'report/misuse', 'run/dim3', 'run/schedule', 'scratch', 'shared', 'tile']


NOT_PUBLIC = {'detail', 'compiler', 'choice'}


@dataclasses.dataclass
class Declaration:
    """One declaration: its kind, its name, the namespace below tessera ('' or 'grid::'), its text and its comment."""
    kind: str
    name: str
    scope: str
    text: str
    comment: list

    @property
    def full_name(self):
        return self.scope + self.name


@dataclasses.dataclass
class Header:
    path: str  # as it is included: tessera/reduce.hpp
    comment: list
    declarations: list

    def names(self):
        """The declarations by name, in the order of the header."""
        found = {}
        for one in self.declarations:
            found.setdefault(one.full_name, []).append(one)
        return found


def public_headers():
    """The paths of all public headers, as they are included."""
    folder = INCLUDE / 'tessera'
    files = sorted(folder.glob('*.hpp')) + sorted(folder.glob('operators/*.hpp'))
    files += sorted(folder.glob('grid/*.hpp')) + sorted(folder.glob('grid/*.cuh'))
    files += [folder / f'core/{name}.hpp' for name in CORE] + [folder / f'host/{name}.hpp' for name in HOST]
    return [str(path.relative_to(INCLUDE)) for path in files]


def read(path):
    text = (INCLUDE / path).read_text()
    return Header(path, opening_comment(text), list(declarations(text)))


def opening_comment(text):
    """The lines of the comment at the head of the file, without the slashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith('//'):
            break
        lines.append(line[2:])
    return [line[1:] if line.startswith(' ') else line for line in lines]


# ---- Declarations

def declarations(text):
    """All declarations of users' namespaces: tessera and those in it, apart from `detail` and `choice`."""
    for scope, comment, declared in walk(text):
        if not scope or scope[0] != 'tessera' or NOT_PUBLIC & set(scope):
            continue
        kind, name = classify(declared, comment)
        forward = kind == 'function' and '{' not in declared and not comment
        if name and not forward:
            below = ''.join(part + '::' for part in scope[1:] if part)
            yield Declaration(kind, name, below, declared, comment)


def walk(text):
    """Yields (namespaces, comment, declaration) for each declaration at namespace scope."""
    scope, comment, at = [], [], 0
    opening = re.compile(r'(inline )?namespace (\w+)?\s*\{')
    while at < len(text):
        rest = text[at:]
        line = rest.split('\n', 1)[0]
        stripped = line.lstrip()
        if not stripped:
            at += len(line) + 1
        elif stripped.startswith('///'):
            comment.append(stripped[3:])
            at += len(line) + 1
        elif stripped.startswith('//'):
            at += len(line) + 1
        elif stripped.startswith('#'):
            at += end_of_directive(rest)
        elif stripped.startswith('TESSERA_NAMESPACE_BEGIN'):
            scope.append('tessera')
            at += len(line) + 1
        elif stripped.startswith('TESSERA_NAMESPACE_END'):
            scope.pop()
            at += len(line) + 1
        elif opening.match(stripped):
            found = opening.match(stripped)
            scope.append('' if found[1] else found[2])
            comment = []
            at += len(line) - len(stripped) + found.end()
        elif stripped.startswith('}'):
            if scope:
                scope.pop()
            at += len(line) - len(stripped) + 1
        else:
            length = end_of_declaration(rest)
            yield list(scope), comment, rest[:length].strip()
            comment = []
            at += length


def end_of_directive(text):
    end = 0
    for line in text.split('\n'):
        end += len(line) + 1
        if not line.endswith('\\'):
            break
    return end


def end_of_declaration(text):
    """The number of characters to its `;`, or to the `}` of a function's body."""
    depth = 0
    for token in re.finditer(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[{}();]', text):
        mark = token[0]
        if mark in '({':
            depth += 1
        elif mark in ')}':
            depth -= 1
            if mark == '}' and depth == 0:
                after = re.match(r'\s*;', text[token.end():])
                return token.end() + (after.end() if after else 0)
        elif mark == ';' and depth == 0:
            return token.end()
    return len(text)


def without_template(text):
    """The declaration after `template <…>`, attributes and the library's own markers."""
    while True:
        text = re.sub(r'^\s*(\[\[\w+\]\]|TESSERA_\w+)\s*', '', text)
        if not re.match(r'\s*template\s*<', text):
            return text.strip()
        text = text[closing_angle(text, text.index('<')):]


def closing_angle(text, at):
    """Where the template parameters that open at `at` end."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in '<(':
            depth += 1
        elif text[i] in '>)' and text[i - 1:i + 1] != '->':
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def classify(declared, comment):
    """(kind, name) of what a user may name; a name of None for forward declarations, specializations without a comment and the
    like."""
    text = without_template(re.sub(r'//[^\n]*', '', declared))
    marked = r'(?:alignas\(\w+\)\s+|TESSERA_API\s+)?'
    found = re.match(rf'(?:enum class|enum|class|struct|union)\s+{marked}([\w:]+)\s*([<:{{;]|final)?', text)
    if found:
        forward = text.rstrip().endswith(';') and '{' not in text
        special = found[2] == '<'
        return 'type', None if forward or '::' in found[1] or (special and not comment) else found[1]
    found = re.match(r'(using|concept)\s+(\w+)\s*=', text)
    if found:
        return 'alias' if found[1] == 'using' else 'concept', found[2]
    if re.match(r'(using|namespace|static_assert|friend|extern)\b', text):
        return 'other', None
    return variable_or_function(text)


def variable_or_function(text):
    head = without_arguments(text.split('{', 1)[0]).replace('decltype(auto)', 'auto')
    function = re.search(r'(operator\s*\S+?|[\w:]+)\s*\(', head)
    if function and not re.search(r'[^=!<>]=[^=]', head[:function.start()]):
        is_guide = re.match(r'\w+\(', head) and '->' in text  # how template arguments are deduced
        is_member = '::' in function[1]
        return 'function', None if is_guide or is_member else function[1]
    found = re.match(r'(?:inline |static |constexpr |const )*[\w:]+(?:<>)?(?: const)?[\s&*]+(\w+)(<)?', head)
    is_special = found and found[2]
    return ('variable', None if is_special else found[1]) if found else ('other', None)


def without_arguments(text):
    """The same without what is between angle brackets: `policy<choice::first> first(` becomes `policy<> first(`."""
    out, depth = [], 0
    for i, c in enumerate(text):
        if c == '<' and not text[:i].rstrip().endswith('operator'):
            if depth == 0:
                out.append('<')
            depth += 1
        elif c == '>' and depth > 0 and text[i - 1] != '-':
            depth -= 1
            if depth == 0:
                out.append('>')
        elif depth == 0:
            out.append(c)
    return ''.join(out)
