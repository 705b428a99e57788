#!/usr/bin/env python3
"""Compiles every call that takes a function, with every kind of function, to code that a GPU runs. Prints TAP.

usage: check.py INCLUDE_FOLDER NVCC [CLANG…]

By nvcc without any flag that changes the language, by NVRTC, and by the first CLANG that can compile for this CUDA.
The table is in table.py; a call that the headers offer and the table lacks fails, too.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import compilers
from table import FOR_ARRAYS, FUNCTIONS, IN_KERNELS, NOT_LAMBDAS, TILES

PROLOGUE = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/functional>
#include <cuda/std/functional>
#include <tessera/tessera.hpp>
using namespace tessera;
#define FUNCTOR(name, where)                                   \\
  struct name {                                                \\
    int n;                                                     \\
    where int operator()() const { return n; }                 \\
    where int operator()(int a) const { return a + n; }        \\
    where int operator()(int a, int b) const { return a * b; } \\
  };
FUNCTOR(of_gpu, __device__)
FUNCTOR(of_both, __host__ __device__)
"""


def qualified(call):
    """The call, its function by its full name: cooperative_groups has some of the same names."""
    return f"tessera::{call}"


def kernels(skip=(), tiles=TILES):
    """A kernel for each call with each function; an error in one names it. Tiles of other sizes than a warp are given
    only lambdas with captures, which ask for the most: three times as much would be compiled else."""
    for i, (kind, call) in enumerate(IN_KERNELS):
        for j, (name, function) in enumerate(FUNCTIONS[kind].items()):
            if name in skip:
                continue
            lines = [f'#line 1 "{call.format(f="f")}, f is {name}"',
                     f"extern \"C\" __global__ void kernel_{i}_{j}([[maybe_unused]] int* p, [[maybe_unused]] int n) {{",
                     "  auto const block = cooperative_groups::this_thread_block();",
                     "  [[maybe_unused]] int const x = static_cast<int>(threadIdx.x);"]
            for size, tile in tiles.items():
                if size != "32 lanes" and name != "a lambda with captures":
                    continue
                lines.append(f"  {{ [[maybe_unused]] auto const tile = {tile}; (void){qualified(call.format(f=function))}; }}")
            yield "\n".join(lines) + "\n}\n"


def array_calls():
    for i, (kind, call) in enumerate(FOR_ARRAYS):
        for j, (name, function) in enumerate(FUNCTIONS[kind].items()):
            if name in NOT_LAMBDAS:
                yield (f'#line 1 "{call.format(f="f")}, f is {name}"\n'
                       f"cudaError_t call_{i}_{j}([[maybe_unused]] int* p, [[maybe_unused]] int n,\n"
                       "  [[maybe_unused]] long const* offsets, [[maybe_unused]] std::uint64_t* counts)\n"
                       f"  {{ return {qualified(call.format(f=function))}; }}\n")


def missing_from_table(include):
    """Public calls with a parameter of a function's kind, which no line of the table calls."""
    called = {re.search(r"(\w+)\(", call).group(1) for _, call in IN_KERNELS + FOR_ARRAYS}
    called |= {name for name in ("make_operator", "zip") if any(f"{name}({{f}}" in call for _, call in IN_KERNELS)}
    offered = set()
    for header in pathlib.Path(include, "tessera").glob("**/*.?uh"):
        offered |= public_calls(header)
    for header in pathlib.Path(include, "tessera").glob("**/*.hpp"):
        offered |= public_calls(header)
    return sorted(offered - called)


def public_calls(header):
    if "detail" in header.parts or "host" in header.parts:
        return set()
    text = re.sub(r"//.*", "", header.read_text())
    text = re.sub(r"^namespace detail \{.*?^\}  *$", "", text, flags=re.M | re.S)
    found = re.findall(r"^template <([^;{]*?)>\n(?:TESSERA_FN|\[\[nodiscard\]\]) [^;{(]*?(\w+)\(", text, re.M)
    return {name for parameters, name in found if re.search(r"class(?:\.\.\.)? (?:Ops?|F|Pred|Function|Bin)\b", parameters)}


class Check:
    def __init__(self, name, compile, sources):
        self.name, self.compile, self.sources = name, compile, sources

    def run(self):
        """What is wrong, as lines."""
        ok, said = self.compile(PROLOGUE_OF.get(self.name, PROLOGUE) + "".join(self.sources))
        if ok:
            return []
        cases = sorted(set(re.findall(r"[\w:]+\(.*?\), f is [^\"()]*?(?=[(:\",]\d| line|\(|:\d|$)", said, re.M)))
        return [f"wrong: {case}" for case in cases] + said.splitlines()[:20]


PROLOGUE_OF = {}


def main():
    include, nvcc, *clangs = sys.argv[1:]
    flags = [f"-I{include}"]
    checks = []

    plain = lambda source: compilers.nvcc(nvcc, flags, source)
    all_kernels = list(kernels())
    checks.append(Check("nvcc, in kernels", plain, all_kernels))
    for name, compile, sources in (("nvcc, of whole arrays", plain, list(array_calls())),):
        checks.append(Check(name, compile, ["#include <tessera/grid/reduce.cuh>\n#include <tessera/grid/rows.cuh>\n",
                                            "#include <tessera/grid/segments.cuh>\n#include <tessera/grid/histogram.cuh>\n",
                                            *sources]))
    toolkit = compilers.toolkit_of(nvcc)
    rtc = compilers.find_nvrtc(toolkit)
    if rtc:
        checks.append(Check("NVRTC, in kernels", lambda source: compilers.nvrtc(rtc, [include, *compilers.includes_of(toolkit)], source),
                            list(kernels(skip=["std::plus<>"]))))
    clang, why_not = compilers.find_clang(clangs, toolkit)
    if clang:
        checks.append(Check("clang, in kernels", lambda source: compilers.clang(clang, toolkit, flags, source), all_kernels))

    print(f"1..{1 + len(checks) + (rtc is None) + (clang is None)}", flush=True)
    missing = missing_from_table(include)
    print(f"{'not ok' if missing else 'ok'} - every call is in the table", flush=True)
    for name in missing:
        print(f"#   {name}: write a line of table.py for it")
    if rtc is None:
        print("ok - NVRTC # SKIP this toolkit has none")
    if clang is None:
        print(f"ok - clang # SKIP {why_not}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for check, wrong in zip(checks, workers.map(Check.run, checks)):
            print(f"{'not ok' if wrong else 'ok'} - {check.name}", flush=True)
            for line in wrong:
                print(f"#   {line}")


if __name__ == "__main__":
    main()
