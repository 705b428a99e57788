#!/usr/bin/env python3
"""Compilers of CUDA from package indexes: of CUDA 13 from PyPI, of a version that is asked for, or the newest; of CUDA 12 from Debian,
since PyPI's packages of it have no nvcc, with PyPI's headers.

usage: toolkits.py FOLDER [VERSION]     gets one of CUDA 13, and prints its nvcc

Nothing is installed outside FOLDER, and nothing is got twice.
"""
import contextlib
import fcntl
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

@contextlib.contextmanager
def one_at_a_time(folder):
    """Tests that run side by side share what one of them gets."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


NAMES = ('nvvm', 'cuda-crt', 'cuda-runtime')


def got(folder, *packages):
    """Unpacks packages of PyPI into a folder; returns whether that worked."""
    with tempfile.TemporaryDirectory() as wheels:
        if subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '--no-cache-dir', '--disable-pip-version-check',
                           '--timeout', '20', '--retries', '1', '-d', wheels, *packages], capture_output=True).returncode:
            return False
        for wheel in pathlib.Path(wheels).glob('*.whl'):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
                for file in archive.infolist():
                    if mode := file.external_attr >> 16:
                        (folder / file.filename).chmod(mode)
    return True


def wheels(folder, *packages):
    """The same, once."""
    if not (folder / 'complete').exists():
        if not got(folder, *packages):
            return False
        (folder / 'complete').touch()
    return True


def debian_package(folder, name, release):
    """Unpacks a package of the non-free part of a release of Debian into a folder, once; returns whether it is there. It comes from the
    mirror that the system has; the system's lists stay as they are."""
    if (folder / 'complete').exists():
        return True
    if not shutil.which('apt-get') or not shutil.which('dpkg'):
        return False
    mirrors = subprocess.run(['apt-get', 'indextargets', '--format', '$(REPO_URI)'], capture_output=True, text=True).stdout.split()
    mirror = next((uri for uri in mirrors if uri.endswith('/debian/')), None)
    if mirror is None:
        return False
    (folder / 'lists/partial').mkdir(parents=True, exist_ok=True)
    sources = folder / 'sources.list'
    sources.write_text(f'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} {release} non-free\n')
    apt = ['apt-get', '-qq', *(f'-o{key}={value}' for key, value in (
        ('Dir::Etc::SourceList', sources.resolve()), ('Dir::Etc::SourceParts', '/dev/null'), ('Debug::NoLocking', '1'),
        ('Dir::State::Lists', (folder / 'lists').resolve()), ('Dir::Cache', (folder / 'cache').resolve())))]
    for command in ([*apt, 'update'], [*apt, 'download', name]):
        if subprocess.run(command, cwd=folder, capture_output=True).returncode != 0:
            return False
    for package in folder.glob('*.deb'):
        if subprocess.run(['dpkg', '-x', package, folder], capture_output=True).returncode != 0:
            return False
        package.unlink()
    (folder / 'complete').touch()
    return True


def nvcc_12_of(folder, version, cccl):
    """Returns the nvcc of Debian's package with headers from PyPI, CCCL's of a version of its own; None where they can't be reached."""
    with one_at_a_time(folder) as folder:
        debian, toolkit = folder / f'debian-{version}', folder / f'nvcc-{version}-cccl-{cccl}'
        headers, of_cccl = folder / f'headers-{version}', folder / f'cccl-{cccl}'
        if not wheels(headers, *[f'nvidia-cuda-{name}-cu12=={version}.*' for name in ('nvcc', 'runtime')]) or not wheels(
                of_cccl, f'nvidia-cuda-cccl-cu12=={cccl}.*') or not debian_package(
                    debian, f'nvidia-cuda-toolkit={version}.*', 'trixie'):
            return None
        shutil.rmtree(toolkit, ignore_errors=True)
        programs, library = toolkit / 'bin', debian / 'usr/lib/nvidia-cuda-toolkit'
        shutil.copytree(library / 'bin', programs, ignore=shutil.ignore_patterns('g++', 'gcc', 'nvcc.profile'))
        for name in ('cudafe++', 'ptxas', 'fatbinary', 'nvlink', 'bin2c'):
            shutil.copy(debian / 'usr/bin' / name, programs)
        shutil.copytree(library / 'libdevice', toolkit / 'libdevice')
        (programs / 'nvcc.profile').write_text('NVVMIR_LIBRARY_DIR = $(_HERE_)/../libdevice\nPATH += $(_HERE_):\n'
                                               'INCLUDES += "-I$(_HERE_)/../include" $(_SPACE_)\n')
        for unpacked in (headers, of_cccl):
            for include in unpacked.glob('nvidia/*/include'):
                shutil.copytree(include, toolkit / 'include', dirs_exist_ok=True)
        return programs / 'nvcc'


def version_of(folder):
    """Returns the version of nvcc there, as in 13.0."""
    found = [re.search(r'nvcc-(\d+\.\d+)', path.name) for path in folder.glob('nvidia_cuda_nvcc-*.dist-info')]
    return found[0][1] if found else None


def nvcc_of(folder, version=None):
    """Returns the nvcc of a toolkit from PyPI, of this version, or of the newest; None where there is none to be had."""
    with one_at_a_time(folder) as folder:
        folder = folder / (version or 'newest')
        nvcc = folder / 'nvidia/cu13/bin/nvcc'
        if (folder / 'complete').exists():
            return nvcc
        if not got(folder, f'nvidia-cuda-nvcc=={version}.*' if version else 'nvidia-cuda-nvcc>=13'):
            return None
        of_it = f'=={version_of(folder)}.*'
        if not got(folder, *[f'nvidia-{name}{of_it}' for name in NAMES]):
            return None
        if not got(folder, 'nvidia-cuda-cccl' + of_it) and not got(folder, 'nvidia-cuda-cccl>=13'):  # numbered apart from CUDA 13.3 on
            return None
        root = nvcc.parent.parent
        (root / 'targets').mkdir(exist_ok=True)  # the layout that nvcc looks for
        (root / 'lib64').symlink_to('lib')
        (root / 'targets' / f'{platform.machine()}-linux').symlink_to('..')
        (folder / 'complete').touch()
        return nvcc


def main():
    nvcc = nvcc_of(*sys.argv[1:])
    if nvcc is None:
        sys.exit('PyPI has no such compiler, or cannot be reached')
    print(nvcc)


if __name__ == '__main__':
    main()
