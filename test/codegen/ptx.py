"""PTX as the checks read it."""
import re


def bodies(ptx):
    """{kernel: its lines, without comments, predicates and the braces of inline assembly}."""
    found = {}
    for entry in re.split(r"\.entry ", ptx)[1:]:
        lines = [line.split("//")[0].strip(" \t{}") for line in re.split(r"\n|(?<=;) ", entry)]
        found[re.match(r"\w+", entry).group()] = [re.sub(r"^@!?%\w+\s+", "", line) for line in lines]
    return found
