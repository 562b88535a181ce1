"""The gaps of a device: when none of its streams ran anything, and what ended each gap.

docs/definitions.md, "A gap". Invariant: gaps are disjoint and lie between two events.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Int32s, Int64s

_BEFORE_ALL = np.iinfo(np.int64).min


class Gaps(Struct, frozen=True, eq=False):
    """One element a gap, by start; all arrays int64 unless said.

    start_ns, end_ns: the gap; the first one starts before all time.
    next: position in ``GpuWork`` of the event N that ends it. linked (bool): whether N has a launch.
    launch_ns: start of N's launch call, L. ready_ns: C, end of that call if N is its earliest event.
    lane: int32, thread of that call, -1 without. dependent (bool): events ended where the gap
    starts, none of them on N's stream.
    """

    start_ns: Int64s
    end_ns: Int64s
    next: Int64s
    linked: Bools
    launch_ns: Int64s
    ready_ns: Int64s
    lane: Int32s
    dependent: Bools

    def where(self, chosen: Bools | Int64s) -> Gaps:
        """Some of the gaps."""
        return Gaps(**{name: column[chosen] for name, column in asdict(self).items()})

    def inside(self, low_ns: int, high_ns: int) -> Gaps:
        """The gaps of a window, cut at its edges."""
        first = int(np.searchsorted(self.end_ns, low_ns, side="right"))
        last = int(np.searchsorted(self.start_ns, high_ns, side="left"))
        part = slice(first, max(first, last))
        return Gaps(
            np.maximum(self.start_ns[part], low_ns),
            np.minimum(self.end_ns[part], high_ns),
            self.next[part],
            self.linked[part],
            self.launch_ns[part],
            self.ready_ns[part],
            self.lane[part],
            # No event ended where the window cuts a gap.
            self.dependent[part] & (self.start_ns[part] >= low_ns),
        )


def _next_events(gpu: GpuWork, work: Int64s, opening: Int64s) -> Int64s:
    """N of each gap: of the events that start where it ends, the one launched first.

    ``opening``: index into ``work`` of the first event that starts there.
    """
    start = gpu.start_ns[work]
    linked, launched = gpu.linked[work], gpu.launch_start_ns[work]
    last = np.searchsorted(start, start[opening], side="right")
    chosen = opening.copy()
    for gap in np.flatnonzero(last - opening > 1):
        together = np.arange(opening[gap], last[gap])
        chosen[gap] = min(together, key=lambda i: (not linked[i], launched[i] if linked[i] else 0))
    return work[chosen]


def _earliest_of_launch(gpu: GpuWork, work: Int64s) -> Bools:
    """For each event of one device, whether no event of its launch started there before it."""
    launch = gpu.launch[work]
    order = np.lexsort((gpu.start_ns[work], launch))
    keys, first = np.unique(launch[order], return_index=True)
    earliest = gpu.start_ns[work][order[first]]
    result: Bools = gpu.start_ns[work] == earliest[np.searchsorted(keys, launch)]
    return result


def _is_dependent(gpu: GpuWork, work: Int64s, gap_start_ns: Int64s, next_stream: Int32s) -> Bools:
    """Whether events ended at each gap's start, none of them on the stream of its N."""
    ends, rank = np.unique(gpu.end_ns[work], return_inverse=True)
    # Stream numbers are small: together with the rank of an end they make one sortable key.
    streams = int(gpu.stream.max(initial=0)) + 1
    gap_rank = np.searchsorted(ends, gap_start_ns)
    any_ended = ends[np.minimum(gap_rank, len(ends) - 1)] == gap_start_ns if len(ends) else gap_rank > 0
    on_same = np.isin(gap_rank * streams + next_stream, rank * streams + gpu.stream[work])
    dependent: Bools = any_ended & ~on_same
    return dependent


def find_gaps(gpu: GpuWork, lane_of_row: Int32s, device: int) -> Gaps:
    """All gaps of one device; an event of length zero ends a gap and begins another."""
    work = np.flatnonzero(gpu.device == device)
    start = gpu.start_ns[work]
    reach = np.concatenate(([_BEFORE_ALL], np.maximum.accumulate(gpu.end_ns[work])[:-1]))
    opening = np.flatnonzero(start > reach)
    following = _next_events(gpu, work, opening)
    linked = gpu.linked[following]
    earliest = np.zeros(len(gpu), np.bool_)
    earliest[work] = _earliest_of_launch(gpu, work)
    launched = gpu.launch_start_ns[following]
    return Gaps(
        start_ns=reach[opening],
        end_ns=start[opening],
        next=following,
        linked=linked,
        launch_ns=launched,
        ready_ns=np.where(earliest[following], gpu.launch_end_ns[following], launched),
        lane=np.where(linked, lane_of_row[gpu.launch[following]], -1).astype(np.int32),
        dependent=_is_dependent(gpu, work, reach[opening], gpu.stream[following]),
    )
