"""ProfilerSteps, and which step an instant of a process belongs to.

A step is the CPU span of an annotation ``ProfilerStep#N``; without any, the whole recording is
one unnumbered step of all processes (docs/definitions.md, Reading).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import is_valid_gpu_work
from tb_plugin_explain.trace.model import NONE, Category, Int32s, Int64s, Trace

_ON_THE_CPU = (
    Category.CPU_OP,
    Category.ANNOTATION,
    Category.PYTHON,
    Category.RUNTIME,
    Category.DRIVER,
    Category.OVERHEAD,
)


class ProfilerStep(Struct, frozen=True):
    """One step: ``number``, ``process``, ``lane`` and ``row`` are None where it has no annotation."""

    start_ns: int
    end_ns: int
    number: int | None = None
    process: int | None = None
    lane: int | None = None
    row: int | None = None

    @property
    def duration_ns(self) -> int:
        return self.end_ns - self.start_ns


class Steps(Struct, frozen=True):
    """The steps by start, and how many annotations of the same number were left out."""

    steps: tuple[ProfilerStep, ...]
    duplicates: int


def _without_duplicates(candidates: Sequence[ProfilerStep]) -> list[ProfilerStep]:
    """Of steps of one number in one process that overlap, the longest (tie: the earlier)."""
    kept: list[ProfilerStep] = []
    for step in sorted(candidates, key=lambda s: (-s.duration_ns, s.start_ns)):
        if all(step.end_ns <= k.start_ns or k.end_ns <= step.start_ns for k in kept):
            kept.append(step)
    return kept


def _recorded_span(trace: Trace) -> ProfilerStep | None:
    on_cpu = trace.is_category(*_ON_THE_CPU) & ~trace.lost
    rows = np.flatnonzero(on_cpu | is_valid_gpu_work(trace))
    if not len(rows):
        return None
    events = trace.events
    return ProfilerStep(int(events.start_ns[rows].min()), int(events.end_ns_of(rows).max()))


def find_steps(trace: Trace) -> Steps:
    """All steps of a trace, or its whole recording as one; none where it has no events."""
    events = trace.events
    groups: dict[tuple[int, int], list[ProfilerStep]] = {}
    for row in np.flatnonzero(trace.is_step).tolist():
        number = vocabulary.step_number(trace.name_of(row))
        assert number is not None
        process = int(events.process[row])
        step = ProfilerStep(
            int(events.start_ns[row]), int(events.end_ns_of(row)), number, process, int(events.lane[row]), row
        )
        groups.setdefault((process, number), []).append(step)
    if not groups:
        whole = _recorded_span(trace)
        return Steps((whole,) if whole else (), 0)
    kept = [step for group in groups.values() for step in _without_duplicates(group)]
    kept.sort(key=lambda s: (s.start_ns, s.end_ns))
    return Steps(tuple(kept), sum(map(len, groups.values())) - len(kept))


class _Timeline:
    """Which step owns each instant of one process: the one that began last."""

    def __init__(self, indexed: Sequence[tuple[int, ProfilerStep]]) -> None:
        cuts = distinct(np.array([t for _, s in indexed for t in (s.start_ns, s.end_ns)], np.int64))
        # Of what begins at each cut; the first is of what lies before all.
        owner = np.full(len(cuts) + 1, NONE, np.int64)
        for index, step in sorted(indexed, key=lambda pair: pair[1].start_ns):
            first, last = np.searchsorted(cuts, (step.start_ns, step.end_ns)) + 1
            owner[first:last] = index
        self._cuts, self._owner = cuts, owner

    def owner(self, time_ns: Int64s) -> Int64s:
        return self._owner[np.searchsorted(self._cuts, time_ns, side="right")]


class StepWindows:
    """Which step an instant of a process belongs to; -1 where none."""

    def __init__(self, trace: Trace, steps: Sequence[ProfilerStep]) -> None:
        self._whole = steps[0] if steps and steps[0].number is None else None
        indexed = list(enumerate(steps))
        self._any = _Timeline(indexed) if steps else None
        self._of_process: dict[int, _Timeline] = {}
        self._without_calls: list[_Timeline] = []
        calls = trace.is_category(Category.RUNTIME, Category.DRIVER)
        with_calls = {int(p) for p in distinct(trace.events.process[calls])}
        for process in {s.process for s in steps if s.process is not None}:
            timeline = _Timeline([(i, s) for i, s in indexed if s.process == process])
            self._of_process[process] = timeline
            if process not in with_calls:
                self._without_calls.append(timeline)

    def owner_in_any(self, time_ns: Int64s) -> Int64s:
        """The step of each instant, whatever its process."""
        if self._whole is not None:
            inside = (time_ns >= self._whole.start_ns) & (time_ns <= self._whole.end_ns)
            return np.where(inside, 0, NONE)
        return self._any.owner(time_ns) if self._any else np.full(len(time_ns), NONE, np.int64)

    def owner(self, time_ns: Int64s, process: Int32s) -> Int64s:
        """The step of each instant in each process (``process``: index into Trace.processes)."""
        if self._whole is not None:
            return self.owner_in_any(time_ns)
        owner = np.full(len(time_ns), NONE, np.int64)
        for number, timeline in self._of_process.items():
            here = process == number
            owner[here] = timeline.owner(time_ns[here])
        # A step whose process made no call gets the calls of the others (trimmed or merged files).
        for timeline in self._without_calls:
            left = owner == NONE
            owner[left] = timeline.owner(time_ns[left])
        return owner
