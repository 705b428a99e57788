#!/usr/bin/env python3
"""Looks through PTX for four forms that compilers make of right programs, and that are wrong. Prints TAP.

usage: check_loops.py CONTROL.ptx FILE.ptx…

A loop   whose counter begins at a negative constant, goes up, and is compared without a sign with a positive one:

             mov.u32 %r1, -96;  L:  …  add.s32 %r1, %r1, 32;  setp.lt.u32 %p, %r1, 160;  @%p bra L;

         The counter was to end at 160 after eight rounds. Without a sign −64 isn't below 160, and the loop ends after one.
A bound  of a number of 16 bits, max.s16 with 0: ptxas 13.0 to 13.3 drops a comparison of the result with 0.
A byte   of a half or bfloat16 that was just computed, which is stored:

             cvt.rn.f16.f32 %rs1, %f1;  …  st.u8 [%rd1], %rs1;

         ptxas up to 13.0 converts the number to an integer, instead of storing its low byte.

A clamp  of a number between 0 and a constant that is then compared with the constant:

             min.s32 %r2, %r1, 512;  max.s32 %r3, %r2, 0;  setp.eq.s32 %p, %r3, 512;

         ptxas 13.0 makes one instruction of it for sm_90, whose predicate is true for all numbers above 0.

CONTROL.ptx has all four, which must be found. See docs/explanation/compilers-faults.md.
"""
import re
import sys

NUMBER = r'(-?\d+|0x[0-9a-fA-F]+)'
MOVE = re.compile(rf'mov\.[bus](16|32|64)\s+(%\w+), (-\d+);')
COPY = re.compile(r'mov\.[bus](?:16|32|64)\s+(%\w+), (%\w+);')
ADD = re.compile(rf'add\.[us](?:16|32|64)\s+(%\w+), (%\w+), {NUMBER};')
TEST = re.compile(rf'setp\.(lt|le|gt|ge|lo|ls|hi|hs)\.u(16|32|64)\s+%\w+, (%\w+), {NUMBER};')
BOUND = re.compile(r'max\.s16\s+%\w+, (?:%\w+, 0|0, %\w+);')
HALF = re.compile(r'^\{?\s*[a-z]\w*(?:\.(?!f32|[usb]\d)\w+)*\.b?f16(?:\.\w+)*\s+(%rs\w+),')  # the first type is the result's
STORE_BYTE = re.compile(r'st\.[\w.:]*[usb]8\s+\[[^]]+\], (%rs\w+);')
MINIMUM = re.compile(rf'min\.s32\s+(%r\w+), %r\w+, {NUMBER};')
MAXIMUM = re.compile(r'max\.s32\s+(%r\w+), (%r\w+), 0;')
EQUALS = re.compile(rf'setp\.(?:eq|ne)\.s32\s+%p\w+, (%r\w+), {NUMBER};')
COMPARE = {'lt': int.__lt__, 'lo': int.__lt__, 'le': int.__le__, 'ls': int.__le__, 'gt': int.__gt__, 'hi': int.__gt__, 'ge': int.__ge__, 'hs': int.__ge__}


def functions(ptx):
    """Returns the lines of each function: registers have a name of their own in each."""
    for text in re.split(r'\n(?=\.visible|\.entry|\.weak|\.func)', ptx):
        yield [line.split('//')[0].strip() for line in text.splitlines()]


def wrong_loops(lines):
    """Yields the tests of counters whose first comparison has another outcome with a sign than without."""
    starts, copies, steps = {}, {}, {}
    for line in lines:
        if found := MOVE.match(line):
            starts.setdefault(found[2], set()).add(int(found[3]))
        elif found := COPY.match(line):
            copies.setdefault(found[1], set()).add(found[2])
        elif found := ADD.match(line):
            steps.setdefault(found[1], set()).add((found[2], int(found[3], 0)))
    for line in lines:
        test = TEST.match(line)
        if not test:
            continue
        compare, bits, tested, bound = COMPARE[test[1]], int(test[2]), test[3], int(test[4], 0)
        for counter, step in steps.get(tested, ()):
            if step <= 0 or bound <= 0 or bound >= 1 << (bits - 1):
                continue
            if counter != tested and tested not in copies.get(counter, ()):
                continue  # not stepped by the loop
            for start in starts.get(counter, ()):
                first = start + step
                if compare(first, bound) != compare(first % (1 << bits), bound):
                    yield f'a counter from {start} by {step}: {line}'


def bytes_of_halves(lines):
    """Yields the stores of a byte of what an instruction for halves or bfloat16s gave."""
    halves = {half[1] for line in lines if 'f16' in line and (half := HALF.match(line))}
    for line in lines:
        if halves and 'st.' in line and (store := STORE_BYTE.search(line)) and store[1] in halves:
            yield line


def clamps(lines):
    """Yields the comparisons of a number between 0 and a constant with the constant."""
    least, clamped = {}, {}
    for line in lines:
        if found := MINIMUM.match(line):
            least[found[1]] = int(found[2], 0)
        elif (found := MAXIMUM.match(line)) and found[2] in least:
            clamped[found[1]] = least[found[2]]
    for line in lines:
        if (found := EQUALS.match(line)) and clamped.get(found[1]) == int(found[2], 0):
            yield line


def wrong_forms(path):
    """Returns what was found of each form, and the number of kernels."""
    with open(path) as file:
        ptx = file.read()
    loops, stores, bounds = [], [], []
    for lines in functions(ptx):
        loops += wrong_loops(lines)
        stores += bytes_of_halves(lines)
        bounds += clamps(lines)
    return (loops, [line for line in ptx.splitlines() if BOUND.search(line)], stores, bounds), ptx.count('.entry ')


def main():
    control, *files = sys.argv[1:]
    print(f'1..{len(files) + 1}')
    print(f'{"ok" if all(wrong_forms(control)[0]) else "not ok"} - the four forms are found where they are')
    for path in files:
        forms, kernels = wrong_forms(path)
        fine = kernels and not any(forms)
        print(f'{"ok" if fine else "not ok"} - {kernels} kernels of {path.rsplit("/", 1)[-1]}')
        for line in sum(forms, []) + ([] if kernels else ['no kernel at all']):
            print(f'# {line.strip()}')


main()
