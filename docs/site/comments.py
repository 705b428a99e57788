"""Turns the comments of headers into Markdown: text, pictures, code, and the fields of contract blocks.

    /// The values of the tile's lanes combined by `op` in rank order.       text
    ///
    ///   float mean = tessera::reduce(tile, x) / tile.size();               code
    ///
    /// Called by  all lanes of the tile (with `converged`: of the warp),    a field
    ///            with one `op` and one policy.
"""
import re

FIELD = re.compile(r'^((?:[^.;:`() ]|::)(?:[^.;:`()]|::){0,27}?) {2,}(\S.*)$')


def blocks(lines):
    """The comment as a list of ('text', string), ('code', lines) and ('fields', [(name, text)])."""
    found = []
    open_block = None  # 'text' or 'fields': what the next line may continue
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            open_block = None
            if found and found[-1][0] == 'code':
                found.append(('code', []))
        elif indent >= 2 and open_block == 'fields':
            add_to_fields(found[-1][1], line)
        elif indent >= 2 and open_block == 'text' and begins_list(found[-1][1], line):
            found.append(('fields', [FIELD.match(line.strip()).groups()]))
            open_block = 'fields'
        elif indent >= 2:
            if not found or found[-1][0] != 'code':
                found.append(('code', []))
            found[-1][1].append(line)
            open_block = None
        elif FIELD.match(line) and open_block != 'text':
            if open_block != 'fields':
                found.append(('fields', []))
            found[-1][1].append(FIELD.match(line).groups())
            open_block = 'fields'
        elif open_block == 'text':
            found[-1] = ('text', found[-1][1] + ' ' + line.strip())
        else:
            found.append(('text', line.strip()))
            open_block = 'text'
    return joined([(kind, trimmed(content) if kind == 'code' else content) for kind, content in found])


def joined(found):
    """The same blocks, with code behind code and pictures behind pictures in one."""
    out = []
    for kind, content in found:
        if kind == 'code' and not content:
            continue
        if kind == 'code' and out and out[-1][0] == 'code' and is_code(out[-1][1]) == is_code(content):
            out[-1] = ('code', out[-1][1] + [''] + content)
        else:
            out.append((kind, content))
    return out


def begins_list(text, line):
    """Whether an indented line after this text is a field: the text is a heading, such as `All of them`."""
    return len(line) - len(line.lstrip()) == 2 and not text.endswith((':', '.')) and FIELD.match(line.strip())


def add_to_fields(fields, line):
    found = FIELD.match(line.strip())
    if found and len(line) - len(line.lstrip()) == 2:
        fields.append(found.groups())
    else:
        fields[-1] = (fields[-1][0], fields[-1][1] + ' ' + line.strip())


def trimmed(lines):
    """Without empty lines at the end and without the indentation that all lines have."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return [line[indent:] for line in lines]


def is_code(lines):
    """Whether these lines are C++ rather than a picture."""
    return any(re.search(r';\s*(//.*)?$', line) for line in lines)


def code_lines(lines):
    """The C++ lines of a comment, without comments and spaces at their ends."""
    for kind, content in blocks(lines):
        if kind == 'code' and is_code(content):
            yield from (re.sub(r'\s*//.*$', '', line).strip() for line in content)


def first_sentence(lines):
    text = next((content for kind, content in blocks(lines) if kind == 'text'), '')
    return re.split(r'(?<=[.;])\s', text, maxsplit=1)[0].rstrip(';')


# ---- Markdown

def markdown(lines, link):
    """The comment as Markdown. `link` gives the target of a name in backticks or of a header, or None."""
    out = []
    for kind, content in blocks(lines):
        if kind == 'text':
            out.append(inline(content, link))
        elif kind == 'code':
            out.append('\n'.join([f"```{'cpp' if is_code(content) else 'text'}", *content, '```']))
        else:
            out += [f'{inline(name, link)}\n: {inline(text, link)}' for name, text in content]
    return '\n\n'.join(out)


def inline(text, link):
    """One paragraph. Odd parts between backticks are code."""
    parts = text.split('`')
    if len(parts) % 2 == 0:  # a backtick without its partner
        return escape(text, link)
    return ''.join(code(part, link) if i % 2 else escape(part, link) for i, part in enumerate(parts))


def code(text, link):
    target = link(text)
    return f'[`{text}`]({target})' if target else f'`{text}`'


def escape(text, link):
    text = re.sub(r'([\\`*_<>\[\]#$~|{}])', r'\\\1', text)

    def header(found):
        target = link(found[0].replace('\\', ''))
        return f'[{found[0]}]({target})' if target else found[0]
    return re.sub(r'\b[\w/\\]+\.(?:hpp|cuh)\b', header, text)
