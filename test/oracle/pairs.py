"""A table of calls and of the choices that each takes in each dimension, and calls in which every two of these choices occur."""
import itertools


def rule(why, dimensions, allowed):
    """A combination that doesn't exist: the reason, the dimensions that it is about, and whether a call is none of it."""
    return (why, dimensions.split(), allowed)


class Table:
    """`entries` are the rows by name: an entry's `domains` has the choices in each dimension, None where it has none. The first of the
    `dimensions` is the name of the row. `make` makes a call, which has an attribute for each dimension. In `doubled` dimensions the
    first choice, the default, is drawn more often."""

    def __init__(self, entries, rules, dimensions, make, doubled=()):
        self.entries, self.rules, self.make, self.doubled = entries, rules, make, doubled
        self.name, self.chosen = dimensions[0], dimensions[1:]
        self.plans = {}  # of the calls of a row with choices in some dimensions

    def plan(self, name, fixed):
        """In what order a call of this row gets its choices, and the rules that apply before the first, after it, and so on: a rule does
        once all of its dimensions have values."""
        domains = self.entries[name].domains
        order = [d for d in self.chosen if domains.get(d)]
        order.sort(key=lambda d: d not in fixed)
        place = {d: i + 1 for i, d in enumerate(order)}
        due = [[] for _ in range(len(order) + 1)]
        for why, dimensions, allowed in self.rules:
            due[max(place.get(d, 0) for d in dimensions)].append(allowed)
        return order, due

    def complete(self, name, fixed, rng):
        """Returns a call of this row with these choices, if there is one. The other choices are drawn, with backtracking."""
        domains = self.entries[name].domains
        for dimension, value in fixed.items():
            if value not in (domains.get(dimension) or ()):
                return None
        key = name, *fixed
        if key not in self.plans:
            self.plans[key] = self.plan(name, fixed)
        order, due = self.plans[key]
        call = self.make(**{self.name: name})
        if not all(allowed(call) for allowed in due[0]):
            return None

        def extend(i):
            if i == len(order):
                return True
            if order[i] in fixed:
                values = [fixed[order[i]]]
            else:
                values = rng.sample(domains[order[i]], len(domains[order[i]]))
                if order[i] in self.doubled and rng.random() < 0.4:  # the default is one choice among the others
                    values.insert(0, domains[order[i]][0])
            for value in values:
                setattr(call, order[i], value)
                if all(allowed(call) for allowed in due[i + 1]) and extend(i + 1):
                    return True
            setattr(call, order[i], None)
            return False

        return call if extend(0) else None

    def all_pairs(self, rng):
        """Returns every pair of choices in two dimensions that some call has, with such a call."""
        pairs = {}

        def note(call):
            features = sorted(call.features())
            for pair in itertools.combinations(features, 2):
                pairs.setdefault(pair, call)

        values = {}
        for name, entry in self.entries.items():
            for dimension in self.chosen:
                for value in entry.domains.get(dimension) or ():
                    values.setdefault((dimension, value), []).append(name)
                    call = self.complete(name, {dimension: value}, rng)
                    if call:
                        note(call)
        for (a, x), (b, y) in itertools.combinations(sorted(values, key=str), 2):
            if a == b or tuple(sorted((f'{a} {x}', f'{b} {y}'))) in pairs:
                continue
            both = [name for name in values[a, x] if name in values[b, y]]
            rng.shuffle(both)
            for name in both:
                call = self.complete(name, {a: x, b: y}, rng)
                if call:
                    note(call)
                    break
        return pairs

    def covering_calls(self, pairs, rng):
        """Returns calls in which all pairs occur. Each call is the best of a few that have one of the remaining pairs."""
        left = set(pairs)
        calls = []
        for first, second in sorted(pairs):
            if (first, second) not in left:
                continue
            fixed = {}
            names = list(self.entries)
            for feature in (first, second):
                dimension, value = feature.split(' ', 1)
                if dimension == self.name:
                    names = [value]
                else:
                    fixed[dimension] = next(v for entry in self.entries.values() for v in entry.domains.get(dimension) or ()
                                            if str(v) == value)
            best, most = pairs[first, second], []
            for _ in range(30):
                call = self.complete(rng.choice(names), fixed, rng)
                if call is None:
                    continue
                found = [p for p in itertools.combinations(sorted(call.features()), 2) if p in left]
                if len(found) > len(most):
                    best, most = call, found
            if not most:
                most = [p for p in itertools.combinations(sorted(best.features()), 2) if p in left]
            left.difference_update(most)
            calls.append(best)
        return calls
