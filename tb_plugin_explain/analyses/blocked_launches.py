"""Launch calls that were held up behind the GPU's own work (docs/definitions/queue.md, ``queue.blocked``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.launch_queue import Entries
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Category, Int32s, Int64s

Reason = Literal["full_queue", "busy_stream"]

# What varies from launch to launch stays far below ten times the usual.
MIN_TIMES_USUAL = 10
# A launch takes 3 to 10 µs; scheduling of threads and page faults explain some tens more.
MIN_BLOCKED_NS = 100_000
# A CUDA stream's queue holds about a thousand launches; 960 were seen where it was full.
FULL_QUEUE_LAUNCHES = 900

_NOTHING, _BUSY, _FULL = range(3)
_REASONS: Sequence[Reason | None] = (None, "busy_stream", "full_queue")


class LongLaunch(Struct, frozen=True):
    """A launch call far longer than is usual for its name.

    row: of the call. first: position in ``GpuWork`` of its first event. usual_ns: what such a call takes.
    ahead: launches of its stream that were not done when it began. reason: why it was held up, None if
    nothing was ahead of it when it returned.
    """

    row: int
    first: int
    step: int
    start_ns: int
    duration_ns: int
    usual_ns: int
    ahead: int
    reason: Reason | None


def _launch_calls(entries: Entries) -> Int64s:
    """Index of the entry that holds the first event of each launch call, by call row."""
    order = np.lexsort((entries.first, entries.launch))
    _, once = np.unique(entries.launch[order], return_index=True)
    return order[once]


def _own_a_copy(recording: Recording) -> Bools:
    gpu = recording.gpu
    own = np.zeros(len(recording.trace.events), np.bool_)
    own[gpu.launch[gpu.linked & (gpu.kind == Category.MEMCPY)]] = True
    return own


def _usual_ns(names: Int32s, duration_ns: Int64s) -> Int64s:
    """For each call the ⌈n/4⌉-th smallest duration of the n calls of its name."""
    usual = np.zeros(len(names), np.int64)
    for name in distinct(names):
        mine = names == name
        ordered = np.sort(duration_ns[mine])
        usual[mine] = ordered[-(-len(ordered) // 4) - 1]
    return usual


def _ahead(entries: Entries, calls: Int64s) -> tuple[Int64s, Int64s]:
    """How many launches were ahead of each call on its stream, and when the last of them was done."""
    ahead, done = np.zeros(len(calls), np.int64), np.zeros(len(calls), np.int64)
    for stream in distinct(entries.stream[calls]):
        mine = entries.stream == stream
        launched = entries.launch_start_ns[mine]
        # An event that seems to end before its launch call is done as soon as that has begun.
        ends = np.maximum(entries.done_ns[mine], launched + 1)
        asked = entries.stream[calls] == stream
        begin = entries.launch_start_ns[calls[asked]]
        earlier = np.searchsorted(launched, begin, side="left")
        ahead[asked] = earlier - np.searchsorted(np.sort(ends), begin, side="right")
        done[asked] = np.concatenate(([0], np.maximum.accumulate(ends)))[earlier]
    return ahead, done


def find_long_launches(recording: Recording, entries: Entries) -> Sequence[LongLaunch]:
    """All launch calls far longer than usual, the longest first, without those that wait by nature."""
    events, kinds = recording.trace.events, recording.kinds
    calls = _launch_calls(entries)
    calls = calls[~_own_a_copy(recording)[entries.launch[calls]]]
    rows = entries.launch[calls]
    duration = events.end_ns_of(rows) - events.start_ns[rows]
    usual = _usual_ns(events.name[rows], duration)
    waits = (kinds.explicit_wait | kinds.implicit_wait)[rows]
    long = ~waits & (duration > np.maximum(MIN_TIMES_USUAL * usual, MIN_BLOCKED_NS))
    calls, rows, duration, usual = calls[long], rows[long], duration[long], usual[long]
    ahead, done = _ahead(entries, calls)
    full = recording.union_of(kinds.overhead_full_queue)
    is_full = (full.covered(events.start_ns[rows], events.end_ns_of(rows)) > 0) | (
        ahead >= FULL_QUEUE_LAUNCHES
    )
    reasons = np.where(is_full, _FULL, np.where(done > events.end_ns_of(rows), _BUSY, _NOTHING))
    found = [
        LongLaunch(
            row=int(row),
            first=int(entries.first[calls[i]]),
            step=int(entries.step[calls[i]]),
            start_ns=int(events.start_ns[row]),
            duration_ns=int(duration[i]),
            usual_ns=int(usual[i]),
            ahead=int(ahead[i]),
            reason=_REASONS[reasons[i]],
        )
        for i, row in enumerate(rows)
    ]
    return sorted(found, key=lambda c: (-c.duration_ns, c.start_ns))
