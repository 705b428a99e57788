#!/usr/bin/env python3
"""Compiles every call that takes a function, with every kind of function, for a GPU. NVRTC, which has language rules of
its own, also compiles the calls that take none. Prints TAP.

usage: check.py INCLUDE_FOLDER NVCC [CLANG…]

The compilers are nvcc and NVRTC, without any flag that changes the language, and the first CLANG that supports this CUDA.
table.py has the table. If the headers declare a call that isn't in the table, the test fails, too.
"""
import concurrent.futures
import os
import pathlib
import re
import sys

import compilers
from table import FOR_ARRAYS, FUNCTIONS, IN_KERNELS, NOT_LAMBDAS, TILES, WITHOUT_FUNCTION

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
ARRAYS = "".join(f"#include <tessera/grid/{name}.cuh>\n"
                 for name in ("adjacent_difference", "histogram", "merge", "reduce", "rows", "runs", "scan", "scan_by_key", "scan_rows", "scan_segments",
                              "search", "segments", "select", "set_operations", "sort", "sort_segments", "top_k", "transform"))


def qualified(call):
    """Returns the call with its function's full name, because cooperative_groups has some of the same names."""
    return f"tessera::{call}"


def kernels(skip=(), tiles=TILES):
    """Returns a kernel for each call with each function, which an error names. Tiles of other sizes than a warp are tested
    with lambdas with captures only, which require the most. All functions would take three times as long to compile."""
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


def collectives():
    """Returns a kernel for each call without a function, with tiles of all sizes that take it: only several warps take a scratch."""
    for i, call in enumerate(WITHOUT_FUNCTION):
        for j, (size, tile) in enumerate(TILES.items()):
            if "memory)" in call and size != "128 lanes":
                continue
            yield (f'#line 1 "{call}, for {size}"\n'
                   f'extern "C" __global__ void collective_{i}_{j}([[maybe_unused]] int* p, [[maybe_unused]] int n) {{\n'
                   "  [[maybe_unused]] __shared__ scratch<int, 128> memory;\n"
                   "  [[maybe_unused]] __shared__ scratch<double, 128> wide_memory;\n"
                   "  auto const block = cooperative_groups::this_thread_block();\n"
                   "  [[maybe_unused]] int const x = static_cast<int>(threadIdx.x);\n"
                   "  [[maybe_unused]] items<int, 2> const two{x, n};\n"
                   f"  [[maybe_unused]] auto const tile = {tile};\n"
                   f"  (void){qualified(call)};\n}}\n")


def array_calls():
    """Returns the calls for whole arrays. Since they take long to compile, only the first has all functions, and the others
    have a functor for the GPU only."""
    for i, (kind, call) in enumerate(FOR_ARRAYS):
        for j, (name, function) in enumerate(FUNCTIONS[kind].items()):
            if name in NOT_LAMBDAS and (i == 0 or name == "a functor of the GPU"):
                yield (f'#line 1 "{call.format(f="f")}, f is {name}"\n'
                       f"cudaError_t call_{i}_{j}([[maybe_unused]] int* p, [[maybe_unused]] int n,\n"
                       "  [[maybe_unused]] long const* offsets, [[maybe_unused]] std::uint64_t* counts,\n"
                       "  [[maybe_unused]] std::int64_t* count, [[maybe_unused]] std::int64_t* indices)\n"
                       f"  {{ return {qualified(call.format(f=function))}; }}\n")


def missing_from_table(include):
    """Returns the public calls that take a tile or a function and that the table doesn't contain."""
    calls = [call for _, call in IN_KERNELS + FOR_ARRAYS] + WITHOUT_FUNCTION
    called = {re.match(r"(?:grid::)?(\w+)", call).group(1) for call in calls}
    called |= {name for name in ("make_operator", "zip") if any(f"{name}({{f}}" in call for _, call in IN_KERNELS)}
    offered = set()
    for room in ".", "core", "operators", "grid":
        for header in pathlib.Path(include, "tessera", room).glob("*.?[pu][ph]"):
            offered |= public_calls(header)
    return sorted(offered - called)


def public_calls(header):
    text = re.sub(r"//.*", "", header.read_text())
    text = re.sub(r"^namespace (?:grid::)?detail \{.*?^\}  *$", "", text, flags=re.M | re.S)
    found = re.findall(r"^template <([^;{]*?)>\n(?:TESSERA_FN|\[\[nodiscard\]\]) [^;{(]*?(\w+)\(", text, re.M)
    collectives = re.findall(r"^TESSERA_FN [^;{(]*?(\w+)\(\s*Tile const& tile", text, re.M)
    takes_function = re.compile(r"class(?:\.\.\.)? (?:Ops?|F|Pred|Function|Bin)\b")
    return set(collectives) | {name for parameters, name in found if takes_function.search(parameters)}


def report(name, ok, said):
    """Prints whether all compiled, and the failed cases with the compiler's messages."""
    print(f"{'ok' if ok else 'not ok'} - {name}", flush=True)
    if not ok:
        cases = sorted(set(re.findall(r"[\w:<>]+\([^\n\[\"]*?\), (?:f is [\w &:<>+]*\w>?|for \d+ lanes)", said)))
        for line in [f"wrong: {case}" for case in cases] + said.splitlines()[:20]:
            print(f"#   {line}")


def compilations(include, nvcc, toolkit, rtc, clang):
    """(name, compile, source), where compile(source) returns whether it compiles, and what the compiler says."""
    flags, fast = [f"-I{include}"], compilers.fast_flags(nvcc)
    warps = {"32 lanes": TILES["32 lanes"]}
    by_nvcc = lambda source: compilers.nvcc(nvcc, flags + fast, source)
    yield "nvcc, in kernels", by_nvcc, PROLOGUE + "".join(kernels())
    yield "nvcc, of whole arrays", by_nvcc, PROLOGUE + ARRAYS + "".join(array_calls())
    by_nvrtc = lambda source: compilers.nvrtc(rtc, [include, *compilers.includes_of(toolkit)], source, fast)
    if rtc:
        yield "NVRTC", by_nvrtc, PROLOGUE + "".join(kernels(skip=["std::plus<>"], tiles=warps))
        yield "NVRTC, calls without a function", by_nvrtc, PROLOGUE + "".join(collectives())
    if clang:
        yield f"{clang}", lambda source: compilers.clang(clang, toolkit, flags, source), PROLOGUE + "".join(kernels(tiles=warps))


def main():
    include, nvcc, *clangs = sys.argv[1:]
    toolkit = compilers.toolkit_of(nvcc)
    rtc = compilers.find_nvrtc(toolkit)
    clang, why_not = compilers.find_clang(clangs, toolkit)

    print("1..6", flush=True)
    missing = missing_from_table(include)
    print(f"{'not ok' if missing else 'ok'} - every call is in the table", flush=True)
    for name in missing:
        print(f"#   {name}: write a line of table.py for it")
    wanted = list(compilations(include, nvcc, toolkit, rtc, clang))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for (name, _, _), (ok, said) in zip(wanted, workers.map(lambda one: one[1](one[2]), wanted)):
            report(name, ok, said)
    if not rtc:
        for name in ("NVRTC", "NVRTC, calls without a function"):
            print(f"ok - {name} # SKIP this toolkit has none")
    if not clang:
        print(f"ok - clang # SKIP {why_not}")


if __name__ == "__main__":
    main()
