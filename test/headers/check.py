#!/usr/bin/env python3
"""Compiles every header by itself, and all of them in every language and mode that they support. Prints TAP.

usage: check.py INCLUDE_FOLDER [NVCC…] -- CXX…     (each a command of several words, as "ccache g++"; no NVCC: no CUDA compiler)
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "callables"))
from compilers import toolkit_of  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
USE = '#include "use.hpp"\nint main() { return use_on_host() == 0; }\n'
OTHER = '#include "use.hpp"\nunsigned other() { return use_on_host(); }\n'
HOST_TILE_IN_KERNEL = ('#include "use.hpp"\n__global__ void kernel(tessera::host::tile<8> tile, unsigned* x)'
                       ' { *x = tessera::reduce(tile, *x); }\n')


def program(name):
    """Returns the path of a command with all links resolved, since c++ is usually a link to g++."""
    return pathlib.Path(shutil.which(name) or name).resolve()


def compile(check):
    """Returns the errors as lines, or nothing if the check passes."""
    _, command, sources, must_say = check
    suffix = ".cu" if any("nvcc" in pathlib.Path(word).name for word in command[:2]) else ".cpp"
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, f"{i}{suffix}") for i in range(len(sources))]
        for file, source in zip(files, sources):
            file.write_text(source)
        run = subprocess.run([*command, *files, "-o", f"{folder}/out"], capture_output=True, text=True)
    said = run.stdout + run.stderr
    ok = (run.returncode != 0 and must_say in said) if must_say else run.returncode == 0
    return [] if ok else [" ".join(command)] + said.splitlines()[:10]


def code_lines(header):
    """Returns (number, line) pairs without comments, but with strings."""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        yield number, re.sub(r'("(?:\\.|[^"\\])*")|//.*', lambda found: found.group(1) or "", line)


def beyond_ascii(headers):
    """Finds characters in messages that nvcc would print as ???."""
    return [f"{header}:{number}: {line.strip()}" for header in headers for number, line in code_lines(header)
            if any(not string.isascii() for string in re.findall(r'"(?:\\.|[^"\\])*"', line))]


def of_one_compiler(headers):
    """Finds constructs that not all compilers support, outside of config.hpp and of the files for one platform."""
    own = re.compile(r"__builtin_|__atomic_|__sync_|__extension__|__attribute__|\b__int128\b|#pragma (?!once)")
    return [f"{header}:{number}: {line.strip()}" for header in headers for number, line in code_lines(header)
            if header.name != "config.hpp" and own.search(line)]


def main():
    end = sys.argv.index("--")
    include, *nvcc = sys.argv[1:end]
    cxx = sys.argv[end + 1:]
    here = pathlib.Path(__file__).resolve().parent
    flags = [f"-I{include}", f"-I{here}"]
    compilers = [cxx] + [[c] for c in ("g++", "clang++") if shutil.which(c) and program(c) != program(cxx[-1])]
    checks = []  # (name, command, sources, what must be in the output of a compilation that fails)

    of_cuda = ["-isystem", str(toolkit_of(nvcc))] if nvcc else []
    headers = sorted(h.relative_to(include) for h in pathlib.Path(include, "tessera").rglob("*.*"))
    for name in headers:
        of_grid = name.parts[1].startswith("grid")  # these include cuda_runtime_api.h
        if name.suffix != ".hpp" or of_grid and not nvcc:
            continue
        checks.append((f"{name} alone", cxx + ["-std=c++17", "-fsyntax-only", *WARNINGS, *flags] +
                       (of_cuda if of_grid else []), [f"#include <{name}>\n"], None))
    for compiler in compilers:
        for standard in ("c++17", "c++20"):
            checks.append((f"{pathlib.Path(compiler[-1]).name} {standard}, linked of two files",
                           compiler + [f"-std={standard}", *WARNINGS, *flags], [USE, OTHER], None))
    if nvcc:
        strict = ["-arch=sm_90", "-Werror=all-warnings", "-Werror=cross-execution-space-call", "-Xcompiler=-Wall,-Wextra"]
        checks.append(("nvcc -std=c++17 -rdc=true, linked of two files",
                       [*nvcc, "-std=c++17", "-rdc=true", *strict, *flags], [USE, OTHER], None))
        first_to_last = "".join(f"#include <{name}>\n" for name in headers if "detail" not in name.parts)
        last_to_first = "".join(reversed(first_to_last.splitlines(keepends=True)))
        checks.append(("nvcc -std=c++20, linked of two files with all headers, in both orders",
                       [*nvcc, "-std=c++20", *strict, *flags], [first_to_last + USE, last_to_first + OTHER], None))
        checks.append(("nvcc with TESSERA_CHECK", [*nvcc, "-std=c++17", "-DTESSERA_CHECK", *strict, *flags],
                       [USE], None))
        checks.append(("a host tile in a kernel names itself", [*nvcc, "-std=c++17", "-arch=sm_90", *flags],
                       [HOST_TILE_IN_KERNEL], "a_host_tile_cannot_be_used_in_a_kernel"))

    paths = [pathlib.Path(include, name) for name in headers]
    texts = [("messages are in ASCII", beyond_ascii(paths)),
             ("what a compiler has of its own stands in config.hpp", of_one_compiler(paths))]
    print(f"1..{len(texts) + len(checks)}", flush=True)
    for name, wrong in texts:
        print(f"{'not ok' if wrong else 'ok'} - {name}", flush=True)
        for line in wrong:
            print(f"#   {line}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for (name, *_), wrong in zip(checks, workers.map(compile, checks)):
            print(f"{'not ok' if wrong else 'ok'} - {name}", flush=True)
            for line in wrong:
                print(f"#   {line}")


main()
