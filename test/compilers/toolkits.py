#!/usr/bin/env python3
"""Compilers of CUDA 13 from PyPI, of a version that is asked for, or the newest.

usage: toolkits.py FOLDER [VERSION]     gets one, and prints its nvcc

Nothing is installed outside FOLDER, and nothing is got twice.
"""
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

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


def version_of(folder):
    """Returns the version of nvcc there, as in 13.0."""
    found = [re.search(r'nvcc-(\d+\.\d+)', path.name) for path in folder.glob('nvidia_cuda_nvcc-*.dist-info')]
    return found[0][1] if found else None


def nvcc_of(folder, version=None):
    """Returns the nvcc of a toolkit from PyPI, of this version, or of the newest; None where there is none to be had."""
    folder = pathlib.Path(folder) / (version or 'newest')
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
