"""Kernel launches, and those whose GPU events are missing.

A launch call inside another launch call on the same thread (a driver call inside the runtime's)
belongs to it and is not counted again.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups, distinct
from tb_plugin_explain.trace.model import Bools, Int32s, Int64s


class KernelLaunches(Struct, frozen=True, eq=False, dict=True):
    """Outermost kernel launch calls: row, step (-1 outside), whether a GPU event is theirs,
    and whether a graph was being captured, so that none can be."""

    row: Int64s
    step: Int64s
    owns: Bools
    captured: Bools

    @cached_property
    def _of_step(self) -> Groups:
        return Groups(self.step, int(self.step.max(initial=-1)) + 1)

    def of_step(self, index: int) -> tuple[int, int]:
        """How many launches the step made, and how many of them own no GPU event."""
        here = self._of_step[index]
        return len(here), int((~self.owns[here]).sum())


def _owner_call(recording: Recording, rows: Int64s) -> Int64s:
    """For each launch call, the position of the outermost launch call that holds it.

    ``rows`` are sorted by lane, start, longest first.
    """
    events = recording.trace.events
    columns = events.lane[rows], events.start_ns[rows], events.end_ns_of(rows)
    if not _any_in_another(*columns):
        return np.arange(len(rows))
    lane, start, end = (column.tolist() for column in columns)
    owner = list(range(len(rows)))
    for i in range(1, len(rows)):
        top = owner[i - 1]
        if lane[i] == lane[top] and start[i] < end[top] and end[i] <= end[top]:
            owner[i] = top
    return np.array(owner, np.int64)


def _any_in_another(lane: Int32s, start_ns: Int64s, end_ns: Int64s) -> bool:
    """Whether any call begins before the one before it on its thread ended: rare."""
    return bool(((lane[1:] == lane[:-1]) & (start_ns[1:] < end_ns[:-1])).any())


def _captured(recording: Recording, rows: Int64s) -> Bools:
    """Whether each launch lies between the begin and the end of a graph capture of its thread."""
    events, kinds = recording.trace.events, recording.kinds
    begins = np.flatnonzero(kinds.call & recording.trace.names_where(vocabulary.begins_capture))
    ends = np.flatnonzero(kinds.call & recording.trace.names_where(vocabulary.ends_capture))
    depth = np.zeros(len(rows), np.int64)
    for lane in distinct(events.lane[begins]):
        mine = events.lane[rows] == lane
        times = events.start_ns[rows[mine]]
        opened = np.sort(events.start_ns[begins[events.lane[begins] == lane]])
        closed = np.sort(events.start_ns[ends[events.lane[ends] == lane]])
        depth[mine] = np.searchsorted(opened, times) - np.searchsorted(closed, times)
    return depth > 0


def find_kernel_launches(recording: Recording) -> KernelLaunches:
    """All kernel launches of a trace."""
    events = recording.trace.events
    rows = np.flatnonzero(recording.kinds.kernel_launch)
    rows = rows[np.lexsort((-events.end_ns_of(rows), events.start_ns[rows], events.lane[rows]))]
    has_event = np.zeros(len(events), np.bool_)
    has_event[recording.gpu.launch[recording.gpu.linked]] = True
    owner = _owner_call(recording, rows)
    outermost = owner == np.arange(len(rows))
    owns = np.zeros(len(rows), np.bool_)
    np.logical_or.at(owns, owner, has_event[rows])
    kept = rows[outermost]
    return KernelLaunches(kept, recording.step_of_calls(kept), owns[outermost], _captured(recording, kept))
