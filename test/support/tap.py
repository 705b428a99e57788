"""A list of test cases in Python, and a function that runs them and prints TAP."""
import sys


class Skip(Exception):
    """Raised by a case that can't be run here; it says why."""


cases = []  # (name, function, reason to skip it or None)


def check(function, prefix='', skip=None):
    """Runs one case, which fails if the function raises anything but Skip."""
    cases.append((prefix + function.__name__.replace('_', ' '), function, skip))
    return function


def equal(got, expected, what=''):
    if got != expected:
        raise AssertionError(f'{what}: got {str(got)[:500]!r}, expected {str(expected)[:500]!r}')


def run():
    """Returns whether a case failed."""
    print('TAP version 13')
    print(f'1..{len(cases)}')
    failed = False
    for number, (name, function, skip) in enumerate(cases, 1):
        if skip:
            print(f'ok {number} {name} # SKIP {skip}')
            continue
        try:
            function()
            print(f'ok {number} {name}')
        except Skip as reason:
            print(f'ok {number} {name} # SKIP {reason}')
        except Exception as error:
            failed = True
            print(f'not ok {number} {name}')
            for line in f'{type(error).__name__}: {error}'.splitlines():
                print(f'# {line}')
        sys.stdout.flush()
    return failed
