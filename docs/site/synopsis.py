"""Writes declarations as a reader of the reference wants them: without bodies, private members and the library's markers."""
import re
import textwrap

from headers import end_of_declaration

WIDTH = 88
MARKERS = re.compile(r'TESSERA_FN |TESSERA_API |TESSERA_ONE_SIDED\s*|\[\[maybe_unused\]\] |\bfriend (?=\w+ operator)')
SITE = re.compile(r',\s*(const )?call_site( const)?&? site = call_site::here\(\)|(const )?call_site&? site = call_site::here\(\)')


def of(declaration):
    text = clean(declaration.text)
    if declaration.kind == 'type' and not text.startswith('enum'):
        return class_synopsis(text)
    if declaration.kind == 'type':
        return text
    if declaration.kind == 'function':
        return function_synopsis(text)
    end = end_of_template(text) if text.startswith('template') else 0
    return (wrap(text[:end]) + '\n' if end else '') + wrap(text[end:])


def clean(text):
    """Without the library's markers and the types that only keep a parameter from being deduced."""
    text = SITE.sub('', MARKERS.sub('', text))
    text = re.sub(r'\bdetail::(?:same_t|given_t|counter_t)<(\w+)>', r'\1', text)
    text = re.sub(r'\bdetail::range_total_t<(?:[^<>]|<[^<>]*>)*>', 'auto', text)
    text = re.sub(r'\bdetail::bound_t<', 'bound_t<', text)
    text = re.sub(r'=\s+(?:typename|stl::conditional_t|std::conditional_t)[^;]*\bdetail::[^;]*;', '= /* … */;', text)
    return re.sub(r'\bstl::', 'std::', text)


def function_synopsis(text):
    """The head of a function, with its template parameters on a line of their own."""
    text = re.sub(r'\s+', ' ', re.sub(r'\s*//[^\n]*', '', text)).strip()
    lines = []
    while text.startswith('template'):
        end = end_of_template(text)
        lines.append(wrap(text[:end]))
        text = text[end:].strip()
    return '\n'.join(lines + [wrap(text[:end_of_head(text)].strip().rstrip(';') + ';')])


def end_of_template(text):
    """Where `template <…>` ends."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in '<(') - (c in '>)' and text[i - 1] != '-')
        if depth == 0 and c == '>':
            return i + 1
    return len(text)


NAME = re.compile(r'(operator ?(?:\(\)|[^\s\w(]+|\w[\w :<>]*)|(?!decltype|alignas)~?\b\w+) ?\(')


def end_of_head(text):
    """Where a function's parameters and qualifiers end, and its initializers or its body begin."""
    found = NAME.search(text)
    if not found:
        return len(text)
    depth, at = 1, found.end()
    while depth and at < len(text):
        depth += (text[at] == '(') - (text[at] == ')')
        at += 1
    rest = re.search(r'\{|;| : ', text[at:])
    return at + rest.start() if rest else len(text)


def wrap(text):
    """Breaks a long declaration after commas."""
    text = re.sub(r'\( ', '(', re.sub(r'\s+', ' ', text).strip())
    if len(text) <= WIDTH:
        return text
    lines, line = [], ''
    for part in re.split(r'(?<=, )', text):
        if line and len(line) + len(part.rstrip()) > WIDTH:
            lines.append(line.rstrip())
            line = '    '
        line += part
    return '\n'.join(lines + [line.rstrip()])


def class_synopsis(text):
    """The head of a class, and its public members with their comments."""
    opening = body_of(text)
    head = re.sub(r'\s*//[^\n]*', '', text[:opening])
    head = re.sub(r' : (?:std|detail|tessera::detail|public|private)\b.*', '', re.sub(r'\s+', ' ', head)).strip()
    if head.startswith('template'):
        end = end_of_template(head)
        head = head[:end] + '\n' + head[end:].strip()
    lines = []
    is_struct = re.search(r'^struct\b', head, re.M) is not None
    for comment, member in members(text[opening + 1:text.rindex('}')], is_struct):
        lines += [f'  // {line}' if line else '  //' for line in filled(comment)]
        lines += [f'  {line}' for line in member.split('\n')]
    return '\n'.join([head + ' {', *lines, '};']) if lines else head + ' {};'


def filled(comment):
    """The comment in lines of one width, unless it has a picture."""
    return comment if any(line.startswith(' ') for line in comment) else textwrap.wrap(' '.join(comment), WIDTH - 5)


def body_of(text):
    depth = 0
    for i, c in enumerate(text):
        depth += (c in '(<') - (c in ')>')
        if c == '{' and depth == 0:
            return i
    return text.index('{')


def members(body, public):
    """Yields (comment, member) for what users may name."""
    comment, at = [], 0
    while at < len(body):
        line = body[at:].split('\n', 1)[0]
        stripped = line.strip()
        access = re.match(r'(public|private|protected):', stripped)
        if not stripped or stripped.startswith('#') or access:
            if access:
                public, comment = access[1] == 'public', []
            at += len(line) + 1
        elif stripped.startswith('//'):
            if stripped.startswith('///'):
                comment.append(stripped[3:].removeprefix(' '))
            at += len(line) + 1
        else:
            length = end_of_declaration(body[at:])
            member, comment_before, comment = body[at:at + length].strip(), comment, []
            at += length
            trailing = re.match(r'[ ]*//+<? ?([^\n]*)', body[at:])
            shown = member_synopsis(member)
            if public and shown:
                yield comment_before, shown + (f'  // {trailing[1]}' if trailing else '')
            if trailing:
                at += trailing.end()


def member_synopsis(member):
    if re.match(r'(static_assert|friend (class|struct)|using detail)', member) or 'lane_id& id' in member:
        return None
    if re.match(r'(template <.*> )?(class|struct|enum)\b', re.sub(r'\s+', ' ', member)) and '{' in member:
        return class_synopsis(member)
    tail = re.search(r'= (default|delete);$', member)
    return function_synopsis(member) if is_function(member) and not tail else wrap(member)


def is_function(member):
    while member.startswith('template'):
        member = member[end_of_template(member):].strip()
    found = NAME.search(member)
    return found and not re.search('[={]', member[:found.start()])
