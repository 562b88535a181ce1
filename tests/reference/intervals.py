"""Half-open intervals of integer nanoseconds: lists of (start, end), sorted and disjoint."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Intervals = list[tuple[int, int]]


def union(pairs: Iterable[tuple[int, int]]) -> Intervals:
    """The union, empty intervals left out, touching ones merged."""
    merged: Intervals = []
    for start, end in sorted(pair for pair in pairs if pair[0] < pair[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def length(intervals: Intervals) -> int:
    return sum(end - start for start, end in intervals)


def subtract(intervals: Intervals, holes: Intervals) -> Intervals:
    """What of `intervals` no hole covers; both sorted and disjoint."""
    left: Intervals = []
    first = 0
    for start, end in intervals:
        while first < len(holes) and holes[first][1] <= start:
            first += 1
        position = start
        hole = first
        while hole < len(holes) and holes[hole][0] < end:
            if holes[hole][0] > position:
                left.append((position, holes[hole][0]))
            position = max(position, holes[hole][1])
            hole += 1
        if position < end:
            left.append((position, end))
    return left


class Cover:
    """A union that is asked often: which parts of [lo, hi) does it cover?"""

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        self.parts = union(pairs)
        self.starts = [start for start, _ in self.parts]

    def clip(self, lo: int, hi: int) -> Intervals:
        found: Intervals = []
        position = max(bisect_right(self.starts, lo) - 1, 0)
        while position < len(self.parts) and self.parts[position][0] < hi:
            start, end = self.parts[position]
            if max(start, lo) < min(end, hi):
                found.append((max(start, lo), min(end, hi)))
            position += 1
        return found

    def within(self, intervals: Intervals) -> Intervals:
        """The parts of `intervals` that this union covers."""
        return [part for start, end in intervals for part in self.clip(start, end)]


def take(rest: Intervals, cover: Cover) -> tuple[Intervals, Intervals]:
    """First match: (what `cover` takes of `rest`, what then remains)."""
    matched = cover.within(rest)
    return matched, subtract(rest, matched)


def before(intervals: Intervals, instant: int) -> Intervals:
    return [(start, min(end, instant)) for start, end in intervals if start < instant]


def after(intervals: Intervals, instant: int) -> Intervals:
    return [(max(start, instant), end) for start, end in intervals if end > instant]
