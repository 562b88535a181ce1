"""Sets of time as sorted, disjoint, non-empty half-open intervals of integer nanoseconds.

Every function is pure and takes O(n log n) at most.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.trace.model import Int64s


class Spans:
    """A set of time: ``start_ns[i] < end_ns[i] < start_ns[i + 1]``."""

    def __init__(self, start_ns: Int64s, end_ns: Int64s) -> None:
        self.start_ns = start_ns
        self.end_ns = end_ns

    def __len__(self) -> int:
        return len(self.start_ns)

    @cached_property
    def _before_ns(self) -> Int64s:
        """Length of the set before each of its intervals, and of the whole at the end."""
        before = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.end_ns - self.start_ns, out=before[1:])
        return before

    @property
    def length_ns(self) -> int:
        """|S|, the total length."""
        return int(self._before_ns[-1])

    def length_before(self, time_ns: npt.ArrayLike) -> Int64s:
        """Length of the part of the set that lies before each instant."""
        times = np.asarray(time_ns, np.int64)
        if not len(self):
            return np.zeros_like(times)
        index = self.start_ns.searchsorted(times, side="right")
        last = np.maximum(index - 1, 0)
        beyond = np.maximum(self.end_ns[last] - times, 0)
        return np.where(index > 0, self._before_ns[index] - beyond, 0)

    def covered(self, start_ns: npt.ArrayLike, end_ns: npt.ArrayLike) -> Int64s:
        """Length of the set inside each interval; 0 where the interval is empty."""
        starts = np.asarray(start_ns, np.int64)
        if not len(self):
            return np.zeros_like(starts)
        # Both ends are asked for at once: of a few intervals the calls cost more than the numbers.
        times = np.empty((2, *starts.shape), np.int64)
        times[0] = starts
        times[1] = np.maximum(starts, end_ns)
        before = self.length_before(times)
        inside: Int64s = before[1] - before[0]
        return inside


def nothing() -> Spans:
    """The empty set."""
    empty = np.zeros(0, np.int64)
    return Spans(empty, empty)


def interval(start_ns: int, end_ns: int) -> Spans:
    """One interval; empty where it ends before it starts."""
    if end_ns <= start_ns:
        return nothing()
    return Spans(np.array([start_ns], np.int64), np.array([end_ns], np.int64))


def union(start_ns: Int64s, end_ns: Int64s) -> Spans:
    """The union of intervals in any order; empty ones add nothing."""
    real = end_ns > start_ns
    if not real.all():
        start_ns, end_ns = start_ns[real], end_ns[real]
    if not len(start_ns):
        return nothing()
    if (start_ns[1:] < start_ns[:-1]).any():
        order = start_ns.argsort(kind="stable")
        start_ns, end_ns = start_ns[order], end_ns[order]
    reach = np.maximum.accumulate(end_ns)
    edges = np.ones(len(reach) + 1, np.bool_)
    np.greater(start_ns[1:], reach[:-1], out=edges[1:-1])
    return Spans(start_ns[edges[:-1]], reach[edges[1:]])


def unite(*sets: Spans) -> Spans:
    """The union of several sets."""
    return union(
        np.concatenate([s.start_ns for s in sets] or [np.zeros(0, np.int64)]),
        np.concatenate([s.end_ns for s in sets] or [np.zeros(0, np.int64)]),
    )


def within(spans: Spans, start_ns: int, end_ns: int) -> Spans:
    """The part of the set inside one interval."""
    if end_ns <= start_ns or not len(spans):
        return nothing()
    first = int(np.searchsorted(spans.end_ns, start_ns, side="right"))
    last = int(np.searchsorted(spans.start_ns, end_ns, side="left"))
    if first >= last:
        return nothing()
    return Spans(
        np.maximum(spans.start_ns[first:last], start_ns),
        np.minimum(spans.end_ns[first:last], end_ns),
    )


def complement(spans: Spans, start_ns: int, end_ns: int) -> Spans:
    """What the set leaves open of one interval."""
    inside = within(spans, start_ns, end_ns)
    starts = np.concatenate(([start_ns], inside.end_ns))
    ends = np.concatenate((inside.start_ns, [end_ns]))
    real = ends > starts
    return Spans(starts[real], ends[real])


def intersect(a: Spans, b: Spans) -> Spans:
    """What both sets cover."""
    if not len(a) or not len(b):
        return nothing()
    few, many = (a, b) if len(a) < len(b) else (b, a)
    first = many.end_ns.searchsorted(few.start_ns, side="right")
    count = many.start_ns.searchsorted(few.end_ns, side="left") - first
    # Each interval of the one with each that it meets of the other, in the order of time.
    mine = np.repeat(np.arange(len(few)), count)
    other = np.arange(len(mine)) + np.repeat(first - (np.cumsum(count) - count), count)
    return Spans(
        np.maximum(few.start_ns[mine], many.start_ns[other]),
        np.minimum(few.end_ns[mine], many.end_ns[other]),
    )


def subtract(a: Spans, b: Spans) -> Spans:
    """What the first set covers and the second does not."""
    if not len(a) or not len(b):
        return a
    return intersect(a, complement(b, int(a.start_ns[0]), int(a.end_ns[-1])))
