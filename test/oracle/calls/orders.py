"""Predicates that calls are drawn with: orders, and relations of equality."""

RARE_FIRST = '[](auto const& a, auto const& b) { return oracle::is_rare(a) && !oracle::is_rare(b); }'  # most values are in this order

# What sorts are drawn with, and what it is by definition.
ORDERS = {
    'less': ('tessera::less{}', 'oracle::model::rising{}'),
    'greater': ('tessera::greater{}', 'oracle::model::falling{}'),
    'std_less': ('std::less<>{}', 'oracle::model::rising{}'),
    'rare': (RARE_FIRST, RARE_FIRST),
}
# Equivalence relations, with long and with short runs of random values.
EQUALS = {like: f'[](auto const& a, auto const& b) {{ return oracle::{like}(a) == oracle::{like}(b); }}' for like in ('is_rare', 'is_high')}
