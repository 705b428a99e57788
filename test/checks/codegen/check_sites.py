#!/usr/bin/env python3
"""Checks which source files the kernels' reports name, by the strings in the PTX. Prints TAP.

usage: check_sites.py sites.cu sites_of_examples.hpp sites.ptx
"""
import re
import sys


def strings(ptx):
    """Returns {name: text} for the string constants."""
    found = {}
    for name, values in re.findall(r"\.b8 (\S+)\[\d+\] = \{([\d, ]+)\}", ptx):
        found[name] = bytes(int(v) for v in values.split(",")).decode("utf-8", "replace").rstrip("\0")
    return found


def main():
    source, examples, ptx = (open(path).read() for path in sys.argv[1:4])
    kernels = re.findall(r"^(?:KERNEL|CALL)\((\w+),", examples + source, re.M)
    texts = strings(ptx)
    print(f"1..{len(kernels)}")
    for kernel in kernels:
        body = re.search(rf"\.entry at_{kernel}\((.*?)(?=\.entry |\Z)", ptx, re.S)
        names = {texts[name] for name in re.findall(r"\$str(?:\$\d+)?", body.group(1)) if name in texts} if body else set()
        files = {name for name in names if name.endswith((".cu", ".hpp", ".h"))}
        ok = len(files) == 1 and files.pop().endswith(("sites.cu", "sites_of_examples.hpp"))
        print(f"{'ok' if ok else 'not ok'} - {kernel}")
        if not ok:
            print(f"# names {sorted(names)}")


main()
