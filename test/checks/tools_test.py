#!/usr/bin/env python3
"""tools/test, tools/demo, tools/build and tools/compare_runs: what they ask of Meson and ninja, and what they print. Prints TAP.

Meson, ninja and nvidia-smi are scripts here that note how they were called, so that nothing is configured or compiled; only
tools/build runs a real ninja, on commands that take a second together.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'test/support'))
from tap import check, equal, run

NINJA = shutil.which('ninja')


def load(path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    sys.dont_write_bytecode = True  # no cache beside the tool
    loader.exec_module(module)
    return module


build = load(ROOT / 'tools/build')

# ---- Tools with a Meson and a ninja that only note their arguments

STUBS = {
    'meson': '''
case $1 in
  --version) echo 1.9.0 ;;
  setup) echo "$@" >>"$CALLS"; echo The Meson build system; mkdir -p "$2" && echo "build examples/ladder/01_row_sums_gpu: x" >"$2/build.ninja" ;;
  introspect) echo '[{"name": "vote", "suite": ["tessera:other"]}, {"name": "sum", "suite": ["tessera"]}, {"name": "vote", "suite": ["tessera:gpu"]}]' ;;
esac''',
    # Makes each program that is asked for: it prints a line as the programs of the ladder do.
    'ninja': '''
echo "ninja: Entering directory"
folder=$2; shift 2; i=0
for target in "$@"; do
  i=$((i + 1)); echo "@$i/$# Compiling $target.o"
  mkdir -p "$folder/${target%/*}"
  name=${target##*/}; name=${name#[0-9][0-9]_}; name=${name%_gpu}
  printf '#!/bin/sh\\necho "%-17s  an input   tile of 8   GPU   ok: largest difference 0"\\n' "$name" >"$folder/$target"
  chmod +x "$folder/$target"
done''',
    'pkg-config': '',
    'python': '',
    'nvcc': 'echo release 13.0',
    'cmake': 'echo cmake version 3.30.0',
    'nvidia-smi': '[ -z "$GPU" ] || echo "GPU 0: one"',
}


class Checkout:
    """A copy of the tools beside links to all else, and the stubs first on PATH."""

    def __init__(self, gpu):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name, 'checkout')
        stubs = pathlib.Path(self.folder.name, 'bin')
        stubs.mkdir()
        for name, text in STUBS.items():
            (stubs / name).write_text('#!/bin/sh\n' + text + '\n')
            (stubs / name).chmod(0o755)
        self.root.mkdir()
        shutil.copytree(ROOT / 'tools', self.root / 'tools')
        (self.root / 'examples').symlink_to(ROOT / 'examples')
        (self.root / 'README.md').symlink_to(ROOT / 'README.md')
        for folder in ('bin', 'meson-1.0'):
            (self.root / '.venv' / folder).mkdir(parents=True)
        shutil.copy(stubs / 'python', self.root / '.venv/bin')  # has Sphinx, for all that the tools can tell
        self.calls = pathlib.Path(self.folder.name, 'calls')
        self.calls.touch()
        self.environment = {**os.environ, 'PATH': f'{stubs}:{os.environ["PATH"]}', 'CALLS': str(self.calls), 'GPU': gpu}

    def run(self, tool, *arguments):
        return subprocess.run([self.root / 'tools' / tool, *arguments], env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def setup_of(*arguments, gpu=''):
    """What `tools/test` gives to `meson setup`, as a set of words."""
    checkout = Checkout(gpu)
    checkout.run('test', *arguments)
    return set(checkout.calls.read_text().split())


@check
def warnings_are_errors_only_where_that_is_asked_for():
    for gpu in ('', 'yes'):
        equal('-Dwerror=false' in setup_of(gpu=gpu), True)
        equal('-Dwerror=true' in setup_of('--werror', gpu=gpu), True)


@check
def a_gpu_runs_some_cases_and_with_all_everything():
    some = {'-Dquick_tests=true', '-Dgpu_tests=some', '-Dbenchmarks=disabled'}
    equal(setup_of(gpu='yes') & (some | {'-Dgpu_arch=native'}), some | {'-Dgpu_arch=native'})
    everything = {'-Dgpu_arch=native', '-Dquick_benchmarks=true'}  # which are only compiled
    equal(setup_of('--all', gpu='yes') & (some | everything), everything)


@check
def without_a_gpu_nothing_of_one_is_compiled_but_with_all():
    equal(setup_of() & {'-Dgpu_arch=90', '-Dquick_tests=true', '-Dgrid=disabled', '-Dgpu_tests=some'},
          {'-Dgpu_arch=90', '-Dquick_tests=true', '-Dgrid=disabled'})
    equal(setup_of('--all') & {'-Dquick_tests=true', '-Dcuda_args=-DTESSERA_TEST_FEW_SIZES'},
          {'-Dcuda_args=-DTESSERA_TEST_FEW_SIZES'})


@check
def ci_asks_for_warnings_as_errors_and_for_a_limit():
    text = (ROOT / '.ci/run').read_text()
    equal('--werror' in text and '--limit' in text, True, text)


@check
def no_tool_makes_warnings_errors_by_itself():
    for path in [*filter(pathlib.Path.is_file, sorted((ROOT / 'tools').iterdir())), ROOT / 'benchmark/run']:
        equal('-Dwerror=true' in path.read_text(), False, path)


@check
def a_list_of_tests_is_their_names_alone():
    done = Checkout('').run('test', '--list')
    equal((done.returncode, done.stdout), (0, 'vote\nsum\n'))
    equal('suites: other gpu\n' in done.stderr, True, done.stderr)


@check
def a_demo_says_which_rung_a_line_is_of_and_where_its_source_stands():
    done = Checkout('yes').run('demo')
    equal('01 row_sums: examples/ladder/01_row_sums.cpp\n   an input, tile of 8, GPU, ok: largest difference 0\n' in done.stdout, True, done.stdout)
    for line in ('16 tally: examples/tally/', '17 arrays: examples/arrays/'):
        equal(f'{line}\n' in done.stdout, True, line)
    sources = [line.split(': ')[1] for line in done.stdout.splitlines() if line[:2].isdigit()]
    equal([source for source in sources if not (ROOT / source).exists()], [])
    equal(len(sources), 18)


@check
def a_demo_says_what_to_read_next():
    last = Checkout('yes').run('demo').stdout.splitlines()[-1]
    equal(last.startswith('Read next: '), True, last)
    documents = [word.strip('.,;') for word in last.split() if '.md' in word]
    equal([name for name in documents if not (ROOT / name).exists()], [])
    equal(len(documents) > 0, True)


@check
def a_demo_without_a_terminal_prints_one_line_of_progress():
    progress = [line for line in Checkout('yes').run('demo').stderr.splitlines() if 'building' in line]
    equal(progress, ['demo: building, in 18 steps'])


@check
def a_rung_alone_says_the_same_of_itself():
    done = Checkout('yes').run('demo', '7')
    equal(done.stdout, '07 attention: examples/ladder/07_attention.cpp\n   an input, tile of 8, GPU, ok: largest difference 0\n')


# ---- The slowest translation units

# Two processors. a.o and b.o have one each for 4 s; then a.o, c.o and the program share them for 3 s; then c.o has one for 2 s.
LOG = ['0\t7000\t1\ta.o\taa', '0\t4000\t1\tb.o\tbb', '4000\t9000\t1\tc.o\tcc', '4000\t7000\t1\tprogram\tdd',
       '4000\t7000\t1\tmap\tdd']


def rounded(pairs):
    return [(round(seconds, 3), name) for seconds, name in pairs]


@check
def processor_seconds_are_shares_of_the_time_between_begin_and_end():
    equal(rounded(build.slowest(LOG, processors=2)), [(6.0, 'a.o'), (4.0, 'c.o'), (4.0, 'b.o')])


@check
def with_enough_processors_they_are_the_time_itself():
    equal(rounded(build.slowest(LOG, processors=3)), [(7.0, 'a.o'), (5.0, 'c.o'), (4.0, 'b.o')])


def built(folder, *arguments):
    """Runs the real tool, on three objects that compute for 0.1, 0.2 and 0.9 s, and a program made of them."""
    compute = 'import time; end = time.process_time() + $s; any(time.process_time() >= end for _ in iter(int, 1))'
    (folder / 'build.ninja').write_text(f'rule cc\n  command = {sys.executable} -c "{compute}" && touch $out\n' + ''.join(
        f'build {name}: cc {inputs}\n  s = {seconds}\n' for name, inputs, seconds in
        (('a.o', '', 0.1), ('b.o', '', 0.2), ('c.o', '', 0.9), ('program', 'a.o b.o c.o', 0.0))))
    environment = {**os.environ, 'PATH': os.path.dirname(NINJA) + ':' + os.environ['PATH']}
    return subprocess.run([ROOT / 'tools/build', *arguments, folder], env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


@check
def a_build_names_its_slowest_units_and_one_that_did_nothing_names_none():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        done = built(folder)
        equal(done.returncode, 0, done.stderr)
        units = [line.split()[1] for line in done.stderr.splitlines() if line.startswith(' ')]
        equal((units[0], sorted(units)), ('c.o', ['a.o', 'b.o', 'c.o']))
        equal(built(folder).stderr, '')


@check
def a_unit_above_the_limit_is_measured_and_fails():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        done = built(folder, '--limit', '0.5')
        equal(done.returncode, 1, done.stderr)
        equal('c.o, measured alone; the limit is 0.5' in done.stderr, True, done.stderr)
        equal(built(folder).stdout.count('no work to do'), 1)  # the measurement made nothing out of date


@check
def a_unit_that_only_waited_for_a_processor_does_not_fail():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'build.ninja').write_text('rule cc\n  command = sleep 0.7 && touch $out\nbuild a.o: cc\n')
        done = subprocess.run([ROOT / 'tools/build', '--limit', '0.5', folder], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        equal(done.returncode, 0, done.stderr)
        equal('a.o, measured alone' in done.stderr, True, done.stderr)


@check
def a_build_that_fails_fails():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'build.ninja').write_text('rule cc\n  command = false\nbuild a.o: cc\n')
        done = subprocess.run([ROOT / 'tools/build', folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        equal(done.returncode, 1)


# ---- Two runs of a benchmark

def compared_runs(old, new, *options):
    """What tools/compare_runs says of runs {(what, method): speed}; the method `tessera` is the library's."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, rows in enumerate((old, new)):
            results = [{'what': what, 'size': '8', 'method': method, 'kind': 'ours' if method == 'tessera' else 'peer',
                        'gigabytes_per_second': speed} for (what, method), speed in rows.items()]
            paths.append(pathlib.Path(folder) / f'{number}.json')
            paths[-1].write_text(json.dumps({'results': results}))
        return subprocess.run([ROOT / 'tools/compare_runs', *paths, *options], capture_output=True, text=True)


@check
def a_row_is_slower_if_it_lost_more_than_its_peers():
    old = {('sum', 'tessera'): 100, ('sum', 'CUB'): 50, ('sort', 'tessera'): 100, ('sort', 'CUB'): 50, ('scan', 'tessera'): 100}
    new = {('sum', 'tessera'): 80, ('sum', 'CUB'): 40, ('sort', 'tessera'): 90, ('sort', 'CUB'): 50, ('select', 'tessera'): 1}
    done = compared_runs(old, new)
    equal(done.stdout, '0.900  sort, 8: tessera  (0.900 of its speed)\n2 rows, 1 slower by more than 2 %\n')
    equal(compared_runs(old, new, '--slower', '15').stdout, '2 rows, 0 slower by more than 15 %\n')


@check
def runs_without_a_common_row_are_an_error():
    equal(compared_runs({('sum', 'tessera'): 1}, {('scan', 'tessera'): 1}).returncode, 1)


sys.exit(run())
