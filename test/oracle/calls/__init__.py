"""The table of the oracle's calls: a row for each collective of a tile, in a file for each family.

A call (call.py) is a choice in each dimension. A row (collective.py) has the choices that its collective takes, and writes the text of
the call and of the model's call. rules.py lists the combinations that don't exist, with the reasons.
"""
from . import (reduce, segmented, neighbors, sort, merge, top_k, movement, vote, match, partition, memory, atomic,  # noqa: F401
               load_store, joint_sort, joint_reduce, search, joint_scan)  # the order of the rows decides which calls are drawn
from .collective import COLLECTIVES  # noqa: F401
