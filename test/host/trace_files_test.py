#!/usr/bin/env python3
"""trace_files_test.py PROGRAM SOURCE: traces the kernels of trace_cases.cpp, and reads what the files show. Prints TAP.

The traces are parsed as JSON, and what tools/draw_trace draws of them as XML. Both must show each value that moves once,
and name the source lines.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'support'))
import tap
from tap import check, equal

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2])
DRAW = pathlib.Path(__file__).resolve().parent.parent.parent / 'tools/draw_trace'
LINES = {found[2]: number for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
         for found in [re.search(r'(//) line: (.*)', line)] if found}
NAMESPACE = '{http://www.w3.org/2000/svg}'
folder = tempfile.TemporaryDirectory()


def run(case, file, **environment):
    path = pathlib.Path(folder.name, file)
    path.unlink(missing_ok=True)
    plain = {name: value for name, value in os.environ.items() if not name.startswith('TESSERA_HOST_')}
    done = subprocess.run([PROGRAM, case], capture_output=True, text=True,
                          env={**plain, 'TESSERA_HOST_SCHEDULE': 'random_lane', 'TESSERA_HOST_TRACE': str(path), **environment})
    return path, done.stdout + done.stderr


def draw(path, *options):
    return subprocess.run([sys.executable, DRAW, path, *options], capture_output=True, text=True)


class Picture:
    def __init__(self, case, **environment):
        path, self.said = run(case, f'{case}.json', **environment)
        equal(draw(path).stderr, '')
        self.path = path.with_suffix('.svg')
        self.root = xml.parse(self.path).getroot()
        self.width = float(self.root.get('width'))
        self.texts = [text for text in self.root.iter(NAMESPACE + 'text')]

    def of_class(self, element, name):
        return [one for one in self.root.iter(NAMESPACE + element) if name in one.get('class', '').split()]

    def arrows(self):
        return [one for way in ('up', 'down') for one in self.of_class('path', way)]

    def words(self):
        return [''.join(text.itertext()) if text.find(NAMESPACE + 'title') is None else text.find(NAMESPACE + 'title').tail
                for text in self.texts]

    def count(self, word):
        return self.words().count(word)


class Trace:
    def __init__(self, case, **environment):
        path, self.said = run(case, f'{case}.json', **environment)
        self.whole = json.loads(path.read_text())
        self.events = self.whole['traceEvents']

    def of(self, phase, category=None):
        return [event for event in self.events if event['ph'] == phase and category in (None, event['cat'])]

    def sources(self):
        """The lines of all calls, with the lanes that make them."""
        lanes = collections.defaultdict(set)
        for event in self.of('X', 'call'):
            lanes[int(re.search(r'trace_cases\.cpp:(\d+)', event['args']['source'])[1])].add(event['tid'])
        return lanes

    def flows(self):
        """(source lane, target lane) of each flow; every start has its end, which is later."""
        starts = {event['id']: event for event in self.of('s')}
        ends = {event['id']: event for event in self.of('f')}
        equal(len(starts), len(self.of('s')), 'starts with an id of their own')
        equal(sorted(starts), sorted(ends), 'ids of starts and ends')
        for number, start in starts.items():
            assert start['ts'] < ends[number]['ts'] and ends[number]['bp'] == 'e'
        return [(start['tid'], ends[number]['tid']) for number, start in starts.items()]


def both(case, **environment):
    return Picture(case, **environment), Trace(case, **environment)


def moves(size, *steps):
    """(source, target) of the values that move in shuffles by these steps: ('xor', 1), ('up', 1)."""
    found = []
    for kind, by in steps:
        for lane in range(size):
            source = lane ^ by if kind == 'xor' else lane - by if kind == 'up' else lane + by
            if 0 <= source < size and source != lane:
                found.append((source, lane))
    return sorted(found)


def expect_moves(case, expected):
    picture, trace = both(case)
    equal(sorted(trace.flows()), sorted(expected), 'flows')
    equal(len(picture.arrows()), len(expected), 'arrows')
    return picture, trace


def beside(pairs, base):
    return [(a + base, b + base) for a, b in pairs]


# ---- What is drawn

@check
def a_sum_of_8_lanes_has_three_steps_and_its_result():
    picture, trace = expect_moves('sum', moves(8, ('xor', 1), ('xor', 2), ('xor', 4)))
    for step in ('xor 1', 'xor 2', 'xor 4', 'result', 'reduce', 'unsigned int, plus, tile<8>', f'trace_cases.cpp:{LINES["sum"]}'):
        equal(picture.count(step), 1, step)
    equal(trace.sources(), {LINES['sum']: set(range(8))})
    results = [event['args']['value'] for event in trace.of('X', 'step') if event['name'] == 'result']
    equal(results, ['36'] * 8)
    got = [event['args']['received'] for event in trace.of('X', 'step') if event['name'] == 'xor 1']
    equal(got, ['2', '1', '4', '3', '6', '5', '8', '7'])


@check
def a_scan_of_32_lanes():
    picture, _ = expect_moves('scan', moves(32, *(('up', 1 << k) for k in range(5))))
    equal(len(picture.of_class('path', 'down')), 0)
    equal(picture.words()[-1], 'value to a higher lane')


@check
def votes_and_matches_are_bands():
    picture, trace = expect_moves('votes', [])
    equal(picture.count('0x49, 3 of 8'), 2)
    equal(len(picture.of_class('circle', 'yes')), 6 + 1)  # one in the legend
    equal([len(picture.of_class('rect', f'k{key}')) for key in range(4)], [6, 6, 4, 0])
    equal(set(trace.sources()), {LINES['votes'], LINES['match']})


@check
def a_partial_tile_exchanges_the_identity():
    _, trace = expect_moves('partial', moves(8, ('xor', 1), ('xor', 2), ('xor', 4)))
    values = [event['args']['value'] for event in trace.of('X', 'step') if event['name'] == 'xor 1']
    equal(values, ['1', '2', '3', '4', '5', '0', '0', '0'])


@check
def lanes_that_do_not_exist_have_no_column():
    picture, trace = both('padded')
    equal({event['tid'] for event in trace.of('X')}, set(range(40)))
    equal(len(picture.arrows()), len(trace.flows()))
    equal([event['args']['value'] for event in trace.of('X', 'step') if event['name'] == 'result'], ['820'] * 40)


@check
def warps_meet_at_barriers_and_exchange_through_memory():
    picture, trace = both('block')
    in_warps = [move for base in (0, 32) for move in beside(moves(32, *(('xor', 1 << k) for k in range(5))), base)]
    equal(sorted(trace.flows()), sorted(in_warps))
    equal(len(picture.arrows()), len(in_warps))
    equal([picture.count(f'warp {warp}') for warp in range(3)], [1, 1, 0])
    assert len(trace.of('i', 'barrier')) == 64 * picture.count('barrier') - 64, 'a barrier more is in the legend'
    equal({LINES[name] for name in ('write', 'barrier', 'read', 'block')}, set(trace.sources()))
    written = [event['args'] for event in trace.of('X', 'step') if event['name'] == 'write']
    equal([(one['index'], one['value']) for one in written][:64], [(63 - lane, str(lane)) for lane in range(64)])
    equal(len(written), 64 + 2, 'writes: each lane, then one lane a warp')
    equal([event['args']['value'] for event in trace.of('X', 'step') if event['name'] == 'result'], ['2016'] * 64)


@check
def nested_tiles_share_the_steps_of_their_call():
    picture, trace = both('nested')
    equal([picture.count(step) for step in ('xor 1', 'xor 2', 'xor 4', 'xor 8', 'down 1', 'received')], [2, 2, 1, 1, 1, 1])
    equal(trace.sources(), {LINES['inner']: set(range(32)), LINES['outer']: set(range(32))})
    equal(len(trace.flows()), 32 * 2 + 8 * 3 + 32 * 4)


@check
def siblings_in_different_calls_are_greyed():
    picture, trace = both('siblings')
    equal(trace.sources(), {LINES['first sibling']: set(range(8)), LINES['second sibling']: set(range(8, 16)),
                            LINES['shfl']: set(range(16))})
    equal(picture.count('tile.shfl'), 1, 'what the tiles do together stands once')
    equal(len(picture.of_class('rect', 'off')), 4 + 4)


@check
def tiles_leave_a_loop_one_after_another():
    picture, trace = both('loops')
    equal(picture.count('reduce'), 4)
    equal(len(trace.of('X', 'call')), 2 * (1 + 2 + 3 + 4) + 8)
    equal(len(trace.of('i', 'barrier')), 8)


@check
def what_follows_the_last_step_is_counted():
    picture, trace = both('long_loop')
    said = '... 44 more steps; a trace shows the first 256'
    equal(picture.count(said), 1)
    equal(trace.whole['otherData']['more_steps'], 44)
    equal(len(trace.flows()), 2 * 256)
    equal([event['name'] for event in trace.of('i', 'end')], [said])


@check
def values_are_formatted_by_their_type():
    picture, trace = both('structs')
    equal(picture.count('-1,2,3'), 2)
    equal(trace.of('X', 'step')[4]['args']['value'], '0x40000000000000003ff0000000000000')
    operands = [event['args']['value'] for event in Trace('operands').of('X', 'step')[::2]]
    equal(operands, ['{{0.5,0},{3,3}}', '{2,-1}', '{1,4,0}', '{2,1,{3,4}}', '{97,{7,9223372036854775807}}', '0x0000000200000001'])
    floats = Trace('floats')
    equal(floats.of('X', 'step')[1]['args']['value'], '0.37')


# ---- How it looks

LETTERS = {'name': 13 * .61, 'mid': 11 * .61, 'small': 9 * .61, 'tiny': 7.5 * .61, 'label': 11 * .61}


def extent(text, word):
    style = text.get('class').split()
    letter = next((LETTERS[name] for name in style if name in LETTERS), 12 * .61)
    x, width = float(text.get('x')), letter * len(word)
    anchor = 'middle' if {'mid', 'small', 'tiny'} & set(style) else 'end' if {'label', 'site'} & set(style) else 'start'
    left = x - {'start': 0, 'middle': width / 2, 'end': width}[anchor]
    return left, left + width


@check
def pictures_are_at_most_1200_wide_and_no_texts_overlap():
    for case in ('sum', 'scan', 'floats', 'votes', 'block', 'nested', 'siblings', 'structs', 'diverging', 'racing', 'wide', 'long_loop'):
        picture = Picture(case)
        assert picture.width <= 1200, f'{case}: {picture.width} wide'
        rows = collections.defaultdict(list)
        for text, word in zip(picture.texts, picture.words()):
            if word and text.get('x'):
                rows[text.get('y')].append((*extent(text, word), word))
        for row in rows.values():
            row.sort()
            assert row[0][0] >= 0 and row[-1][1] <= picture.width, f'{case}: {row} is outside of the picture'
            for one, other in zip(row, row[1:]):
                assert one[1] <= other[0] + 1, f'{case}: {one[2]!r} and {other[2]!r} overlap'


@check
def a_picture_is_a_file_of_its_own_with_colors_for_the_dark():
    text = Picture('sum').path.read_text()
    assert 'prefers-color-scheme: dark' in text
    equal(re.findall(r'(?:href|src|@import)[ =]', text), [], 'references')
    used = {name for one in re.findall(r'class="([^"]*)"', text) for name in one.split()}
    equal(sorted(name for name in used if f'.{name} ' not in text), [], 'classes without a style')


@check
def a_block_of_1024_lanes_is_drawn_without_values():
    picture, trace = both('wide')
    equal(len(picture.arrows()), len(trace.flows()))
    assert len(trace.flows()) >= 5 * 1024


# ---- How a launch ends

@check
def a_misuse_is_drawn_with_the_calls_that_disagree():
    picture, trace = both('diverging')
    assert 'recorded in ' + folder.name in picture.said, picture.said
    equal(picture.count('the launch ended here: divergent call'), 1)
    equal(picture.count('lanes 0-4: waiting in reduce'), 1)
    equal(picture.count('lanes 5-15: waiting in inclusive_scan'), 1)
    equal(picture.count(f'trace_cases.cpp:{LINES["five lanes"]}'), 1)
    equal(picture.count(f'trace_cases.cpp:{LINES["other lanes"]}'), 1)
    ends = [event for event in trace.of('i', 'end') if event['s'] == 't']
    equal({event['tid'] for event in ends if event['args']['at_fault']}, set(range(16)))
    equal(trace.whole['otherData']['failure'], 'divergent call')


@check
def the_lane_that_broke_a_rule_by_itself_is_marked():
    picture, trace = both('racing', TESSERA_HOST_SCHEDULE='ascending')
    ends = [event for event in trace.of('i', 'end') if event['s'] == 't']
    equal({event['name'] for event in ends if event['args']['at_fault']}, {'stopped: race in shared memory'})
    assert all(f':{LINES["race"]}' in event['args']['source'] for event in ends if event['args']['at_fault'])
    equal(picture.count('lane 0: left the kernel'), 1)


@check
def an_exception_is_drawn():
    picture, trace = both('throwing')
    assert picture.said.startswith('lane 3 throws'), picture.said
    equal(picture.count('lane 3: threw an exception'), 1)
    equal(picture.count('lanes 0-2, 4-7: waiting in reduce'), 1)
    equal(len(trace.flows()), 24)


@check
def a_report_names_the_command_that_draws_it():
    _, said = run('diverging', 'none.json', TESSERA_HOST_TRACE='')
    assert '\n  draw it: TESSERA_HOST_TRACE=misuse.json ./program ...; tools/draw_trace misuse.json\n  replay with ' \
        'TESSERA_HOST_SCHEDULE=' in said, said


# ---- Which launch and which block

def value_of(trace):
    return trace.of('X', 'step')[0]['args']['value']


@check
def the_first_launch_and_block_0_unless_others_are_asked_for():
    equal(value_of(Trace('several')), '0')
    equal(value_of(Trace('several', TESSERA_HOST_TRACE_LAUNCH='3')), '200')
    equal(value_of(Trace('several', TESSERA_HOST_TRACE_LAUNCH='2', TESSERA_HOST_TRACE_BLOCK='3')), '103')
    _, said = run('several', 'none.json', TESSERA_HOST_TRACE_BLOCK='4')
    equal(said, 'trace: there is no block 4 in a grid of 4\n')


@check
def the_first_misuse_takes_the_place_of_the_first_launch():
    trace = Trace('wrong_at_last')
    equal(trace.whole['otherData']['failure'], 'exited lane')
    assert 'block (1,0,0) of 3x1x1' in trace.whole['otherData']['block'], trace.whole['otherData']
    left = [event['tid'] for event in trace.of('i', 'end') if event['name'] == 'left the kernel']
    equal(left, [0], 'of the first misuse')
    equal([trace.said.count(line) for line in ('recorded in', 'draw it')], [1, 1])


@check
def launches_on_several_threads_write_one_file():
    for _ in range(5):
        expect_moves('threads', moves(8, ('xor', 1), ('xor', 2), ('xor', 4)))


# ---- Files

@check
def another_suffix_is_refused():
    for name in ('sum.svg', 'sum.png', 'json'):
        path, said = run('sum', name)
        assert not path.exists()
        equal(said, f"trace: {path} doesn't end in .json. tools/draw_trace draws a picture of such a file.\n")


@check
def a_file_that_can_not_be_written_is_named():
    _, said = run('sum', 'no/such/folder/sum.json')
    assert said.startswith("trace: can't write ") and 'no/such/folder/sum.json: ' in said, said


@check
def a_picture_goes_where_it_is_asked_to_go():
    path, _ = run('sum', 'asked.json')
    drawn, other = draw(path, '--out', '-').stdout, path.with_name('other.svg')
    equal(draw(path, '--out', other).returncode, 0)
    equal(other.read_text(), drawn)
    assert not path.with_suffix('.svg').exists()
    equal(draw(path).returncode, 0)
    equal(path.with_suffix('.svg').read_text(), drawn)


@check
def what_is_no_trace_is_named():
    path = pathlib.Path(folder.name, 'no_trace.json')
    for text in (None, '', '[]', '{"traceEvents": []}', '{"otherData": {}, "traceEvents": [{}]}'):
        if text is not None:
            path.write_text(text)
        done = draw(path)
        equal(done.returncode, 1)
        assert done.stderr.startswith(f"draw_trace: {path} isn't the trace of a launch: "), done.stderr
        equal(done.stderr.count('\n'), 1)


sys.exit(tap.run())
