#!/usr/bin/env python3
"""Compiles plain kernels (see generate.py) in forms that users' programs have, runs them on CPU lanes and on the GPU, and compares.

    run.py FOLDER                                 everything on a machine with a GPU: 4000 kernels, in machine code
    run.py FOLDER --form debug --form sm_75       with -G, and as PTX of sm_75, which the driver compiles
    run.py FOLDER --nvcc OTHER/bin/nvcc --arch sm_90 --build --modules-only   the GPU's part by another nvcc (test/checks/compilers/toolkits.py
                                                  gets one); then, on a machine with a GPU but without that nvcc:
    run.py FOLDER --host-only                     the host's part, and the run of the modules that FOLDER has
    run.py FOLDER --run                           runs what FOLDER has
    run.py FOLDER --faults                        with the two loops that compilers got wrong as they were (faults.py): passes if the
                                                  kernels find both

Forms: `native` (machine code for this GPU, or of --arch), `debug` (that with -G), and sm_XX (PTX). The last line counts the kernels.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

import faults

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
INCLUDES = [f'-I{HERE}', f'-I{HERE.parent.parent / "oracle"}']
HEADERS = f'-I{ROOT / "include"}'
HOST = ['-std=c++17', '-O0', '-w', HEADERS, *INCLUDES]


def flags_of(form, arch):
    if form.startswith('sm_'):
        return [f'-arch=compute_{form[3:]}', '-ptx'], '.ptx'
    return [f'-arch={arch}', '-cubin', *(['-G'] if form == 'debug' else [])], '.cubin'


def compiled(command, target, slowest):
    """Runs a compiler, unless the target is newer than the source; returns what it says where it fails."""
    if target.exists() and target.stat().st_mtime > pathlib.Path(command[-1]).stat().st_mtime:
        return None
    start = time.monotonic()
    new = target.with_name('new_' + target.name)
    ran = subprocess.run([*command, '-o', str(new)], capture_output=True, text=True)
    slowest.append((time.monotonic() - start, f'{target.parent.name}/{target.name}'))
    if ran.returncode:
        return f'{target}: {ran.stderr[:2000]}'
    new.rename(target)
    return None


def build(options, sources):
    """Returns what failed."""
    work, slowest = [], []
    for form in [] if options.host_only else options.form:
        flags, suffix = flags_of(form, options.arch)
        (options.folder / form).mkdir(exist_ok=True)
        for source in sources:
            command = [options.nvcc, '-std=c++17', '-w', *flags, options.headers, *INCLUDES, str(source)]
            work.append((command, options.folder / form / (source.stem + suffix)))
    if not options.modules_only:
        (options.folder / 'host').mkdir(exist_ok=True)
        for source in sources:
            work.append(([options.cxx, *HOST, '-x', 'c++', '-c', str(source)], options.folder / 'host' / f'{source.stem}.o'))
        work.append(([options.cxx, *HOST[:1], '-O1', *HOST[2:], '-c', str(HERE / 'main.cpp')], options.folder / 'host/main.o'))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failed = [said for said in pool.map(lambda one: compiled(*one, slowest), work) if said]
    if not options.modules_only:
        objects = sorted(str(path) for path in (options.folder / 'host').glob('*.o'))
        linked = subprocess.run([options.cxx, *objects, '-ldl', '-lpthread', '-o', str(options.folder / 'plain_kernels')],
                                capture_output=True, text=True)
        failed += [linked.stderr] if linked.returncode else []
    for seconds, name in sorted(slowest, reverse=True)[:5]:
        print(f'{seconds:.1f} s: {name}', flush=True)
    return failed


def run_module(options, module):
    """Returns what the program prints, and whether all is right. A kernel that doesn't end is stopped with its module."""
    try:
        ran = subprocess.run([str(options.folder / 'plain_kernels'), '--seed', str(options.seed), '--draws', str(options.draws), *module],
                             capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired as late:
        return f'{module}: not done after 300 s\n{(late.stdout or b"").decode()}', False
    return ran.stdout + ran.stderr, ran.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--kernels', type=int, default=4000)
    parser.add_argument('--modules', type=int, default=64)
    parser.add_argument('--form', action='append', help='native, debug, or sm_XX; several')
    parser.add_argument('--seed', type=int, default=1, help='of the inputs')
    parser.add_argument('--draws', type=int, default=3, help='of the inputs of each kernel')
    parser.add_argument('--arch', default='native', help='of machine code')
    parser.add_argument('--nvcc', default='nvcc')
    parser.add_argument('--cxx', default=os.environ.get('CXX', 'g++'))
    parser.add_argument('--jobs', '-j', type=int, default=os.cpu_count())
    parser.add_argument('--build', action='store_true', help='only compile')
    parser.add_argument('--run', action='store_true', help='only run')
    parser.add_argument('--faults', action='store_true', help='with what compilers got wrong')
    parser.add_argument('--modules-only', action='store_true', help='compile no host part')
    parser.add_argument('--host-only', action='store_true', help='compile no modules')
    options = parser.parse_args()
    failed = []
    options.form = options.form or ['native']
    options.headers = HEADERS
    if options.faults:
        faults.write_headers(ROOT / 'include', options.folder / 'faults')
        options.headers = f'-I{options.folder / "faults"}'
        options.kernels, options.modules = 0, 1
    source = options.folder / 'source'
    if not options.run:
        subprocess.run([sys.executable, str(HERE / 'generate.py'), '--out', str(source), '--kernels', str(options.kernels),
                        '--modules', str(options.modules)], check=True)
        failed = build(options, sorted(source.glob('*.cu')))
        for said in failed:
            print(said, flush=True)
        if options.build:
            return 1 if failed else 0
    modules = [[str(path)] for form in options.form for path in sorted((options.folder / form).glob('kernels_*'))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda module: run_module(options, module), modules))
    ran = wrong = 0
    for module, (said, right) in zip(modules, results):
        counts = re.search(r'(\d+) kernels on both, (\d+) wrong$', said, re.M)
        ran += int(counts[1]) if counts else 0
        wrong += int(counts[2]) if counts else 1
        if not right:
            print(module[0], said, sep='\n')
    print(f'{ran} kernels, {wrong} wrong')
    if options.faults:
        found = [call for call in ('match_any', 'find_if') if any(call in said for said, _ in results)]
        print(f'found: {", ".join(found)}')
        return 0 if len(found) == 2 else 1
    return 0 if ran and not wrong and not failed else 1


if __name__ == '__main__':
    sys.exit(main())
