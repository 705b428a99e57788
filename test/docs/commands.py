#!/usr/bin/env python3
"""Runs the commands that the documents tell a reader to type, in a folder with this folder's programs. Prints TAP.

usage: commands.py FOLDER [NVCC]     (without NVCC the commands that need it are skipped)
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(sys.argv[1])
NVCC = sys.argv[2] if len(sys.argv) > 2 else ''


def prepare():
    """The folder as a reader has it: the library as `tessera`, and the programs beside it."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    (WORK / 'tessera').symlink_to(HERE.parent.parent)
    for name in ('rows_on_cpu.cpp', 'misuse.cpp', 'first_kernel.cu'):
        shutil.copy(HERE / name, WORK)


def reason_to_skip(command):
    if not shutil.which(command.split()[0]) and command.startswith('g++'):
        return 'needs g++'
    if command.startswith('nvcc') and not NVCC:
        return 'needs nvcc; where there is no GPU, tools/test --all runs it'
    if command.startswith('./first_kernel') and not (WORK / 'first_kernel').exists():
        return 'needs nvcc'
    return None


def run(command):
    path = os.path.dirname(NVCC) + os.pathsep if NVCC else ''
    return subprocess.run(command, shell=True, cwd=WORK, capture_output=True, text=True,
                          env={**os.environ, 'PATH': path + os.environ['PATH']})


def main():
    prepare()
    commands = (HERE / 'commands.txt').read_text().splitlines()
    print(f'1..{len(commands) + 1}')
    report = ''
    for number, command in enumerate(commands, 1):
        reason = reason_to_skip(command)
        ran = None if reason else run(command)
        if ran and ran.returncode == 77:
            reason = 'needs a GPU'
        good = reason or ran.returncode == 0
        print(f"{'ok' if good else 'not ok'} {number} - {command}" + (f' # SKIP {reason}' if reason else ''))
        if not good:
            print('\n'.join('# ' + line for line in (ran.stdout + ran.stderr).splitlines()[:40]))
        if command.endswith('./misuse') and ran:
            report = ran.stdout
    good = report == (HERE / 'misuse_report.txt').read_text()
    print(f"{'ok' if good else 'not ok'} {len(commands) + 1} - misuse prints misuse_report.txt")
    if not good:
        print('\n'.join('# ' + line for line in report.splitlines()))


main()
