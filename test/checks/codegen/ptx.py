"""Parses PTX for the checks."""
import re


def bodies(ptx):
    """Returns {kernel or function: its lines, without comments, predicates and the braces of inline assembly}."""
    found = {}
    for begin in re.split(r"\.entry |\.func (?:\s*\([^)]*\)\s*)?", ptx)[1:]:
        lines = [line.split("//")[0].strip(" \t{}") for line in re.split(r"\n|(?<=;) ", begin)]
        if (name := re.match(r"\w+", begin).group()) not in found or len(lines) > len(found[name]):  # else it is only declared
            found[name] = [re.sub(r"^@!?%\w+\s+", "", line) for line in lines]
    return found
