"""Which of several events is the longest: the one that stands for them on the timeline.

Of equal ones it is the first in the file.
"""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.trace.model import NONE, Int32s, Int64s


def longest_of(length_ns: Int64s, row: Int64s) -> int:
    """The row of the longest event of one group; -1 without any."""
    return int(longest_rows(np.zeros(len(row), np.int64), length_ns, row, 1)[0])


def longest_rows(group: Int64s | Int32s, length_ns: Int64s, row: Int64s, groups: int) -> Int64s:
    """For each group, which are numbered from 0, the row of its longest event; -1 without any."""
    order = np.lexsort((-row, length_ns))
    found = np.full(groups, NONE, np.int64)
    # Of several values for one place the last stays.
    found[group[order]] = row[order]
    return found
