"""The public names of a header, found by another way than the site's own: it takes the head of each declaration at the depth of a
namespace, and in it the word that is declared."""
import re

NOT_PUBLIC = {'detail', 'choice', 'compiler'}


def without_noise(text):
    """Without comments, strings, lines of the preprocessor and the library's markers."""
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r'^[ \t]*#(.*\\\n)*.*$', '', text, flags=re.M)
    text = text.replace('TESSERA_NAMESPACE_BEGIN', 'namespace tessera {').replace('TESSERA_NAMESPACE_END', '}')
    text = re.sub(r'=\s*\{\}', '= none', text)  # of parameters
    return re.sub(r'\bTESSERA_(FN|API|ONE_SIDED)\b|\[\[\w+\]\]|\balignas\(\w+\)', '', text)


def heads(text):
    """[(namespaces, head)]: what stands before each `{` and `;` outside of functions and classes."""
    spaces, depth, head = [], 0, ''
    for token in re.findall(r'[{};]|[^{};]+', text):
        if depth > 0:
            depth += (token == '{') - (token == '}')
            head = '' if depth == 0 else head
        elif token == '{':
            space = re.fullmatch(r'\s*(inline\s+)?namespace\s+([\w:]+)\s*', head)
            if space:
                spaces.append([] if space[1] else space[2].split('::'))
            else:
                yield [part for one in spaces for part in one], head
                depth = 1
            head = ''
        elif token == '}':
            spaces.pop()
            head = ''
        elif token == ';':
            if head.strip():
                yield [part for one in spaces for part in one], head + ';'
            head = ''
        else:
            head = token


def without_brackets(text):
    """Without what is between < and >, from the inside out."""
    while re.search(r'(?<!operator)<[^<>]*>', text):
        text = re.sub(r'(?<!operator)<[^<>]*>', ' ', text)
    return text


def declared(head):
    """The name that a head declares, or None where it only mentions one: forward, specialized or out of its class."""
    template = re.sub(r'->', '  ', re.sub(r'<=|>=', '  ', head))
    own = re.sub(r'^\s*template\s*<.*?>\s*(?=struct|class|inline)', '', template, flags=re.S)
    special = re.search(r'\b(class|struct|bool|unsigned)\s+\w+\s*<[^;]*$', own)
    plain = re.sub(r'\s+', ' ', without_brackets(template).replace('template', ' ')).strip()
    kind = re.match(r'(enum class|enum|struct|class) ([\w:]+)', plain)
    if kind:
        return None if plain.endswith(';') or special or '::' in kind[2] else kind[2]
    other = re.match(r'(using|concept) (\w+) ?=', plain)
    if other:
        return other[2]
    if re.match(r'(using|namespace|static_assert|extern|friend)\b', plain) or not plain.strip(';'):
        return None
    call = re.match(r'[^=(]*?([\w:]+|operator\S+) ?\(', plain.replace('decltype(auto)', 'auto'))
    if call:
        guide = re.match(r'\w+\(', plain) is not None
        return None if '::' in call[1] or guide else call[1]
    value = re.search(r'(\w+)(\[\])? ?(=|;|$)', plain)
    return None if special else value and value[1]


def public_names(path):
    """The names in `tessera` and the namespaces in it that users may write, as in 'reduce' and 'grid::reduce'."""
    found = set()
    for spaces, head in heads(without_noise(path.read_text())):
        if not spaces or spaces[0] != 'tessera' or NOT_PUBLIC & set(spaces):
            continue
        name = declared(head)
        if name and not is_forward(head):
            found.add('::'.join([*spaces[1:], name]))
    return found


def is_forward(head):
    """A function that is only declared so that another header may name it."""
    is_function = '(' in head and '=' not in head.split('(')[0]
    return is_function and head.endswith(';') and 'noexcept' not in head
