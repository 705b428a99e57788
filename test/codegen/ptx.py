"""Parses PTX for the checks."""
import re


def bodies(ptx):
    """Returns {kernel: its lines, without comments, predicates and the braces of inline assembly}."""
    found = {}
    for entry in re.split(r"\.entry ", ptx)[1:]:
        lines = [line.split("//")[0].strip(" \t{}") for line in re.split(r"\n|(?<=;) ", entry)]
        found[re.match(r"\w+", entry).group()] = [re.sub(r"^@!?%\w+\s+", "", line) for line in lines]
    return found
