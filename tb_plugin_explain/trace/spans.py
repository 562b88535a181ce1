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
        return np.concatenate(([0], np.cumsum(self.end_ns - self.start_ns)))

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
        starts, ends = np.asarray(start_ns, np.int64), np.asarray(end_ns, np.int64)
        return self.length_before(np.maximum(ends, starts)) - self.length_before(starts)

    def contains(self, time_ns: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each instant lies in the set."""
        times = np.asarray(time_ns, np.int64)
        if not len(self):
            return np.zeros(times.shape, np.bool_)
        index = self.start_ns.searchsorted(times, side="right") - 1
        return (index >= 0) & (times < self.end_ns[np.maximum(index, 0)])


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
    starts, ends = start_ns[real], end_ns[real]
    if not len(starts):
        return nothing()
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    reach = np.maximum.accumulate(ends[order])
    opens = np.concatenate(([True], starts[1:] > reach[:-1]))
    closes = np.concatenate((opens[1:], [True]))
    return Spans(starts[opens], reach[closes])


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
    low = int(max(a.start_ns[0], b.start_ns[0]))
    high = int(min(a.end_ns[-1], b.end_ns[-1]))
    a, b = within(a, low, high), within(b, low, high)
    if not len(a) or not len(b):
        return nothing()
    cuts = np.sort(np.concatenate((a.start_ns, a.end_ns, b.start_ns, b.end_ns)))
    both = a.contains(cuts[:-1]) & b.contains(cuts[:-1])
    return union(cuts[:-1][both], cuts[1:][both])


def subtract(a: Spans, b: Spans) -> Spans:
    """What the first set covers and the second does not."""
    if not len(a) or not len(b):
        return a
    return intersect(a, complement(b, int(a.start_ns[0]), int(a.end_ns[-1])))
