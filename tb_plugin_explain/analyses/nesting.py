"""Which event of the CPU made which: the tree of every thread.

docs/definitions/nesting.md. Invariant: the children of an event do not overlap, and their cut
lengths sum to at most its own.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.trace.model import NONE, Bools, Category, Int32s, Int64s, Trace, UInt8s
from tb_plugin_explain.trace.native import native_sweep

CPU_EVENTS = (
    Category.CPU_OP,
    Category.ANNOTATION,
    Category.PYTHON,
    Category.RUNTIME,
    Category.DRIVER,
)

# Files write whole microseconds at the coarsest; what outlasts another by less may be rounded.
ROUNDING_NS = 1000

_RANK_ANNOTATION = 1
_RANK_OPERATOR = 2
_NEVER = np.iinfo(np.int64).max


def _sweep(start_ns: Int64s, end_ns: Int64s, rank: UInt8s) -> tuple[Int64s, Int64s, Int64s]:
    """Of each event of one thread, in the order of nesting.md: its parent (position, -1: none), its cut end,
    and the position beyond its last descendant’s."""
    sweep = native_sweep()
    if not sweep:
        parents, ends, last = sweep_lists(start_ns.tolist(), end_ns.tolist(), rank.tobytes())
        return np.array(parents, np.int64), np.array(ends, np.int64), np.array(last, np.int64)
    parent, cut_ns, beyond = np.empty_like(start_ns), end_ns.copy(), np.empty_like(start_ns)
    sweep(start_ns, cut_ns, rank, ROUNDING_NS, parent, beyond)
    return parent, cut_ns, beyond


def sweep_lists(start: list[int], end: list[int], rank: bytes) -> tuple[list[int], list[int], list[int]]:
    """The same where nothing is compiled.

    The stack holds positions; below all stands -1, whose end and rank are the last of the lists.
    """
    ends, ranks = [*end, _NEVER], rank + bytes([_RANK_OPERATOR])
    stack, top, top_end = [-1], -1, _NEVER
    parents, beyond = [], [len(start)] * len(start)
    for i, begin in enumerate(start):
        while top_end <= begin:
            beyond[stack.pop()] = i
            top = stack[-1]
            top_end = ends[top]
        finish = ends[i]
        if top_end < finish:
            while ends[top] < finish - ROUNDING_NS and ranks[top] < ranks[i]:
                ends[top] = begin
                beyond[stack.pop()] = i
                top = stack[-1]
            finish = ends[i] = min(finish, ends[top])
        parents.append(top)
        stack.append(i)
        top, top_end = i, finish
    return parents, ends[:-1], beyond


class Nesting(Struct, frozen=True, eq=False, dict=True):
    """The trees of all threads.

    order: rows of the CPU events, thread by thread, parents before their children.
    parent: by row of the trace, the row of its parent; -1 where it has none or is no CPU event.
    length_ns: by row, its cut length; 0 where it is no CPU event.
    """

    order: Int64s
    parent: Int32s
    length_ns: Int64s
    _last: Int32s

    def ordered(self, members: Bools) -> Int64s:
        """The marked rows among the CPU events, in the order of ``order``."""
        return self.order[members[self.order]]

    @cached_property
    def _position(self) -> Int32s:
        """Place of each row in ``order``, -1 where it has none."""
        position = np.full(len(self.parent), NONE, np.int32)
        position[self.order] = np.arange(len(self.order), dtype=np.int32)
        return position

    @cached_property
    def depth(self) -> npt.NDArray[np.uint16]:
        """By row, the number of its ancestors; 0 where it is no CPU event."""
        count = len(self.order)
        change = np.bincount(self._last, minlength=count + 1)[:count]
        np.subtract(1, change, out=change)  # Each event opens for those after it, and closes where it ends.
        change[:1] -= 1
        depth = np.zeros(len(self.parent), np.uint16)
        depth[self.order] = np.cumsum(change, out=change)
        return depth

    def inside(self, members: Bools) -> Bools:
        """Whether each row has an ancestor among the marked rows."""
        result = np.zeros(len(self.parent), np.bool_)
        chosen = np.flatnonzero(members[self.order])
        if len(chosen):
            reach = np.maximum.accumulate(self._last[chosen])
            outermost = np.append(True, chosen[1:] >= reach[:-1])
            # By turns outside and inside, up to each of these places.
            edges = np.stack((chosen[outermost] + 1, reach[outermost]), axis=1).reshape(-1)
            lengths = np.diff(edges, prepend=0, append=len(self.order))
            turns = np.zeros(len(lengths), np.bool_)
            turns[1::2] = True
            result[self.order] = np.repeat(turns, lengths)
        return result

    def nearest(self, rows: Int64s, members: Bools) -> Int64s:
        """The innermost ancestor of each row among the marked rows, -1 where there is none."""
        found = np.full(len(rows), NONE, np.int64)
        left = np.flatnonzero(rows >= 0) if members.any() else np.zeros(0, np.int64)
        above = self.parent[rows[left]]
        while len(left):
            left, above = left[above >= 0], above[above >= 0]
            hit = members[above]
            found[left[hit]] = above[hit]
            left, above = left[~hit], self.parent[above[~hit]]
        return found

    def outermost(self, rows: Int64s, members: Bools) -> Int64s:
        """The outermost marked row among each row and its ancestors, -1 where there is none."""
        tops = np.flatnonzero((members & ~self.inside(members))[self.order])
        if not len(tops):
            return np.full(len(rows), NONE, np.int64)
        place = self._position[rows]
        candidate = tops[np.maximum(np.searchsorted(tops, place, side="right") - 1, 0)]
        inside = (candidate <= place) & (place < self._last[candidate])
        return np.where(inside, self.order[candidate], NONE)

    def top_of_run(self, rows: Int64s, members: Bools) -> Int64s:
        """From each row (-1 stays) up through marked rows alone: the last of them."""
        top = rows.copy()
        left = np.flatnonzero(top >= 0)
        while len(left):
            above = self.parent[top[left]]
            climbs = (above >= 0) & members[above]
            left = left[climbs]
            top[left] = above[climbs]
        return top


def _in_order(trace: Trace) -> Int64s:
    """Rows of the CPU events by thread, start, longest first, kind, and place in the file."""
    events = trace.events
    rows = np.flatnonzero(trace.is_category(*CPU_EVENTS) & ~trace.lost)
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    rows = rows[np.argsort(events.lane[rows], kind="stable")]
    lane, start = events.lane[rows], events.start_ns[rows]
    equal = (lane[1:] == lane[:-1]) & (start[1:] == start[:-1])
    tied = np.flatnonzero(np.append(equal, False) | np.insert(equal, 0, False))
    among = rows[tied]
    kind = events.category[among]
    kind[(kind != Category.RUNTIME) & (kind != Category.DRIVER)] = 0
    keys = (kind, -events.end_ns_of(among), events.start_ns[among], events.lane[among])
    rows[tied] = among[np.lexsort(keys)]
    return rows


def _ranks(trace: Trace) -> UInt8s:
    steps = trace.is_step
    rank = np.zeros(len(trace.events), np.uint8)
    rank[trace.is_category(Category.CPU_OP)] = _RANK_OPERATOR
    rank[trace.is_category(Category.ANNOTATION) | steps] = _RANK_ANNOTATION
    return rank


def find_nesting(trace: Trace) -> Nesting:
    """The trees of all threads of a trace."""
    events = trace.events
    rank = _ranks(trace)
    rows = _in_order(trace)
    parent = np.full(len(events), NONE, np.int32)
    length = np.zeros(len(events), np.int64)
    last = np.zeros(len(rows), np.int32)
    edges = np.flatnonzero(np.diff(events.lane[rows], prepend=-1, append=-1)).tolist() if len(rows) else []
    for low, high in pairwise(edges):
        mine = rows[low:high]
        start, end = events.start_ns[mine], events.end_ns_of(mine)
        above, ends, beyond = _sweep(start, end, rank[mine])
        parent[mine] = np.where(above >= 0, mine[above], NONE)
        length[mine] = ends - start
        last[low:high] = low + beyond
    return Nesting(rows, parent, length, last)


def begun_in(trace: Trace, nesting: Nesting, lane: int, begin_ns: int, end_ns: int) -> Int64s:
    """Rows of the CPU events of one thread that begin in a time, by start; without a pass over the trace."""
    events = trace.events

    def first_from(time_ns: int) -> int:
        found = (lane, time_ns)
        return bisect_left(nesting.order, found, key=lambda row: (events.lane[row], events.start_ns[row]))

    return nesting.order[first_from(begin_ns) : first_from(max(begin_ns, end_ns))].astype(np.int64)
