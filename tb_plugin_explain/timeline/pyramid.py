"""Merged rectangles of all tracks at pixels that grow by a factor of four, computed once.

Invariants: all levels together have no more rectangles than there are events; any range of events of a
track, seen at any pixel, is the same from the pyramid as from the events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from tb_plugin_explain.timeline.merging import Rectangles, joined, merge
from tb_plugin_explain.trace.model import Int64s

FACTOR = 4
FINEST_PIXEL_NS = 1000
# A level that saves less than this over the one below it is not worth its place.
_MOST_OF_LEVEL_BELOW = 0.5
# A rectangle of a level is made of no more of the level below: so many are read at a window's edge.
_MOST_OF_ONE = 64
# Events that are merged at once; a multiple of that number, so that it makes no difference.
_AT_A_TIME = _MOST_OF_ONE * 2**9

Column = npt.NDArray[Any]


def place_in(column: Column, value: int, side: Literal["left", "right"] = "left") -> int:
    """Where a value belongs in a sorted column of any integer type, which is not copied to compare."""
    limits = np.iinfo(column.dtype)
    if value < limits.min:
        return 0
    if value > limits.max:
        return len(column)
    return int(np.searchsorted(column, column.dtype.type(value), side=side))


def narrowed(column: Column) -> Column:
    """Integers in the smallest type that holds them all; others as they are."""
    if column.dtype.kind not in "iu" or not column.size:
        return column
    low, high = int(column.min()), int(column.max())
    for dtype in (np.uint8, np.uint16, np.int32, np.uint32):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return column.astype(dtype, copy=False)
    return column


class Level(Struct, frozen=True, eq=False):
    """The rectangles of one pixel. offsets: where each track begins, and the end of the last."""

    pixel_ns: int
    offsets: Int64s
    start_ns: Column
    length_ns: Column
    longest_ns: Column
    covered_ns: Column
    first: Column
    category: Column

    def __len__(self) -> int:
        return len(self.start_ns)

    def as_rectangles(self, left: int, right: int, track: int | Int64s, until: int) -> Rectangles:
        """Some of the rectangles. track: of all or of each; until: number of the event after their last."""
        part = slice(left, right)
        start = self.start_ns[part].astype(np.int64)
        first = self.first[part].astype(np.int64)
        return Rectangles(
            start,
            start + self.length_ns[part],
            self.longest_ns[part].astype(np.int64),
            self.covered_ns[part].astype(np.int64),
            first,
            np.diff(first, append=until),
            self.category[part],
            np.full(right - left, track),
        )


class Tracks(Struct, frozen=True, eq=False, dict=True):
    """The events of all tracks, by track and start, and their pyramid.

    offsets: where each track begins, and the end of the last. start_ns, duration_ns: integers of any
    size. kind: index into ``categories``, by event.
    """

    offsets: Int64s
    start_ns: Column
    duration_ns: Column
    kind: Column
    categories: Column
    levels: Sequence[Level]

    @cached_property
    def _pixels(self) -> Sequence[int]:
        return [level.pixel_ns for level in self.levels]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def events_in(self, track: int, from_ns: int, to_ns: int) -> tuple[int, int]:
        """The events of a track that overlap ``[from, to)``: number of the first, and after the last."""
        low, high = int(self.offsets[track]), int(self.offsets[track + 1])
        start = self.start_ns[low:high]
        first = low + place_in(start, from_ns)
        last = low + place_in(start, to_ns)
        if first > low and int(self.start_ns[first - 1]) + int(self.duration_ns[first - 1]) > from_ns:
            first -= 1
        return first, max(first, last)

    def pieces(self, track: int, first: int, last: int, pixel_ns: float) -> Iterator[Rectangles]:
        """Rectangles that stand for exactly the events of a range, merged at the pixel or finer."""
        coarsest = int(np.searchsorted(self._pixels, pixel_ns, side="right")) - 1
        yield from self._descend(coarsest, track, first, last)

    def _descend(self, depth: int, track: int, first: int, last: int) -> Iterator[Rectangles]:
        """From a level down: the whole rectangles in the middle, the rest of both edges from below."""
        if first >= last:
            return
        if depth < 0:
            yield self.as_rectangles(first, last, track)
            return
        level = self.levels[depth]
        low, high = int(level.offsets[track]), int(level.offsets[track + 1])
        begins = level.first[low:high]
        left = low + place_in(begins, first)
        right = high
        if last < self.offsets[track + 1]:
            right = low + place_in(begins, last, "right") - 1
        if left >= right:
            yield from self._descend(depth - 1, track, first, last)
            return
        until = last if right == high else int(level.first[right])
        yield from self._descend(depth - 1, track, first, int(level.first[left]))
        yield level.as_rectangles(left, right, track, until)
        yield from self._descend(depth - 1, track, until, last)

    def as_rectangles(self, first: int, last: int, track: int | Int64s) -> Rectangles:
        """One rectangle an event, for a range of them. track: of all or of each."""
        start = self.start_ns[first:last].astype(np.int64)
        duration = self.duration_ns[first:last].astype(np.int64)
        return Rectangles(
            start,
            start + duration,
            duration,
            duration,
            np.arange(first, last),
            np.ones(last - first, np.int64),
            self.categories[self.kind[first:last]],
            np.full(last - first, track),
        )


def _pieces(events: Tracks, below: Level | None) -> Iterator[Rectangles]:
    """All rectangles of a level, or all events, some at a time: all at once would take much memory."""
    count = len(events.start_ns)
    offsets, size = (events.offsets, count) if below is None else (below.offsets, len(below))
    for left in range(0, size, _AT_A_TIME):
        right = min(left + _AT_A_TIME, size)
        track = np.searchsorted(offsets, np.arange(left, right), side="right") - 1
        if below is None:
            yield events.as_rectangles(left, right, track)
        else:
            until = int(below.first[right]) if right < size else count
            yield below.as_rectangles(left, right, track, until)


def _merged(pieces: Iterator[Rectangles], pixel_ns: int, most: float, tracks: int) -> Level | None:
    """A level from the one below it; None where it would have more than ``most`` rectangles."""
    parts: list[tuple[Column, ...]] = []
    of_track = np.zeros(tracks + 1, np.int64)
    made = 0
    for piece in pieces:
        found = merge(piece, pixel_ns, _MOST_OF_ONE)
        made += len(found)
        if made > most:
            return None
        of_track += np.bincount(found.track + 1, minlength=tracks + 1)
        columns = (
            found.start_ns,
            found.end_ns - found.start_ns,
            found.longest_ns,
            found.covered_ns,
            found.first,
        )
        parts.append((*map(narrowed, columns), found.category))
    return Level(pixel_ns, np.cumsum(of_track), *map(np.concatenate, zip(*parts, strict=True)))


def find_levels(events: Tracks) -> list[Level]:
    """The levels above the events, the finest first."""
    count, tracks = len(events.start_ns), len(events)
    if not count:
        return []
    span_ns = int(events.start_ns.max()) + int(events.duration_ns.max()) - int(events.start_ns.min())
    levels: list[Level] = []
    below: Level | None = None
    pixel_ns, size, room = FINEST_PIXEL_NS, count, count
    while pixel_ns < span_ns and size > tracks:
        most = min(_MOST_OF_LEVEL_BELOW * size, room)
        level = _merged(_pieces(events, below), pixel_ns, most, tracks)
        if level is not None:
            levels.append(level)
            below, size, room = level, len(level), room - len(level)
        pixel_ns *= FACTOR
    return levels


def find_rectangles(
    tracks: Tracks, chosen: Sequence[int], from_ns: int, to_ns: int, pixel_ns: float
) -> Rectangles | None:
    """The events of some tracks that overlap a window, merged at a pixel; None where there are none."""
    parts: list[Rectangles] = []
    for track in chosen:
        parts += tracks.pieces(track, *tracks.events_in(track, from_ns, to_ns), pixel_ns)
    return merge(joined(parts), pixel_ns) if parts else None


def build_tracks(
    offsets: Int64s, start_ns: Column, duration_ns: Column, kind: Column, categories: Column
) -> Tracks:
    """The pyramid over events that stand by track and start; those of one track do not overlap."""
    flat = Tracks(offsets, start_ns, duration_ns, kind, categories, [])
    return replace(flat, levels=find_levels(flat))


_LEVEL_COLUMNS = ("start_ns", "length_ns", "longest_ns", "covered_ns", "first", "category")
_EVENT_COLUMNS = ("offsets", "start_ns", "duration_ns", "kind", "categories")


def to_columns(tracks: Tracks, prefix: str) -> dict[str, Column]:
    """The tracks as named columns, to be kept; ``from_columns`` undoes it."""
    columns = {f"{prefix}_{name}": getattr(tracks, name) for name in _EVENT_COLUMNS}
    columns[f"{prefix}_pixels"] = np.array([level.pixel_ns for level in tracks.levels], np.int64)
    sizes = [len(level.start_ns) for level in tracks.levels]
    columns[f"{prefix}_level_ends"] = np.cumsum([0, *sizes]).astype(np.int64)
    columns[f"{prefix}_level_offsets"] = np.array(
        [level.offsets for level in tracks.levels], np.int64
    ).reshape(len(sizes), len(tracks) + 1)
    for name in _LEVEL_COLUMNS:
        parts = [getattr(level, name) for level in tracks.levels]
        columns[f"{prefix}_level_{name}"] = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return columns


def from_columns(columns: Mapping[str, Column], prefix: str) -> Tracks:
    """The tracks from their columns."""
    pixels = columns[f"{prefix}_pixels"].tolist()
    ends = columns[f"{prefix}_level_ends"].tolist()
    levels = [
        Level(
            pixel_ns,
            columns[f"{prefix}_level_offsets"][i],
            *(columns[f"{prefix}_level_{name}"][ends[i] : ends[i + 1]] for name in _LEVEL_COLUMNS),
        )
        for i, pixel_ns in enumerate(pixels)
    ]
    offsets, start_ns, duration_ns, kind, categories = (
        columns[f"{prefix}_{name}"] for name in _EVENT_COLUMNS
    )
    return Tracks(offsets, start_ns, duration_ns, kind, categories, levels)
