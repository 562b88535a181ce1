"""Which operator of a thread ran at an instant (docs/definitions/memory.md, Blocks).

Invariant: the operator found covers the instant, and none that covers it began later.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import NONE, Category, Int64s, Trace

_NEVER = 1 << 63  # Beyond every time of a trace.


def _outlasting(end_ns: Sequence[int]) -> list[int]:
    """For each operator of one thread the last one before it that ends later, -1 where there is none."""
    stack, open_until = [NONE], [_NEVER]
    found = []
    for i, end in enumerate(end_ns):
        while open_until[-1] <= end:
            stack.pop()
            open_until.pop()
        found.append(stack[-1])
        stack.append(i)
        open_until.append(end)
    return found


def _innermost(start_ns: Int64s, end_ns: Int64s, time_ns: Int64s) -> Int64s:
    """Position of the operator that covers each instant; operators by start, the longest first."""
    above = np.array([*_outlasting(end_ns.tolist()), NONE], np.int64)
    found = np.searchsorted(start_ns, time_ns, side="right") - 1
    while len(open_ := np.flatnonzero((found >= 0) & (end_ns[found] <= time_ns))):
        found[open_] = above[found[open_]]
    return found


def _around(trace: Trace, operators: Int64s, time_ns: Int64s) -> Int64s:
    """Of the operators of one thread those that cover any of the instants: by start, the longest first."""
    events, times = trace.events, np.sort(time_ns)
    start, end = events.start_ns[operators], events.end_ns_of(operators)
    covering = operators[np.searchsorted(times, start) < np.searchsorted(times, end)]
    return covering[np.lexsort((-events.end_ns_of(covering), events.start_ns[covering]))]


def operators_at(trace: Trace, rows: Int64s) -> Int64s:
    """Row of the innermost operator on the thread of each row when that row starts, -1 where none ran."""
    events = trace.events
    lane, time = events.lane[rows], events.start_ns[rows]
    asked_lanes = np.zeros(len(trace.lanes), np.bool_)
    asked_lanes[lane] = True
    chosen = trace.is_category(Category.CPU_OP) & asked_lanes[events.lane] & ~trace.lost & ~trace.is_step
    operators = np.flatnonzero(chosen)
    lane_of_operator = events.lane[operators]
    result = np.full(len(rows), NONE, np.int64)
    for number in distinct(lane).tolist():
        asked = np.flatnonzero(lane == number)
        mine = _around(trace, operators[lane_of_operator == number], time[asked])
        if len(mine):
            place = _innermost(events.start_ns[mine], events.end_ns_of(mine), time[asked])
            result[asked] = np.where(place >= 0, mine[place], NONE)
    return result
