#!/usr/bin/env python3
"""sharded_test.py SHARDED: runs the executable over several GPUs as its users do, and has ranks fail.

Prints TAP. Without a GPU all is skipped. Cases of two ranks need two GPUs, or an NCCL that lets ranks share one.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

SHARDED = os.path.abspath(sys.argv[1])
OF_LAUNCHERS = ('OMPI_', 'PMI', 'SLURM_', 'MPI_', 'RANK', 'WORLD_SIZE', 'LOCAL_RANK')
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(OF_LAUNCHERS)}
# Ranks that share a GPU: a kernel that is loaded late would wait for another rank's, which waits for it.
ENVIRONMENT.update(NCCL_MULTI_RANK_GPU_ENABLE='1', CUDA_MODULE_LOADING='EAGER')
ANOTHER_FAILED, SKIPPED = 3, 77
LONG = 120  # seconds: what takes longer hangs


def threads(*options):
    return subprocess.run([SHARDED, *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=LONG)


def processes(*options, names=('RANK', 'WORLD_SIZE'), meanwhile=lambda ranks: None):
    """[(exit status, output, errors)] of two processes, a rank each, which meet by a file in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([SHARDED, '--id', f'{folder}/id', *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**ENVIRONMENT, names[0]: str(rank), names[1]: '2'}, text=True) for rank in range(2)]
        try:
            meanwhile(ranks)
            said = [rank.communicate(timeout=LONG) for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        return [(rank.returncode, *texts) for rank, texts in zip(ranks, said)]


def is_right(status, output, errors, count):
    equal(status, 0, errors)
    if f'over {count} ranks' not in output or 'ok: largest difference 0' not in output:
        raise AssertionError(output)


alone = threads('--ranks', '1')
no_gpu = 'needs a GPU' if alone.returncode == SKIPPED else None
two = None if no_gpu else threads('--ranks', '2')
no_pair = no_gpu or ('needs two GPUs, or an NCCL that lets ranks share one' if two.returncode == SKIPPED else None)


def one_rank_is_right():
    is_right(alone.returncode, alone.stdout, alone.stderr, 1)


def two_threads_are_right():
    is_right(two.returncode, two.stdout, two.stderr, 2)


def a_thread_for_each_gpu_is_right():
    done = threads()
    equal(done.returncode, 0, done.stderr)


def two_processes_are_right():
    for names in (('RANK', 'WORLD_SIZE'), ('OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_SIZE'), ('SLURM_PROCID', 'SLURM_NTASKS')):
        first, second = processes(names=names)
        is_right(*first, 2)
        equal(second[:2], (0, ''), second[2])


def a_thread_that_ends_between_two_calls_is_noticed():
    done = threads('--ranks', '2', '--fail', '1')
    equal(done.returncode, ANOTHER_FAILED, done.stderr)
    if 'rank 0: ' not in done.stderr:
        raise AssertionError(done.stderr)


def a_process_that_exits_between_two_calls_is_noticed():
    for failing in (0, 1):
        done = processes('--fail', str(failing))
        equal(done[failing][0], 1, done[failing][2])
        equal(done[1 - failing][0], ANOTHER_FAILED, done[1 - failing][2])


def a_process_that_is_killed_in_a_call_is_noticed():
    def kill_one(ranks):
        for rank in ranks:
            equal(rank.stdout.readline()[:5], 'rank ')
        ranks[1].send_signal(signal.SIGKILL)
    other, killed = processes('--rounds', '100000000', meanwhile=kill_one)
    equal(killed[0], -signal.SIGKILL)
    equal(other[0], ANOTHER_FAILED, other[2])


for case in (one_rank_is_right, a_thread_for_each_gpu_is_right):
    check(case, skip=no_gpu)
for case in (two_threads_are_right, two_processes_are_right, a_thread_that_ends_between_two_calls_is_noticed,
             a_process_that_exits_between_two_calls_is_noticed, a_process_that_is_killed_in_a_call_is_noticed):
    check(case, skip=no_pair)

sys.exit(tap.run())
