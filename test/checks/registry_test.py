#!/usr/bin/env python3
"""Sees that what is public stands in every list that it must stand in, and names the list that was forgotten. Prints TAP.

A public header is a .hpp of include/tessera/, its folder operators/ or its folder grid/, or one of those of core/ that
docs/site/headers.py names. A public call takes a tile or a
function; callables/check.py finds them.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE = ROOT / 'include/tessera'
sys.path[:0] = [str(ROOT / folder) for folder in ('test/support', 'test/checks/callables', 'test/oracle', 'docs/site',
                                                'tools', 'src/grid')]
import check as callables
import examples
import instantiations
import mutants
import tap
import test_tables
from headers import CORE

# What a list doesn't have, and why.
OF_THE_LIBRARY = {'device', 'grid', 'version'}  # not for device code, and so not in tessera.hpp
WITHOUT_CALLS = {'config', 'tessera', 'grid', 'exchangeable', 'operator_traits', 'scanned', 'segments', 'comparators'}  # there is nothing to test
WITHOUT_TEST_OF_ARRAYS = {'execution', 'matrix', 'workspace'}  # all tests of whole arrays use them
NOT_IN_GRID = {'scratch_bytes', 'sharded'}  # grid.hpp needs CUDA, which programs that plan memory don't have, and not NCCL
WITHOUT_VIEWS = {'softmax128'}  # takes its arguments in another library's order
INTERNAL = {'config'}  # no document tells users of it
OF_ONE_LANE = {'atomic_update', 'make_operator'}  # take no tile
OPERATORS = {'make_operator'}  # the oracle has a table of their own for them


def read(path):
    return (ROOT / path).read_text()


def headers(*folders, suffix='.hpp'):
    return [path for folder in folders for path in sorted((INCLUDE / folder).glob('*' + suffix))
            if folder != 'core' or path.stem in CORE]


def includes(name):
    """The headers of tessera that one names, as in 'operators/zip.hpp'."""
    return set(re.findall(r'^#include <tessera/(.*)>', (INCLUDE / name).read_text(), re.M))


def missing_from(name, folders):
    """Headers of these folders that one doesn't include: neither itself nor, as with joint_scan.hpp and operators/zip.hpp, by the
    header that they are parts of."""
    there = includes(name)
    there |= {part for whole in there for part in includes(whole) if part.startswith(whole[:-len('.hpp')])}
    return [f'include/tessera/{name} lacks {path.relative_to(INCLUDE)}' for path in headers(*folders)
            if str(path.relative_to(INCLUDE)) not in there | {name} and path.stem not in OF_THE_LIBRARY]


def calls(*folders):
    """The names of the public calls of the headers in these folders."""
    return sorted({call for header in headers(*folders) + headers(*folders, suffix='.cuh')
                   for call in callables.public_calls(header)})


def tests(kind):
    """The names in the tables of test/ that have this kind, as in 'grid/reduce'."""
    return [name for name, (_, kinds) in test_tables.listed().items() if kind in kinds]


def words(names):
    """All runs of words of these names: of scan_items these are scan, items and scan_items."""
    found = set()
    for name in names:
        parts = name.split('_')
        found |= {'_'.join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
    return found


def documents():
    return read('README.md') + ''.join(path.read_text() for path in sorted((ROOT / 'docs').rglob('*.md')))


def names(call, text):
    return re.search(rf'\b{call}\b', text)


def none_of(forgotten):
    if forgotten:
        raise AssertionError('\n'.join(forgotten))


# ---- Headers

@tap.check
def tessera_hpp_includes_every_public_header():
    none_of(missing_from('tessera.hpp', ('.', 'core', 'operators')))


@tap.check
def grid_hpp_includes_every_public_header_of_whole_arrays():
    none_of([what for what in missing_from('grid.hpp', ('grid',)) if not any(f'/{name}.hpp' in what for name in NOT_IN_GRID)])


@tap.check
def every_header_is_installed():
    installs = re.search(r"^install_subdir\('../include/tessera',(.*)\)", read('src/meson.build'), re.M)
    none_of([] if installs and 'exclude' not in installs[1] else ['src/meson.build does not install all of include/tessera'])


@tap.check
def every_public_header_has_a_test_of_its_name():
    everywhere = words(tests('both') + tests('cpp'))
    on_both = words(tests('both'))
    for_arrays = words(name[len('grid/'):] for name in tests('cpp') + tests('grid') if name.startswith('grid/'))
    none_of([f'test/meson.build lists no test named after {path.name} as both or cpp' for path in headers('.', 'core')
             if path.stem not in everywhere | WITHOUT_CALLS] +
            [f'test/meson.build lists no test named after {path.name} as both, but GPUs run its calls, too'
             for path in headers('.', 'core') if callables.public_calls(path) and path.stem not in on_both] +
            [f'test/meson.build lists no test named after grid/{path.name}' for path in headers('grid')
             if path.stem not in for_arrays | WITHOUT_TEST_OF_ARRAYS])


@tap.check
def lines_of_headers_have_up_to_120_characters():
    none_of([f'{path.relative_to(INCLUDE)}:{number}: {len(line)} characters'
             for path in sorted(INCLUDE.rglob('*.?[pu][ph]'))
             for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 120])


@tap.check
def comments_of_headers_begin_with_a_subject():
    none_of([f'{path.relative_to(INCLUDE)}:{number}: {line.strip()}' for path in sorted(INCLUDE.rglob('*.?[pu][ph]'))
             for number, line in enumerate(path.read_text().splitlines(), 1)
             if re.search(r'//+ (What|Whether|Of|The same)\b', line)])


@tap.check
def documents_name_what_every_public_header_is_about():
    text = documents()
    none_of([f'neither README.md nor docs/ names {path.stem}, for {path.relative_to(INCLUDE)}'
             for path in headers('.', 'core', 'operators', 'grid')
             if path.stem not in text and path.stem not in INTERNAL and not callables.public_calls(path)])


# ---- Parts of the static library

def entry_points(header):
    """The functions of the library that a header of grid/ declares."""
    return set(re.findall(r'TESSERA_API cudaError_t (\w+_instantiation)\(', (INCLUDE / 'grid' / header).read_text()))


@tap.check
def the_table_of_instantiations_has_every_function_of_the_library():
    declared = {path.stem: entry_points(path.name) for path in headers('grid') if entry_points(path.name)}
    listed = {part: set(names) for part, names in instantiations.parts().items()}
    none_of([f'src/grid/instantiations.py has {sorted(listed.get(part, set()))} of {part}, and {part}.hpp declares '
             f'{sorted(declared.get(part, set()))}'
             for part in sorted({*declared, *listed}) if declared.get(part) != listed.get(part)])


@tap.check
def each_part_defines_its_functions_in_a_file_of_its_name():
    none_of([f'src/grid/{part}.cuh lacks {name}' for part, names in instantiations.parts().items() for name in names
             if f'cudaError_t {name}(' not in read(f'src/grid/{part}.cuh')])


@tap.check
def every_instance_is_in_one_file():
    made = [line for file in instantiations.files() for line in instantiations.text_of(file).split('\n')
            if line.startswith('TESSERA_INSTANCE(')]
    wanted = [f'TESSERA_INSTANCE({name})' for function in instantiations.FUNCTIONS for name in instantiations.instances(function)]
    tap.equal(sorted(made), sorted(wanted))


# ---- Calls

@tap.check
def documents_name_every_public_call():
    text = documents()
    none_of([f'neither README.md nor docs/ names {call}' for call in calls('.', 'operators', 'grid') if not names(call, text)])


def calls_on_arrays():
    """The names of all calls of grid/, also of those without an operator."""
    text = ''.join(path.read_text() for suffix in ('.hpp', '.cuh') for path in headers('grid', suffix=suffix))
    return set(re.findall(r'\[\[nodiscard\]\] (?:inline )?cudaError_t ([a-z]\w*)\(', text))


@tap.check
def lists_of_operators_have_those_of_the_oracle():
    listed = re.findall(r"'tessera::(\w+)\{\}'", (ROOT / 'test/oracle/calls/values.py').read_text())
    places = {'docs/operators.md': (ROOT / 'docs/operators.md').read_text(),
              'include/tessera/operators.hpp': (INCLUDE / 'operators.hpp').read_text().partition('#pragma once')[0]}
    none_of([f'{place} lacks {name}' for place, text in places.items() for name in dict.fromkeys(listed) if not names(name, text)])


@tap.check
def scratch_bytes_knows_every_call_on_arrays():
    named = re.search(r'^enum class call \{(.*?)\};', (INCLUDE / 'grid/scratch_bytes.hpp').read_text(), re.M | re.S)[1]
    named = re.findall(r'\w+', named)
    tap.equal(named, sorted(calls_on_arrays()), 'the calls that scratch_bytes.hpp names, in their order')
    tried = ''.join(path.read_text() for path in sorted((ROOT / 'test/grid').glob('scratch_*')))
    none_of([f'no test/grid/scratch_* runs {call} in as many bytes as scratch_bytes says' for call in named
             if f'{{call::{call},' not in re.sub(r'\{\s+call::', '{call::', tried)])


@tap.check
def every_call_in_plain_cpp_takes_views():
    text = (INCLUDE / 'grid/views.hpp').read_text()
    none_of([f'include/tessera/grid/views.hpp lacks {call} of {header.name}' for header in headers('grid')
             for call in re.findall(r'^\[\[nodiscard\]\] (?:inline )?cudaError_t (\w+)\(', header.read_text(), re.M)
             if f'({call}, ' not in text and call not in WITHOUT_VIEWS])


@tap.check
def the_oracle_draws_every_call_of_a_tile():
    table = '\n'.join(read(path) for path in sorted((ROOT / 'test/oracle/calls').glob('*.py')))
    none_of([f'test/oracle/calls lacks {call}' for call in calls('.')
             if not names(call, table) and call not in OPERATORS])


@tap.check
def the_oracle_makes_every_call_on_whole_arrays():
    table = re.search(r'^CALLS = \{.*?^\}', read('test/oracle/arrays/sequences.py'), re.M | re.S)[0]
    none_of([f'CALLS in test/oracle/arrays/sequences.py lacks {call}' for call in calls('grid') if not names(call, table)])


@tap.check
def plain_kernels_make_every_call_that_the_oracle_draws():
    spec = importlib.util.spec_from_file_location('plain_kernels', ROOT / 'test/checks/plain_kernels/generate.py')
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    made = {kernel.call.collective for kernel in plain.all_kernels(1, 370)}
    none_of([f'the first 370 of test/checks/plain_kernels/generate.py lack {call}, and EXCLUDED says no reason' for call in plain.oracle.COLLECTIVES
             if (call in made) == (call in plain.EXCLUDED)])


@tap.check
def misuse_of_every_call_of_a_tile_is_tried():
    text = read('test/host/collectives_test.cpp') + '\n'.join(row.call('', x='', u='', **{'in': '', 'out': ''}) for row in examples.rows().values())
    none_of([f'test/host/collectives_test.cpp lacks {call}' for call in calls('.')
             if not names(call, text) and call not in OF_ONE_LANE])


@tap.check
def callables_compiles_every_call():
    none_of([f'test/checks/callables/table.py lacks {call}' for call in callables.missing_from_table(ROOT / 'include')])


def launchers_of(header):
    return re.findall(r'^\[\[nodiscard\]\] cudaError_t (\w+)\(', header.read_text(), re.M)


@tap.check
def the_host_code_of_every_launcher_is_compiled():
    of_library = ''.join(path.read_text() for path in (ROOT / 'src/grid').glob('*.cuh'))
    listed = re.search(r'foreach name : \[(.*)\]', read('test/checks/host_stubs/meson.build'))[1]
    files = sorted((ROOT / 'test/checks/host_stubs').glob('*.cu'))
    tap.equal(re.findall(r"'(\w+)'", listed), [path.stem for path in files], 'the files that test/checks/host_stubs/meson.build lists')
    calls_made = ''.join(path.read_text() for path in files)
    none_of([f'test/checks/host_stubs lacks {call} of {header.name}, which src/grid does not instantiate'
             for header in headers('grid', suffix='.cuh') if f'<tessera/grid/{header.name}>' not in of_library
             for call in launchers_of(header) if f'grid::{call}(' not in calls_made])


def header_of_tests(file, name):
    """The header that a file of cases includes by this name, beside it or of support/, if it is one of the tests."""
    return next((path.resolve() for path in (file.parent / name, ROOT / 'test/support' / name) if path.exists()), None)


def text_of_cases(path, seen):
    """The text of a file of cases and of the headers of tests that it includes, without parts that gpu_tests=some leaves out."""
    if path in seen or not path:
        return ''
    seen.add(path)
    text = re.sub(r'^#if TESSERA_TEST_HAS_PART\([1-9]\).*?^#endif', '', path.read_text(), flags=re.M | re.S)
    return text + ''.join(text_of_cases(header_of_tests(path, name), seen) for name in re.findall(r'^#include "(.*)"', text, re.M))


@tap.check
def some_gpu_tests_run_every_call():
    left_out = set(tests('more'))
    listed = [name for kind in ('both', 'cuda', 'grid') for name in tests(kind)]
    none_of([f'test/meson.build leaves {name} out with gpu_tests=some, which is no test on the GPU' for name in left_out - set(listed)])
    for folders, prefix in ((('.', 'operators'), ''), (('grid',), 'grid::')):
        files = [path for name in listed if name not in left_out and name.startswith('grid/') == bool(prefix)
                 for path in [ROOT / test_tables.file_of(name)]]
        seen = set()
        text = ''.join(text_of_cases(path, seen) for path in files)
        none_of([f'of the tests on the GPU only those that gpu_tests=some leaves out (`more` in test/meson.build) run {prefix}{call}'
                 for call in calls(*folders) if not re.search(rf'\b{prefix}{call}\s*[<(]', text)])


# ---- Files

@tap.check
def every_program_has_a_part_of_its_test():
    table = re.search(r'^slices = \{.*?^\}', read('test/meson.build'), re.M | re.S)[0]
    slices = {name: int(count) for name, count in re.findall(r"'([\w/]+)_gpu': (\d+)", table)}
    for name in test_tables.listed():
        parts = set(re.findall(r'^#(?:el)?if TESSERA_TEST_HAS_PART\((\d+)\)', read(test_tables.file_of(name)), re.M))
        if parts:
            tap.equal(parts, {str(part) for part in range(len(parts))}, f'parts of {name}')
            tap.equal(len(parts) >= slices.get(name.removesuffix('_gpu'), 1), True, f'{name} has fewer parts than programs')


@tap.check
def every_test_file_is_listed():
    listed = {f'test/{path}' for path, _ in test_tables.listed().values()}
    text = read('test/checks/meson.build')
    none_of([f'no table of test/ lists {path.relative_to(ROOT)}' for path in sorted((ROOT / 'test').rglob('*_test.c*[pu]'))
             if str(path.relative_to(ROOT)).rsplit('.', 1)[0] not in listed and f"'{path.name}'" not in text])


@tap.check
def tests_of_arrays_have_the_rooms_of_arrays():
    none_of([f'include/tessera/grid has no room {path.name}' for path in sorted((ROOT / 'test/grid').iterdir())
             if path.is_dir() and not (INCLUDE / 'grid' / path.name).is_dir()])


@tap.check
def every_row_has_a_file():
    none_of([f'there is no test/{path}.cpp or .cu, for the test {name}' for name, (path, _) in test_tables.listed().items()
             if not any((ROOT / f'test/{path}.{suffix}').exists() for suffix in ('cpp', 'cu'))])


@tap.check
def every_source_of_the_library_is_listed():
    text = read('src/meson.build')
    none_of([f'src/meson.build does not list {path.relative_to(ROOT)}' for path in sorted((ROOT / 'src').rglob('*.c*'))
             if path.suffix in ('.cpp', '.cu') and f"'{path.relative_to(ROOT / 'src')}'" not in text])


@tap.check
def kernels_on_arrays_wait_at_the_barrier_that_all_compilers_make_right():
    none_of([f'{path.relative_to(ROOT)} has {call}: detail::barrier_of_block of memory_ops.hpp says what is wrong with it'
             for path in sorted((INCLUDE / 'grid').rglob('*.[hc]*')) if path.name != 'memory_ops.hpp'
             for call in re.findall(r'^(?!\s*//).*?(\bblock_?\.sync\(\)|__syncthreads\(\))', path.read_text(), re.M)])


@tap.check
def every_folder_with_a_meson_build_is_entered():
    none_of([f"{above.relative_to(ROOT)} has no subdir('{path.parent.name}')"
             for part in ('benchmark', 'examples', 'test') for path in sorted((ROOT / part).glob('*/meson.build')) + sorted((ROOT / part / 'checks').glob('*/meson.build'))
             for above in [path.parent.parent / 'meson.build'] if f"subdir('{path.parent.name}')" not in above.read_text()])


@tap.check
def every_benchmark_is_documented():
    text = read('benchmark/README.md')
    none_of([f'benchmark/README.md does not name {path.parent.name}'
             for path in sorted((ROOT / 'benchmark').glob('*/meson.build')) if f'`{path.parent.name}`' not in text])


# ---- What the code host runs

WORKFLOWS = sorted((ROOT / '.github/workflows').glob('*.yml'))


def commands_of(readme):
    """The commands of its section "Try it"."""
    return re.findall(r'^(tools/\w+)', readme.split('## Try it')[1].split('```')[1], re.M)


@tap.check
def workflows_run_commands_that_exist_with_options_that_they_have():
    wrong = []
    for path in WORKFLOWS:
        text = path.read_text()
        tools = sorted(set(re.findall(r'(?:\btools|\.ci)/\w+', text)))
        wrong += [f'{path.name} runs {tool}, which is no program' for tool in tools if not os.access(ROOT / tool, os.X_OK)]
        usages = ''.join(read(tool) for tool in tools if (ROOT / tool).exists())
        wrong += [f'{path.name} gives {option}, which {tools} lack' for option in re.findall(r' (--with-\w+)', text)
                  if option not in usages]
    none_of(wrong)


@tap.check
def a_workflow_runs_the_commands_of_the_readme():
    runs = ''.join(path.read_text() for path in WORKFLOWS)
    none_of([f'no workflow runs {command}' for command in commands_of(read('README.md')) if command not in runs])


@tap.check
def actionlint_finds_nothing_in_workflows():
    if not shutil.which('actionlint'):
        raise tap.Skip('needs actionlint')
    done = subprocess.run(['actionlint', '-no-color', *WORKFLOWS], stdout=subprocess.PIPE, text=True)
    none_of(done.stdout.splitlines())


# ---- Mutants

@tap.check
def what_mutants_replace_is_there():
    none_of([f'test/mutants.txt: {mutant.name}: {mutant.file} has the text not {mutant.times} times'
             for mutant in mutants.read_list() if mutant.is_stale()])


@tap.check
def mutants_that_tests_must_find_say_their_kind():
    none_of([f'test/mutants.txt: {mutant.name}: the kinds are {", ".join(mutants.KINDS)}'
             for mutant in mutants.read_list('tests') if not mutant.has_kind()])


# ---- Programs of several tests on the GPU

def defined_in(file):
    """What a file of cases defines outside of classes and functions: names, and of functions the types of parameters, too."""
    text = re.sub(r'//.*', '', read(file))
    template = r'^(?:template <[^;{]*?>\s+)?'
    functions = re.findall(template + r'(?! )[\w:<>,&* ]+?[ &*](\w+)\(([^;{]*)\)(?: noexcept)? \{', text, re.M)
    types = re.findall(template + r'(?:struct|class|enum class|using)(?: alignas\(\w+\))? (\w+)(?= [={:])', text, re.M)
    values = re.findall(template + r'(?:inline |constexpr |const )+[\w:<>, ]+ (\w+)(?:\[\w*\])? ?[={]', text, re.M)
    return {(name, re.sub(r'\b(\w+)(?=,|$)', '', parameters)) for name, parameters in functions} | {(name, '') for name in types + values}


def headers_of(file):
    """The headers of cases that a file includes, and that these include."""
    found, left = set(), [file]
    while left:
        file = left.pop()
        own = {str(path.relative_to(ROOT)) for name in re.findall(r'^#include "([\w/.]+\.hpp)"', read(file), re.M)
               for path in [header_of_tests(ROOT / file, name)] if path}
        left += own - found
        found |= own
    return found


@tap.check
def tests_that_share_programs_are_spread_evenly():
    """A test that has its cases on the GPU in a program with others has the program's number, and no program has many."""
    sharing = [name for name in tests('both') + tests('cuda')
               if not name.startswith('grid/') and (name in tests('both') or name.endswith('_gpu'))]
    numbered = [name for names in test_tables.programs().values() for name in names]
    none_of([f'the row of {name} in test/ lacks the number of a program' for name in sorted({*sharing} - {*numbered})] +
            [f'the row of {name} in test/ has a number, but it shares no program' for name in sorted({*numbered} - {*sharing})])
    for left_out, most in (([], 5), (tests('more'), 4)):  # without a GPU, and with gpu_tests=some
        counts = {program: len({*names} - {*left_out}) for program, names in test_tables.programs().items()}
        tap.equal(sorted(counts, key=int), [str(i) for i in range(len(counts))], 'programs of several tests')
        none_of([f'{counts[program]} tests share program {program}; program {min(counts, key=counts.get)} has room'
                 for program in counts if counts[program] > max(most, min(counts.values()) + 1)])


@tap.check
def tests_that_share_a_program_define_no_name_twice():
    wrong = []
    for program, names_of_tests in test_tables.programs().items():
        files = [test_tables.file_of(name) for name in names_of_tests]
        seen = {}
        defined = {file: {name for name, _ in defined_in(file)} for file in files}
        for file in files:
            for name, parameters in sorted(defined_in(file)):
                if (name, parameters) in seen:
                    wrong.append(f'{file} and {seen[name, parameters]}, which are both in program {program}, define {name}')
                seen[name, parameters] = file
            # nvcc looks a template's names up at the end of the program: a later file hides them, too.
            of_headers = {name for header in headers_of(file) for name, _ in defined_in(header)}
            of_others = set().union(*(names for other, names in defined.items() if other != file))
            wrong += [f'{file} uses {name} of a header, which another file of program {program} hides'
                      for name in sorted(of_headers & of_others - defined[file]) if re.search(rf'\b{name}\b', read(file))]
    none_of(wrong)


sys.exit(tap.run())
