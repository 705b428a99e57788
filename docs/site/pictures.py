"""Draws the site's pictures: compiles docs/pictures/*.cpp for host tiles, runs each with TESSERA_HOST_TRACE, and calls
tools/draw_trace.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


# The pictures that the repository has as files, since its own pages show them: drawn by the program, kept as the file.
KEPT = {'sum_of_8': 'docs/pictures/sum_of_8_lanes.svg'}


def sources():
    return sorted((ROOT / 'docs/pictures').glob('*.cpp'))


def draw(folder, programs):
    """Writes NAME.svg for each NAME.cpp to `folder`. Returns a list of problems."""
    folder.mkdir(parents=True, exist_ok=True)
    programs.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        drawn = pool.map(lambda source: draw_one(source, folder, programs), sources())
        return [problem for found in drawn for problem in found]


def draw_one(source, folder, programs):
    program, trace, picture = programs / source.stem, programs / f'{source.stem}.json', folder / f'{source.stem}.svg'
    compiler = os.environ.get('CXX') or next((name for name in ('c++', 'g++', 'clang++') if shutil.which(name)), 'c++')
    compile_it = [*compiler.split(), '-std=c++17', '-O0', f'-I{ROOT / "include"}', source.name, '-o', str(program)]
    run = subprocess.run(compile_it, cwd=source.parent, capture_output=True, text=True)
    if run.returncode != 0:
        return [f'{source.name} does not compile:\n{run.stderr[:2000]}']
    trace.unlink(missing_ok=True)
    run = subprocess.run([str(program)], cwd=source.parent, capture_output=True, text=True,
                         env={**os.environ, 'TESSERA_HOST_TRACE': str(trace), 'TESSERA_HOST_SCHEDULE': 'round_robin',
                              'TESSERA_HOST_SEED': '0'})
    if run.returncode != 0:
        return [f'{source.name} fails:\n{run.stdout}{run.stderr}']
    if not trace.exists():
        return [f'{source.name} left no trace: TESSERA_HOST_TRACE wrote nothing']
    run = subprocess.run([sys.executable, ROOT / 'tools/draw_trace', trace, '--out', picture], capture_output=True, text=True)
    if run.returncode != 0:
        return [f'{source.name} is not drawn:\n{run.stderr}']
    kept = KEPT.get(source.stem)
    if kept and (not (ROOT / kept).exists() or (ROOT / kept).read_text() != picture.read_text()):
        return [f'{kept} is not what {source.name} draws: tools/docs --refresh draws it anew']
    return []


def refresh(folder):
    """Draws the kept pictures anew."""
    draw(folder / 'source/pictures', folder / 'programs')
    for name, kept in KEPT.items():
        shutil.copy(folder / f'source/pictures/{name}.svg', ROOT / kept)
