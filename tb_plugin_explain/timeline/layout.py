"""Which lane each event stands on, and on which of its rows.

Events of threads stand as deep as they are nested (docs/definitions/nesting.md), all others in the
first row that is free. Invariant: the events of one row do not overlap.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.nesting import CPU_EVENTS, Nesting
from tb_plugin_explain.timeline.schema import LaneKind
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace

UInt16s = npt.NDArray[np.uint16]

# Above each other on a stream: what names a part of the program, waits, work.
_BANDS = ((Category.GPU_ANNOTATION,), (Category.SYNC_ROW,), GPU_WORK)
_KINDS: Sequence[tuple[LaneKind, Sequence[Category]]] = (
    ("thread", CPU_EVENTS),
    ("stream", (Category.GPU_ANNOTATION, Category.SYNC_ROW, *GPU_WORK)),
    ("overhead", (Category.OVERHEAD,)),
    ("other", (Category.OTHER,)),
)


class PlacedLane(Struct, frozen=True, eq=False):
    """One lane: its events of one kind on one lane of the file. rows: of the trace, by start."""

    kind: LaneKind
    trace_lane: int
    rows: Int64s
    depth: UInt16s

    @property
    def height(self) -> int:
        return int(self.depth.max()) + 1


class Layout(Struct, frozen=True, eq=False):
    """The lanes in the order of the file, and how many events have no place."""

    lanes: Sequence[PlacedLane]
    instants: int
    lost: int


def first_free_rows(start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """The lowest row that is free when each event starts; events by start."""
    rows = np.zeros(len(start_ns), np.int64)
    if not len(rows) or (start_ns[1:] >= np.maximum.accumulate(end_ns)[:-1]).all():
        return rows
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for i, (start, end) in enumerate(zip(start_ns.tolist(), end_ns.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        row = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (end, row))
        rows[i] = row
    return rows


def _depths(trace: Trace, kind: LaneKind, rows: Int64s, nesting: Nesting) -> UInt16s:
    """Row of each event of one lane; ``rows`` by start, the longest first."""
    if kind == "thread":
        return nesting.depth[rows]
    events = trace.events
    depth = np.zeros(len(rows), np.uint16)
    height = 0
    for band in _BANDS if kind == "stream" else (tuple(Category),):
        mine = np.flatnonzero(np.isin(events.category[rows], band))
        if len(mine):
            chosen = rows[mine]
            depth[mine] = height + first_free_rows(events.start_ns[chosen], events.end_ns_of(chosen))
            height = int(depth[mine].max()) + 1
    return depth


def _ordered(trace: Trace, kind: LaneKind, chosen: Bools, nesting: Nesting) -> Int64s:
    """The marked rows by lane and start, the longest first."""
    if kind == "thread":
        return nesting.order.astype(np.int64)
    events, rows = trace.events, np.flatnonzero(chosen)
    return rows[np.lexsort((-events.end_ns_of(rows), events.start_ns[rows], events.lane[rows]))]


def _by_lane(trace: Trace, rows: Int64s) -> Sequence[Int64s]:
    """The rows of each lane that has any, in their order."""
    events = trace.events
    edges = np.flatnonzero(np.diff(events.lane[rows])) + 1
    return [part for part in np.split(rows, edges) if len(part)]


def lay_out(trace: Trace, nesting: Nesting) -> Layout:
    """Places every event that has a time and is no instant."""
    events = trace.events
    lost = trace.lost
    instants = trace.is_category(Category.INSTANT) & ~lost
    lanes = [
        PlacedLane(kind, int(events.lane[rows[0]]), rows, _depths(trace, kind, rows, nesting))
        for kind, categories in _KINDS
        for rows in _by_lane(trace, _ordered(trace, kind, trace.is_category(*categories) & ~lost, nesting))
    ]
    return Layout(lanes, int(instants.sum()), int(lost.sum()))
