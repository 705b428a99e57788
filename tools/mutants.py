"""The list of mutants, test/mutants.txt: what it says of each, and a copy of the file that a mutant breaks.

tools/mutate tries those that tests must find, and tools/fuzz --planted those that the oracle must find.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / 'test/mutants.txt'
KINDS = ('offset', 'order', 'mask', 'identity', 'edge', 'barrier')  # of what tests must find: CALL: KIND: what is wrong
FINDERS = {None: 'tests', 'oracle': 'oracle', 'oracle of arrays': 'arrays'}
WHERE = re.compile(r'in (?P<file>\S+?)(?: \((?P<times>\d+) times\))?(?:, of (?P<sources>[^,]+))?,(?: the (?P<finder>oracle|oracle of arrays))?'
                   r' must fail: (?P<fails>.+)')


class Mutant:
    """One paragraph of the list."""

    def __init__(self, paragraph):
        self.name, where, *changes = paragraph.splitlines()
        of = WHERE.fullmatch(where)
        sides = {side: ' '.join(line[1:].strip() for line in changes if line[0] == side) for side in '-+'}
        if not of or not sides['-'] or not all(line[0] in '-+' for line in changes):
            raise SystemExit(f'{LIST}: I do not understand this mutant:\n\n{paragraph}')
        self.old, self.new = sides['-'], sides['+']
        self.file, self.times = of['file'], int(of['times'] or 1)
        self.finder, self.fails = FINDERS[of['finder']], of['fails'].split(', ')
        self.sources = (of['sources'] or '').split()  # what is compiled with the broken header, for the oracle of arrays

    @property
    def path(self):
        """Of the broken file, from the repository's root."""
        return pathlib.Path(self.file if self.file.startswith('test/') else f'include/tessera/{self.file}')

    def applied_to(self, text):
        """The mutated text; None where the mutant is stale. Any white space is as good as any other."""
        pattern = r'\s+'.join(re.escape(word) for word in self.old.split())
        mutated, found = re.subn(pattern, lambda _: self.new, text)
        return mutated if found == self.times else None

    def has_kind(self):
        return self.name.split(': ')[1:2][0] in KINDS

    def is_stale(self, root=ROOT):
        return self.applied_to((root / self.path).read_text()) is None

    def plant(self, folder, root=ROOT):
        """Writes the broken file into the folder, under its path in the repository. Returns whether the text to replace was there."""
        mutated = self.applied_to((root / self.path).read_text())
        if mutated is None:
            return False
        changed = pathlib.Path(folder, self.path)
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_text(mutated)
        return True


def read_list(*finders, names=()):
    """The mutants that these must find, by default all; with names, those whose names contain one of them."""
    text = '\n'.join(line.rstrip() for line in LIST.read_text().splitlines() if not line.startswith('#'))
    mutants = [Mutant(paragraph) for paragraph in re.split(r'\n{2,}', text.strip())]
    known = [(mutant.finder, mutant.name) for mutant in mutants]
    twice = sorted({name for finder, name in known if known.count((finder, name)) > 1})
    if twice:
        raise SystemExit(f'{LIST}: two mutants have the name {twice[0]}')
    return [mutant for mutant in mutants if (not finders or mutant.finder in finders) and
            (not names or any(name in mutant.name for name in names))]
