"""The functions that the headers define in namespaces, and where the headers call them without a namespace.

A rough parser, for headers that clang-format has formatted: it knows scopes, declarations and template arguments, no types.
"""
import collections
import re

NOT_FUNCTIONS = {'alignas', 'alignof', 'asm', 'catch', 'constexpr', 'decltype', 'defined', 'explicit', 'for', 'if', 'noexcept', 'requires',
                 'return', 'sizeof', 'static_assert', 'switch', 'typeid', 'while', '__attribute__', '__launch_bounds__'}
BEFORE_CALLS = {'return', 'else', 'do', 'case', 'throw', 'constexpr'}  # other words before a name and a parenthesis begin declarations
TOKEN = re.compile(r'''//[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)* | R"\(.*?\)" | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+' |
                       [A-Za-z_]\w* | \d(?:[\w.]|'\w)* | :: | -> | << | <= | >= | == | != | && | \|\| | \S''', re.M | re.S | re.X)
CLOSING = {'(': ')', '[': ']', '{': '}'}


def tokens_of(text):
    return [(m.group(), m.start()) for m in TOKEN.finditer(text) if not m.group().lstrip().startswith(('//', '/*', '#'))]


def is_name(token):
    return re.fullmatch(r'[A-Za-z_]\w*', token) is not None


def end_of_bracket(tokens, i):
    """The index after the bracket that closes the one at i."""
    depth = 0
    for i in range(i, len(tokens)):
        depth += (tokens[i][0] in CLOSING) - (tokens[i][0] in CLOSING.values())
        if depth == 0:
            break
    return i + 1


def end_of_angles(tokens, i, of_parameters=False):
    """The index after the > that closes the < at i, or None if that begins no list of template arguments (or parameters)."""
    depth = 0
    while i < len(tokens):
        token = tokens[i][0]
        if token in CLOSING:
            i = end_of_bracket(tokens, i)
            continue
        if token in (')', ']', '}', ';') or token in ('&&', '||') and not of_parameters:
            return None
        depth += (token == '<') - (token == '>')
        i += 1
        if depth == 0:
            return i
    return None


def without_template_head(tokens):
    while len(tokens) > 1 and tokens[0][0] == 'template' and tokens[1][0] == '<':
        tokens = tokens[end_of_angles(tokens, 1, of_parameters=True) or 1:]
    return tokens


def function_declared_by(statement):
    """(name, position) of the function that a statement declares or defines, or None."""
    tokens = without_template_head(statement)
    i = 0
    while i < len(tokens):
        token, position = tokens[i]
        after = tokens[i + 1][0] if i + 1 < len(tokens) else ''
        if token in ('=', 'operator'):
            return None
        if token == '<':
            i = end_of_angles(tokens, i) or i + 1
        elif after == '(' and token in NOT_FUNCTIONS:
            i = end_of_bracket(tokens, i + 1)
        elif after == '(' and is_name(token):
            return (token, position) if i > 0 else None  # constructors and deduction guides have no type before them
        else:
            i += 1
    return None


class Scope:
    def __init__(self, kind, name, begin, outer):
        self.kind, self.name, self.begin, self.outer = kind, name, begin, outer  # `begin`: where its statement begins
        self.members = set()
        self.parentheses = 0  # that were open before
        self.interrupts = False  # an initializer within a declaration

    def all(self):
        scope = self
        while scope:
            yield scope
            scope = scope.outer


class Header:
    """A header's tokens, each with its scope, and the functions that it defines in namespaces: (namespace, name, position)."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.tokens = tokens_of(self.text)
        self.scopes, self.functions, self.using = [], [], []
        scope, begin, parentheses = None, 0, 0
        for i, (token, position) in enumerate(self.tokens):
            self.scopes.append(scope)
            declares = parentheses == 0 and (scope is None or scope.kind in ('namespace', 'class'))
            statement = self.tokens[begin:i]
            if token == 'TESSERA_NAMESPACE_BEGIN':
                scope, begin = Scope('namespace', 'tessera', i, scope), i + 1
            elif token == 'TESSERA_NAMESPACE_END':
                scope, begin = scope.outer, i + 1
            elif token in '([':
                parentheses += 1
            elif token in ')]':
                parentheses -= 1
            elif token == '{':
                inner = self.opened(statement, begin, scope) if declares else Scope('block', '', i, scope)
                inner.parentheses, inner.interrupts = parentheses, not declares and parentheses > 0 or inner.kind == 'initializer'
                scope, parentheses = inner, 0
                if not inner.interrupts:
                    begin = i + 1
            elif token == '}':
                parentheses = scope.parentheses
                if not scope.interrupts:
                    begin = i + 1
                scope = scope.outer
            elif token == ';' and parentheses == 0:
                if declares:
                    self.declared(statement, scope)
                begin = i + 1
            elif token == ':' and declares and self.tokens[i - 1][0] in ('public', 'private', 'protected'):
                begin = i + 1
        if scope:
            raise ValueError(f'{path}: {scope.kind} {scope.name} does not end')

    def namespace(self, scope):
        return '::'.join(reversed([s.name for s in (scope.all() if scope else ()) if s.kind == 'namespace' and s.name]))

    def opened(self, statement, begin, outer):
        """The scope that a brace after a statement of a namespace or class opens."""
        words = [token for token, _ in without_template_head(statement)]
        function = function_declared_by(statement)
        if 'namespace' in words:
            return Scope('namespace', '' if 'inline' in words else ''.join(words[words.index('namespace') + 1:]), begin, outer)
        if {'struct', 'class', 'union', 'enum'} & set(words[:3]) and not function:
            name = next((w for w in words if is_name(w) and w not in ('struct', 'class', 'union', 'enum', 'final', 'alignas')), '')
            if outer and outer.kind == 'class':
                outer.members.add(name)
            return Scope('class', name, begin, outer)
        self.declared(statement, outer)
        return Scope('function' if function or 'operator' in words else 'initializer', '', begin, outer)

    def declared(self, statement, scope):
        function = function_declared_by(statement)
        words = [token for token, _ in statement]
        if scope and scope.kind == 'class':
            if function:
                scope.members.add(function[0])
            else:
                scope.members.update(w for w, after in zip(words, words[1:] + ['']) if is_name(w) and after in ('', '=', '[', ',', '{'))
        elif words[:1] == ['using'] and '=' not in words:
            self.using.append((self.namespace(scope), words[-1]))
        elif function:
            self.functions.append((self.namespace(scope), *function))

    def is_local(self, name, i):
        """Whether a variable or parameter of the function around token i has this name."""
        functions = [s for s in self.scopes[i].all() if s.kind == 'function'] if self.scopes[i] else []
        if not functions:
            return False
        text = self.text[self.tokens[functions[-1].begin][1]:self.tokens[i][1]]
        return re.search(rf'(?:[\w>&*]\s+|[&*]\s*){name}\s*(?:=[^=]|[,){{])', text) is not None


class Library:
    """All headers of a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.headers = [Header(path) for path in sorted([*folder.rglob('*.hpp'), *folder.rglob('*.cuh')])]
        self.namespaces = collections.defaultdict(set)  # of each name
        self.members = collections.defaultdict(set)  # of each class
        self.positions = set()  # of declarations
        for header in self.headers:
            for namespace, name, position in header.functions:
                self.namespaces[name].add(namespace)
                self.positions.add((header.path, position))
            for scope in filter(None, header.scopes):
                if scope.kind == 'class':
                    self.members[scope.name] |= scope.members

    def unqualified_calls(self):
        """Yields (header, line, name) of each call with arguments of a function by its name alone."""
        for header in self.headers:
            for i, (name, position) in enumerate(header.tokens[:-1]):
                if name in self.namespaces and (header.path, position) not in self.positions and self.is_call(header, i):
                    yield header.path.relative_to(self.folder), header.text.count('\n', 0, position) + 1, name

    def is_call(self, header, i):
        tokens, name = header.tokens, header.tokens[i][0]
        before = tokens[i - 1][0] if i else ''
        if before in ('.', '->', '::', '>', 'template') or is_name(before) and before not in BEFORE_CALLS:
            return False
        end = end_of_angles(tokens, i + 1) if tokens[i + 1][0] == '<' else i + 1
        if end is None or tokens[end][0] != '(' or tokens[end + 1][0] == ')':
            return False
        classes = [s.name for s in header.scopes[i].all() if s.kind == 'class'] if header.scopes[i] else []
        if any(name in self.members[c] or name == c for c in classes) or header.is_local(name, i):
            return False
        return True
