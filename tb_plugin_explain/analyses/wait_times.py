"""The time of each single wait, so that nothing counts twice, and the bubble of each.

docs/definitions/call_sites.md, Figures. Invariants: over the waits of a step the times sum to
``sync.total`` and ``sync.implicit``; over all waits the bubbles sum to the idle time of that cause.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_bubble import bubbles_of_waits
from tb_plugin_explain.analyses.sync_calls import Waits
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import NONE, Int64s
from tb_plugin_explain.trace.spans import Spans, intersect, nothing, subtract


class WaitTimes(Struct, frozen=True, eq=False):
    """One element a wait, in the order of ``Waits``; int64, in ns. total = busy + profiler + idle."""

    total_ns: Int64s
    gpu_busy_ns: Int64s
    profiler_ns: Int64s

    @property
    def gpu_idle_ns(self) -> Int64s:
        return self.total_ns - self.gpu_busy_ns - self.profiler_ns


def _by_begin(waits: Waits) -> Int64s:
    """Positions of the waits by start, longer first, then place in the file."""
    return np.lexsort((-waits.end_ns, waits.start_ns))


def _begins(waits: Waits) -> Int64s:
    """From when on each wait has its time: after all that its thread waited before, in its step."""
    begin = waits.start_ns.copy()
    order = np.lexsort((-waits.end_ns, waits.start_ns, waits.explicit, waits.step, waits.lane))
    keys = np.stack((waits.lane, waits.step, waits.explicit))[:, order]
    edges = np.flatnonzero(np.any(np.diff(keys, axis=1), axis=0)) + 1
    for members in np.split(order, edges):
        reach = np.maximum.accumulate(waits.end_ns[members])[:-1]
        begin[members[1:]] = np.maximum(begin[members[1:]], reach)
    return np.minimum(begin, waits.end_ns)


def _covered(spans: Spans, taken: Spans, start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """How much of each interval a set covers that is not taken."""
    return spans.covered(start_ns, end_ns) - intersect(spans, taken).covered(start_ns, end_ns)


def find_wait_times(recording: Recording, waits: Waits) -> WaitTimes:
    """The time of every wait and its split."""
    begins = _begins(waits)
    total, busy, profiler = (np.zeros(len(begins), np.int64) for _ in range(3))
    for lane, explicit in {*zip(waits.lane.tolist(), waits.explicit.tolist(), strict=True)}:
        mine = np.flatnonzero((waits.lane == lane) & (waits.explicit == explicit))
        begin, end = begins[mine], waits.end_ns[mine]
        taken = nothing() if explicit else waits.explicit_of_lane.get(lane, nothing())
        work = recording.work_of_process(int(waits.process[mine[0]]))
        total[mine] = end - begin - taken.covered(begin, end)
        busy[mine] = _covered(work, taken, begin, end)
        profiler[mine] = _covered(subtract(recording.profiler, work), taken, begin, end)
    return WaitTimes(total, busy, profiler)


def _owners(start_ns: Int64s, end_ns: Int64s, priority: Int64s) -> tuple[Int64s, Int64s]:
    """Cuts of time, and for each piece between two of them the interval that owns it, -1 for none.

    Of overlapping intervals the one with the lowest ``priority`` owns the time.
    """
    cuts = distinct(np.concatenate((start_ns, end_ns)))
    low, high = np.searchsorted(cuts, start_ns), np.searchsorted(cuts, end_ns)
    owner = np.full(max(len(cuts) - 1, 0), NONE, np.int64)
    for i in np.argsort(-priority, kind="stable").tolist():
        owner[low[i] : high[i]] = i
    return cuts, owner


class BubblePieces(Struct, frozen=True, eq=False):
    """Pieces of the bubbles on one device, disjoint, by start; wait: position of the owner."""

    start_ns: Int64s
    end_ns: Int64s
    wait: Int64s


def find_bubble_pieces(
    recording: Recording, waits: Waits, device: int, group: Int64s | None = None
) -> BubblePieces:
    """The bubbles of all waits on one device, overlaps given to the wait that began first.

    ``group`` (one number a wait): a wait of a lower one comes before all of a higher one.
    """
    index, start, end = bubbles_of_waits(recording, waits, np.ones(len(waits.row), np.bool_), device)
    real = end > start
    index, start, end = index[real], start[real], end[real]
    rank = np.empty(len(waits.row), np.int64)
    rank[_by_begin(waits)] = np.arange(len(waits.row))
    if group is not None:
        rank += group * len(rank)
    cuts, owner = _owners(start, end, rank[index])
    owned = owner >= 0
    return BubblePieces(cuts[:-1][owned], cuts[1:][owned], index[owner[owned]])


def bubble_in(pieces: BubblePieces, idle: Iterable[Spans], count: int) -> Int64s:
    """How much of the idle time of some windows each of ``count`` waits made, in ns."""
    bubble = np.zeros(count, np.int64)
    for spans in idle:
        if not len(spans):
            continue
        first = np.searchsorted(pieces.end_ns, spans.start_ns[0], side="right")
        last = np.searchsorted(pieces.start_ns, spans.end_ns[-1], side="left")
        part = slice(int(first), max(int(first), int(last)))
        covered = spans.covered(pieces.start_ns[part], pieces.end_ns[part])
        np.add.at(bubble, pieces.wait[part], covered)
    return bubble
