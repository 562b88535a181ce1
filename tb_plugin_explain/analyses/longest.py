"""Which of several events is the longest: the one that stands for them on the timeline.

Of equal ones it is the first in the file.
"""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.trace.model import NONE, Int32s, Int64s

_SHORTEST_NS = np.iinfo(np.int64).min
_LAST = np.iinfo(np.int64).max


def longest_of(length_ns: Int64s, row: Int64s) -> int:
    """The row of the longest event of one group; -1 without any."""
    return int(longest_rows(np.zeros(len(row), np.int64), length_ns, row, 1)[0])


def longest_rows(group: Int64s | Int32s, length_ns: Int64s, row: Int64s, groups: int) -> Int64s:
    """For each group, which are numbered from 0, the row of its longest event; -1 without any."""
    longest_ns = np.full(groups, _SHORTEST_NS, np.int64)
    np.maximum.at(longest_ns, group, length_ns)
    as_long = np.flatnonzero(length_ns == longest_ns[group])
    found = np.full(groups, _LAST, np.int64)
    np.minimum.at(found, group[as_long], row[as_long])
    found[found == _LAST] = NONE
    return found
