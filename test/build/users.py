#!/usr/bin/env python3
"""Builds programs against the library as docs/linking.md says, with the files that it shows. Prints TAP.

usage: users.py cmake|pkg_config GPU_ARCH FOLDER BUILD     FOLDER: to work in; BUILD: where the library was built

  cmake       find_package in a folder that the installed files were moved to, and FetchContent
  pkg_config  the files that this Meson writes, and those that Meson 1.0 writes; a library of some parts

The wrap, which it shows as well, is a case of `run`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / 'test/support'))
import tap

WAY, ARCH = sys.argv[1:3]
FOLDER, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[3:5])
MESON = [os.environ.get('MESON', 'meson')]
OLD_MESON = ROOT / '.venv/meson-1.0'  # where tools/setup.sh puts it
OLD_MESON_COMMAND = [sys.executable, '-m', 'mesonbuild.mesonmain']
IN_OLD_MESON = {'PYTHONPATH': str(OLD_MESON)}
OLDEST_CMAKE = (3, 25)
HAS_NVCC = shutil.which('nvcc') is not None
NO_NVCC = None if HAS_NVCC else 'no CUDA compiler'
NOTHING_BESIDES = ['-Dtests=disabled', '-Dexamples=disabled', '-Dbenchmarks=disabled']
THE_LIBRARY_ALONE = [*NOTHING_BESIDES, '-Dgrid=disabled']


def output_of(*command, fails=False, folder=FOLDER, **variables):
    """What a command prints. It must succeed, or fail where it `fails`."""
    done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if (done.returncode != 0) != fails:
        raise AssertionError(f'{" ".join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}')
    return done.stdout


def project(name, *files):
    """A new folder with copies of these files of this folder."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(HERE / file, folder)
    return folder


def run_on_gpu(*program):
    """Runs a program that exits with 77 where there is no GPU."""
    done = subprocess.run(program, text=True, stdout=subprocess.PIPE)
    tap.equal(done.returncode in (0, 77), True, f'exit status {done.returncode}: {done.stdout}')
    print(f'# {done.stdout.strip()}')


def install(build, to):
    """Installs what is in a build folder below FOLDER/to, as if that were its prefix, and returns the folder of its `include`."""
    shutil.rmtree(FOLDER / to, ignore_errors=True)
    output_of(*MESON, 'install', '--quiet', '--no-rebuild', '-C', build, DESTDIR=str(FOLDER / to))
    for file in (FOLDER / to).rglob('pkgconfig/*.pc'):
        file.write_text(file.read_text().replace('prefix=', f'prefix={FOLDER / to}', 1))
    return next((FOLDER / to).rglob('include/tessera')).parent.parent


def set_up_library(build, meson, *options, **variables):
    """Builds the library in a folder below FOLDER, without what takes minutes."""
    shutil.rmtree(FOLDER / build, ignore_errors=True)
    output_of(*meson, 'setup', build, ROOT, *THE_LIBRARY_ALONE, *options, **variables)
    output_of('ninja', '-C', build)


def compile_lists_of(build):
    return (FOLDER / build / 'compile_commands.json').read_text()


# ---- CMake

def why_no_cmake():
    if not shutil.which('cmake'):
        return 'no CMake: tools/test gets one'
    version = output_of('cmake', '--version').split()[2]
    if tuple(map(int, version.split('.')[:2])) < OLDEST_CMAKE:
        return f'CMake 3.25 or later is needed, and this is {version}'
    return None if shutil.which('ninja') else 'no ninja'


def configure(folder, *options, **how):
    return output_of('cmake', '-G', 'Ninja', '-S', folder, '-B', folder / 'build', '-DCMAKE_BUILD_TYPE=Release',
                     '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', *options, **how)


def compile_lists(folder):
    return compile_lists_of(folder / 'build')


def small_project(name, *lines):
    folder = project(name)
    first = ['cmake_minimum_required(VERSION 3.25)', 'project(small LANGUAGES CXX)']
    (folder / 'CMakeLists.txt').write_text('\n'.join(first + list(lines)))
    return folder


def is_compatible(version, wanted, pointer_bytes=8, **found):
    """What the version file of this version says of what find_package wants."""
    text = (ROOT / 'src/cmake/tessera-config-version.cmake.in').read_text()
    text = text.replace('@version@', version).replace('@pointer_bytes@', '8')
    numbers = wanted.split('.')
    values = {'PACKAGE_FIND_VERSION': wanted, 'PACKAGE_FIND_VERSION_COUNT': len(numbers), 'CMAKE_SIZEOF_VOID_P': pointer_bytes,
              **dict(zip(('PACKAGE_FIND_VERSION_MAJOR', 'PACKAGE_FIND_VERSION_MINOR'), numbers + ['0'])), **found}
    script = FOLDER / 'version.cmake'
    lines = [f'set({name} "{value}")' for name, value in values.items()]
    lines += [text, 'message("${PACKAGE_VERSION_COMPATIBLE} ${PACKAGE_VERSION_UNSUITABLE}")']
    script.write_text('\n'.join(lines))
    return output_of('cmake', '-P', script).strip() == 'TRUE'


def cmake_cases():
    no_cmake = why_no_cmake()
    no_kernel = no_cmake or NO_NVCC
    moved = FOLDER / 'moved here'
    home = FOLDER / 'home'

    def use(way, *options):
        """A project of one of the two ways: configures it, and builds and runs its plain C++."""
        program = {'find_package': 'main', 'fetch_content': 'host_sums'}[way]
        folder = project(way, f'cmake/{way}/CMakeLists.txt', f'programs/{program}.cpp', 'programs/row_sums.cu')
        configure(folder, *([f'-DCMAKE_CUDA_ARCHITECTURES={ARCH.split(",")[0]}'] if ARCH else []), *options)
        output_of('ninja', '-C', folder / 'build', program)
        print('# ' + output_of(folder / 'build' / program).strip())
        return folder

    def case(function, skip=no_cmake):
        tap.check(function, skip=skip)

    def find_package_finds_what_was_installed_and_moved():
        shutil.rmtree(moved, ignore_errors=True)
        install(BUILD, 'root').rename(moved)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        (home / 'tessera').symlink_to(moved)
        folder = project('moved', 'cmake/find_package/CMakeLists.txt', 'programs/main.cpp', 'programs/row_sums.cu')
        output_of('sh', '-e', HERE / 'cmake/find_package/build.sh', folder=folder, HOME=str(home), CMAKE_GENERATOR='Ninja',
                  CMAKE_EXPORT_COMPILE_COMMANDS='ON')
        print('# ' + output_of(folder / 'build/main').strip())
        text = compile_lists(folder)
        tap.equal((str(moved / 'include') in text, str(ROOT / 'include') in text), (True, False), text)

    def find_package_builds_kernels():
        run_on_gpu(FOLDER / 'moved/build/row_sums')

    def find_package_gives_plain_CPP_the_whole_arrays():
        folder = project('arrays', *(f'plain/{name}' for name in ('CMakeLists.txt', 'main.cpp', 'arrays.cpp', 'no_arrays.cpp')))
        configure(folder, f'-DCMAKE_PREFIX_PATH={moved}')
        output_of('ninja', '-C', folder / 'build')
        output_of(folder / 'build/consumer', 'cpu')
        run_on_gpu(folder / 'build/consumer', 'gpu')

    def the_headers_alone_need_no_CUDA():
        folder = small_project('headers', 'find_package(tessera 0.1 REQUIRED COMPONENTS headers)',
                               'if(TARGET tessera::tessera OR NOT TARGET tessera::headers)',
                               '  message(FATAL_ERROR "not the headers alone")', 'endif()')
        configure(folder, f'-DCMAKE_PREFIX_PATH={moved}', '-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON')

    def an_unknown_component_is_an_error():
        folder = small_project('component', 'find_package(tessera REQUIRED COMPONENTS grid)')
        text = ' '.join(configure(folder, f'-DCMAKE_PREFIX_PATH={moved}', fails=True).split())
        tap.equal('no component grid. Its components are headers and tessera' in text, True, text)

    def a_library_without_CUDA_is_found_in_other_folders():
        prefix = FOLDER / 'no_cuda_prefix'
        shutil.rmtree(prefix, ignore_errors=True)
        set_up_library('no_cuda', MESON, '-Dgpu_arch=', f'--prefix={prefix}', '-Dlibdir=lib/deep/er', '-Dincludedir=inc')
        output_of(*MESON, 'install', '--quiet', '-C', 'no_cuda')
        found = f'-Dtessera_DIR={prefix / "lib/deep/er/cmake/tessera"}'
        folder = use('find_package', found, '-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON', '-DCMAKE_CUDA_COMPILER=')
        tap.equal(str(prefix / 'inc') in compile_lists(folder), True)

    def versions_are_semantic():
        for version, wanted, expected in [
                ('1.4.2', '1', True), ('1.4.2', '1.4', True), ('1.4.2', '1.4.2', True), ('1.4.2', '1.0', True),
                ('1.4.2', '1.5', False), ('1.4.2', '1.4.3', False), ('1.4.2', '2', False), ('2.0.0', '1.4', False),
                ('11.0.0', '1.0', False), ('0.3.1', '0.3', True), ('0.3.1', '0.3.0', True), ('0.3.1', '0', True),
                ('0.3.1', '0.2', False), ('0.3.1', '0.3.2', False), ('0.30.0', '0.3', False), ('1.0.0', '0.9', False)]:
            tap.equal(is_compatible(version, wanted), expected, f'{version} where {wanted} is asked for')
        for version, last, end, expected in [('1.4.2', '2.0', 'INCLUDE', True), ('2.0', '2.0', 'INCLUDE', True),
                                             ('2.0', '2.0', 'EXCLUDE', False), ('2.1', '2.0', 'INCLUDE', False)]:
            got = is_compatible(version, '1.0', PACKAGE_FIND_VERSION_RANGE=f'1.0...{last}', PACKAGE_FIND_VERSION_MIN='1.0',
                                PACKAGE_FIND_VERSION_MAX=last, PACKAGE_FIND_VERSION_RANGE_MAX=end)
            tap.equal(got, expected, f'{version} in 1.0...{last}, {end}')
        tap.equal(is_compatible('1.4.2', '1.4', pointer_bytes=4), False, 'pointers of 32 bits')

    def FetchContent_gives_the_headers():
        use('fetch_content', f'-DFETCHCONTENT_SOURCE_DIR_TESSERA={ROOT}', '-DFETCHCONTENT_FULLY_DISCONNECTED=ON')

    def FetchContent_builds_kernels():
        output_of('ninja', '-C', FOLDER / 'fetch_content/build', 'row_sums')
        run_on_gpu(FOLDER / 'fetch_content/build/row_sums')

    def FetchContent_says_that_Meson_builds_the_library():
        folder = project('library', 'cmake/fetch_content/CMakeLists.txt', 'programs/host_sums.cpp')
        lists = folder / 'CMakeLists.txt'
        lists.write_text(lists.read_text().replace('tessera::headers', 'tessera::tessera'))
        text = ' '.join(configure(folder, f'-DFETCHCONTENT_SOURCE_DIR_TESSERA={ROOT}', '-DCMAKE_CUDA_COMPILER=',
                                  fails=True).split())
        tap.equal('tessera::tessera, which comes from Meson' in text, True, text)

    case(find_package_finds_what_was_installed_and_moved)
    case(find_package_builds_kernels, no_kernel)
    case(find_package_gives_plain_CPP_the_whole_arrays)
    case(the_headers_alone_need_no_CUDA)
    case(an_unknown_component_is_an_error)
    case(a_library_without_CUDA_is_found_in_other_folders)
    case(versions_are_semantic)
    case(FetchContent_gives_the_headers)
    case(FetchContent_builds_kernels, no_kernel)
    case(FetchContent_says_that_Meson_builds_the_library)


# ---- pkg-config

WARNINGS = '-Wall -Wextra -Wconversion -Wshadow -Werror'


def shown_command(name, folder, prefix):
    """Runs a command line that docs/linking.md shows, with warnings as errors."""
    path = next(prefix.rglob('pkgconfig/tessera.pc')).parent
    line = (HERE / 'pkg_config' / name).read_text()
    line = line.replace('c++ ', f'{os.environ.get("CXX", "c++")} {WARNINGS} ', 1)
    line = line.replace('nvcc ', f'nvcc -Werror all-warnings -Xcompiler={WARNINGS.replace(" ", ",")} ', 1)
    return output_of('sh', '-ec', line, folder=folder, PKG_CONFIG_PATH=str(path))


def why_no_old_meson():
    if not (OLD_MESON / 'mesonbuild').is_dir():
        return 'no Meson 1.0: tools/test gets one'
    done = subprocess.run([*OLD_MESON_COMMAND, '--version'], env={**os.environ, **IN_OLD_MESON}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return None if done.returncode == 0 else 'Meson 1.0 does not run with this Python'


def pkg_config_cases():
    no_pkg_config = None if shutil.which('pkg-config') else 'no pkg-config'
    no_old_meson = no_pkg_config or why_no_old_meson()
    old_prefix = FOLDER / 'old_prefix'

    def the_files_of_this_Meson_link():
        prefix = install(BUILD, 'root')
        folder = project('plain', 'programs/main.cpp')
        shown_command('plain.sh', folder, prefix)
        print('# ' + output_of(folder / 'main').strip())

    def kernels_are_compiled_by_them():
        folder = project('kernel', 'programs/row_sums.cu')
        shown_command('kernel.sh', folder, FOLDER / 'root')
        run_on_gpu(folder / 'row_sums')

    def the_files_of_Meson_1_0_link():
        shutil.rmtree(old_prefix, ignore_errors=True)
        set_up_library('old', OLD_MESON_COMMAND, f'-Dgpu_arch={ARCH}', f'--prefix={old_prefix}', **IN_OLD_MESON)
        output_of(*OLD_MESON_COMMAND, 'install', '-C', 'old', '--no-rebuild', **IN_OLD_MESON)
        folder = project('old_plain', 'programs/main.cpp')
        shown_command('plain.sh', folder, old_prefix)
        print('# ' + output_of(folder / 'main').strip())

    def they_name_the_folders_and_the_static_runtime():
        path = next(old_prefix.rglob('pkgconfig'))
        words = output_of('pkg-config', '--libs', 'tessera', PKG_CONFIG_PATH=str(path)).split()
        tap.equal(f'-L{path.parent}' in words, True, words)
        runtime = [word for word in words if 'cudart' in word]
        tap.equal([word.startswith('/') and word.endswith('libcudart_static.a') for word in runtime],
                  [True] if HAS_NVCC else [], words)

    def set_up_parts(parts, **how):
        shutil.rmtree(FOLDER / 'parts', ignore_errors=True)
        return output_of(*MESON, 'setup', 'parts', ROOT, *NOTHING_BESIDES, f'-Dgpu_arch={ARCH.split(",")[0]}', f'-Dgrid={parts}', **how)

    def a_library_has_the_parts_that_are_asked_for():
        set_up_parts('merge,adjacent_difference')
        compiled = sorted(set(re.findall(r'src/(?!device)(\w+)\.cu', compile_lists_of('parts'))))
        tap.equal(compiled, ['adjacent_difference', 'merge'])
        lines = (FOLDER / 'parts/meson-private/tessera.pc').read_text().splitlines()
        tap.equal({'grid=no', 'grid_parts=adjacent_difference merge'} <= set(lines), True, lines)
        lines = (FOLDER / 'parts/src/tessera-config.cmake').read_text().splitlines()
        tap.equal({'set(tessera_GRID OFF)', 'set(tessera_GRID_PARTS "adjacent_difference;merge")'} <= set(lines), True, lines)

    def a_part_that_does_not_exist_is_an_error():
        for parts, wrong in [('reduce,sorting', 'sorting'), ('auto,reduce', 'auto'), ('reduce,disabled', 'disabled')]:
            text = set_up_parts(parts, fails=True)
            tap.equal(f'"{wrong}" is no part' in text and 'scan_by_key' in text, True, text)

    def the_linker_names_what_a_missing_part_has():
        set_up_parts('adjacent_difference')
        output_of('ninja', '-C', 'parts')
        prefix = install(FOLDER / 'parts', 'parts_root')
        for call, missing in [('adjacent_difference(in, 0, out)', None), ('reduce(in, 0, out)', 'reduce_instantiation')]:
            folder = project('call')
            (folder / 'main.cpp').write_text('#include <tessera/grid.hpp>\nint main() {\n  float const* in = nullptr;\n  float* out = nullptr;\n'
                                             f'  return tessera::grid::{call} == cudaSuccess ? 1 : 0;\n}}\n')
            path = next(prefix.rglob('pkgconfig/tessera.pc')).parent
            line = f'{os.environ.get("CXX", "c++")} -std=c++17 $(pkg-config --cflags tessera) main.cpp -o main $(pkg-config --libs tessera)'
            text = output_of('sh', '-ec', line, folder=folder, fails=missing is not None, PKG_CONFIG_PATH=str(path))
            tap.equal(missing is None or missing in text, True, text)

    for function, skip in [(the_files_of_this_Meson_link, no_pkg_config), (kernels_are_compiled_by_them, no_pkg_config or NO_NVCC),
                           (the_files_of_Meson_1_0_link, no_old_meson),
                           (they_name_the_folders_and_the_static_runtime, no_old_meson),
                           (a_library_has_the_parts_that_are_asked_for, NO_NVCC),
                           (a_part_that_does_not_exist_is_an_error, None),
                           (the_linker_names_what_a_missing_part_has, no_pkg_config or NO_NVCC)]:
        tap.check(function, skip=skip)


FOLDER.mkdir(parents=True, exist_ok=True)
{'cmake': cmake_cases, 'pkg_config': pkg_config_cases}[WAY]()
sys.exit(tap.run())
