#!/usr/bin/env python3
"""Sees that the headers name the namespace of every function of theirs that they call with arguments.

    qualified.py INCLUDE     as TAP

By its name alone, a function of a user's namespace might be called: argument-dependent lookup looks there, too, where a template
argument of an argument's type is the user's. Write `detail::f(x)`, `tessera::f(x)`, `grid::f(x)` or `host::f(x)`.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / 'support'))
import functions
import tap

library = functions.Library(pathlib.Path(sys.argv[1]) / 'tessera')
NAMED_BY_THE_LINKER = {'tessera_host_switch'}  # extern "C"
OF_USERS = {'get'}  # of tuples


@tap.check
def the_headers_are_understood():
    found = set(library.namespaces)
    missing = {'reduce', 'shift_up', 'select', 'atomic_update', 'histogram_of', 'query_device', 'launch_grid', 'describe'} - found
    tap.equal(sorted(missing), [])
    tap.equal(len(found) > 900, True, f'{len(found)} functions')


@tap.check
def every_call_names_a_namespace():
    found = [f'{path}:{line}: {name}' for path, line, name in library.unqualified_calls() if name not in NAMED_BY_THE_LINKER | OF_USERS]
    if found:
        raise AssertionError('called by their names alone:\n' + '\n'.join(found))


sys.exit(tap.run())
