"""Waits: which calls wait, whose waiting it is, and what the devices did meanwhile.

docs/definitions.md, Per step: ``sync`` and "The profiler's own wait".
Invariant: gpu_busy + profiler + gpu_idle = total, for explicit and for implicit waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups, distinct
from tb_plugin_explain.trace.model import Bools, Category, Int32s, Int64s
from tb_plugin_explain.trace.spans import Spans, interval, nothing, subtract, union


class Waits(Struct, frozen=True, eq=False, dict=True):
    """All waits of a trace but the profiler's own, in file order.

    row, start_ns, end_ns, step: int64; step is -1 outside the steps. process, lane: int32.
    explicit: whether the call is one of the explicit waits.
    """

    row: Int64s
    start_ns: Int64s
    end_ns: Int64s
    step: Int64s
    process: Int32s
    lane: Int32s
    explicit: Bools
    closing_row: int | None
    of_step: Groups

    @cached_property
    def explicit_of_lane(self) -> Mapping[int, Spans]:
        """When each thread was in an explicit wait, whatever the step."""
        lanes = distinct(self.lane[self.explicit]).tolist()
        mine = {lane: self.explicit & (self.lane == lane) for lane in lanes}
        return {lane: union(self.start_ns[m], self.end_ns[m]) for lane, m in mine.items()}


class WaitSplit(Struct, frozen=True):
    """A time spent waiting, and its exact split."""

    total_ns: int = 0
    gpu_busy_ns: int = 0
    profiler_ns: int = 0

    @property
    def gpu_idle_ns(self) -> int:
        return self.total_ns - self.gpu_busy_ns - self.profiler_ns

    def __add__(self, other: WaitSplit) -> WaitSplit:
        return WaitSplit(
            self.total_ns + other.total_ns,
            self.gpu_busy_ns + other.gpu_busy_ns,
            self.profiler_ns + other.profiler_ns,
        )


class StepSync(Struct, frozen=True):
    """The waits that begin in one step."""

    calls: int
    explicit: WaitSplit
    implicit: WaitSplit


def _inside_profiler_stop(recording: Recording, rows: Int64s) -> Bools:
    """Whether each row lies in a Python frame that stops the profiler, on its own thread."""
    trace, events = recording.trace, recording.trace.events
    frames = trace.is_category(Category.PYTHON) & trace.names_where(vocabulary.is_profiler_stop)
    inside = np.zeros(len(rows), np.bool_)
    for frame in np.flatnonzero(frames):
        begins = (events.start_ns[rows] >= events.start_ns[frame]) & (
            events.start_ns[rows] < events.end_ns_of(int(frame))
        )
        inside |= begins & (events.lane[rows] == events.lane[frame])
    return inside


def _outermost_device_waits(recording: Recording) -> Int64s:
    """Rows of the device-wide waits by start, without those inside another one of their thread."""
    events = recording.trace.events
    rows = np.flatnonzero(recording.kinds.device_wide_wait)
    rows = rows[np.lexsort((-events.end_ns_of(rows), events.start_ns[rows]))]
    outermost = np.ones(len(rows), np.bool_)
    for lane in distinct(events.lane[rows]):
        on_lane = np.flatnonzero(events.lane[rows] == lane)
        reach = np.maximum.accumulate(events.end_ns_of(rows[on_lane]))
        outermost[on_lane[1:]] = events.end_ns_of(rows[on_lane[1:]]) > reach[:-1]
    return rows[outermost]


def _closing_rows(recording: Recording) -> list[int]:
    """Rows of the profiler's own closing waits: one a process at most, the last one last."""
    events, steps = recording.trace.events, recording.steps
    rows = _outermost_device_waits(recording)
    if not len(rows) or not steps:
        return []
    if steps[0].number is None:
        inside = rows[_inside_profiler_stop(recording, rows)]
        return [int(inside[-1])] if len(inside) else []
    found = []
    for process in {s.process for s in steps}:
        last = max((s for s in steps if s.process == process), key=lambda s: (s.end_ns, s.start_ns))
        after = rows[(events.start_ns[rows] >= last.end_ns) & (events.lane[rows] == last.lane)]
        found += [int(after[-1])] if len(after) else []
    return sorted(found, key=lambda row: int(events.start_ns[row]))


def find_waits(recording: Recording) -> Waits:
    """All waits of a trace, without the profiler's own closing wait."""
    events, kinds = recording.trace.events, recording.kinds
    closing = _closing_rows(recording)
    waiting = kinds.explicit_wait | kinds.implicit_wait
    for row in closing:
        mine = np.flatnonzero(waiting & (events.lane == events.lane[row]))
        begins, ends = events.start_ns[mine], events.end_ns_of(mine)
        waiting[mine[(begins >= events.start_ns[row]) & (ends <= events.end_ns_of(row))]] = False
    rows = np.flatnonzero(waiting)
    step = recording.step_of_calls(rows)
    return Waits(
        row=rows,
        start_ns=events.start_ns[rows],
        end_ns=events.end_ns_of(rows),
        step=step,
        process=events.process[rows],
        lane=events.lane[rows],
        explicit=kinds.explicit_wait[rows],
        closing_row=closing[-1] if closing else None,
        of_step=Groups(step, len(recording.steps)),
    )


def split_wait(recording: Recording, waited: Spans, process: int) -> WaitSplit:
    """Splits a time that one process waited: its device work ran, the profiler worked, neither."""
    work = recording.work_of_process(process)
    idle = subtract(waited, work)
    profiler = int(recording.profiler.covered(idle.start_ns, idle.end_ns).sum())
    return WaitSplit(waited.length_ns, waited.length_ns - idle.length_ns, profiler)


def closing_wait(recording: Recording, waits: Waits) -> tuple[str, WaitSplit] | None:
    """Name and split of the profiler's own wait at the end of the recording."""
    row = waits.closing_row
    if row is None:
        return None
    events = recording.trace.events
    waited = interval(int(events.start_ns[row]), int(events.end_ns_of(row)))
    return recording.trace.name_of(row), split_wait(recording, waited, int(events.process[row]))


def analyze(recording: Recording, waits: Waits, step_index: int) -> StepSync:
    """The waits that begin in one step: per thread nested ones once, summed over threads."""
    here = waits.of_step[step_index]
    explicit_total, implicit_total = WaitSplit(), WaitSplit()
    for lane in distinct(waits.lane[here]):
        on_lane = here[waits.lane[here] == lane]
        process = int(waits.process[on_lane[0]])
        is_explicit = waits.explicit[on_lane]
        begin, end = waits.start_ns[on_lane], waits.end_ns[on_lane]
        explicit = union(begin[is_explicit], end[is_explicit])
        hidden = union(begin[~is_explicit], end[~is_explicit])
        implicit = subtract(hidden, waits.explicit_of_lane.get(int(lane), nothing()))
        explicit_total += split_wait(recording, explicit, process)
        implicit_total += split_wait(recording, implicit, process)
    return StepSync(int(waits.explicit[here].sum()), explicit_total, implicit_total)
