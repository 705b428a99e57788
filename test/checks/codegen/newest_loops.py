#!/usr/bin/env python3
"""Looks through what the newest nvcc of PyPI makes of our kernels, as check_loops.py does. Prints TAP; skips where it can't be had.

usage: newest_loops.py ROOT FOLDER CONTROL.cu FILE.cu…
"""
import pathlib
import subprocess
import sys

root, folder, *sources = sys.argv[1:]
sys.path.insert(0, f'{root}/test/checks/compilers')
import toolkits

nvcc = toolkits.nvcc_of(folder)
if nvcc is None:
    print('1..1\nok - the newest nvcc # SKIP PyPI cannot be reached')
    sys.exit()
includes = [f'-I{root}/{name}' for name in ('include', 'test/checks/plain_kernels', 'test/oracle')]
made = [str(pathlib.Path(folder, pathlib.Path(source).stem + '.ptx')) for source in sources]
for source, ptx in zip(sources, made):
    subprocess.run([str(nvcc), '-std=c++17', '-arch=sm_90', '-ptx', '-w', *includes, source, '-o', ptx], check=True)
subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name('check_loops.py')), *made], check=True)
