"""How an allocator's memory rises and falls over the steps (docs/definitions/memory.md).

Invariant: a step's start plus its allocations minus its frees is its end, in a whole file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.memory_events import Allocator, OperatorMemory
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.trace.steps import ProfilerStep

MAX_CURVE_POINTS = 500
# Of each run of events at most four points are kept.
_CURVE_RUNS = 125
# Two step ends can rise by chance; see the leak rule.
FEWEST_TO_COMPARE = 3
# PyTorch keeps blocks up to this size in pools of their own (c10/core/CachingDeviceAllocator.h, kSmallSize).
SMALL_BLOCK_BYTES = 1 << 20


class StepMemory(Struct, frozen=True):
    """One step on one allocator: figures in bytes; None where totals were not recorded.

    first, last: states at the begin and the end of its window. peak: state of its peak.
    """

    index: int
    first: int
    last: int
    allocations: int
    allocated_in_step: int
    frees: int
    freed_in_step: int
    peak: int | None
    peak_ns: int | None
    growth: int | None

    @property
    def has_events(self) -> bool:
        return self.last > self.first


class Growth(Struct, frozen=True):
    """From step end to step end of the compared steps; kept: what they left behind, by operator."""

    steps: Sequence[int]
    growths: Sequence[int]
    kept: Sequence[OperatorMemory]

    @property
    def every_step(self) -> bool:
        return min(self.growths) > 0


class MemoryUse:
    """One allocator over the steps of its process. ``averaged``: indices of the steps that averages use."""

    def __init__(self, allocator: Allocator, steps: Sequence[ProfilerStep], averaged: Sequence[int]) -> None:
        self.allocator = allocator
        self._steps = steps
        self._averaged = set(averaged)

    def _window(self, step: ProfilerStep) -> tuple[int, int]:
        if step.number is None:
            return 0, len(self.allocator)
        return self.allocator.state_at(step.start_ns), self.allocator.state_at(step.end_ns)

    @cached_property
    def steps(self) -> Sequence[StepMemory]:
        """Every step of the allocator's process, in order; also those without a memory event."""
        found, previous = [], None
        for index, step in enumerate(self._steps):
            if step.process is None or step.process == self.allocator.process:
                found.append(self._step(index, step, previous))
                previous = found[-1].last
        return found

    def _step(self, index: int, step: ProfilerStep, previous: int | None) -> StepMemory:
        allocator = self.allocator
        first, last = self._window(step)
        size, totals = allocator.size_bytes[first:last], allocator.allocated_bytes
        peak = None if totals is None else first + int(np.argmax(totals[first : last + 1]))
        peak_ns = None
        if peak is not None:
            peak_ns = step.start_ns if peak == first else int(allocator.time_ns[peak - 1])
        grown = totals is not None and previous is not None
        return StepMemory(
            index=index,
            first=first,
            last=last,
            allocations=int((size > 0).sum()),
            allocated_in_step=int(size[size > 0].sum()),
            frees=int((size < 0).sum()),
            freed_in_step=int(-size[size < 0].sum()),
            peak=peak,
            peak_ns=peak_ns,
            growth=int(totals[last] - totals[previous]) if grown else None,  # type: ignore[index]
        )

    @cached_property
    def peaks_bytes(self) -> Mapping[int, int]:
        """The peak of each step with memory events, by the step's index; none where totals are missing."""
        totals = self.allocator.allocated_bytes
        if totals is None:
            return {}
        return {s.index: int(totals[s.peak]) for s in self.steps if s.has_events and s.peak is not None}

    @cached_property
    def averaged(self) -> Sequence[StepMemory]:
        """The averaged steps that hold a memory event."""
        return [s for s in self.steps if s.index in self._averaged and s.has_events]

    @cached_property
    def highest(self) -> StepMemory | None:
        """The averaged step with the largest peak (tie: the earliest)."""
        totals = self.allocator.allocated_bytes
        if totals is None:
            return None
        return max(self.averaged, key=lambda s: (int(totals[s.peak or 0]), -s.index), default=None)

    @cached_property
    def growth(self) -> Growth | None:
        """None where totals or three steps to compare are missing."""
        compared = [
            (step, step.growth)
            for before, step in zip(self.steps, self.steps[1:], strict=False)
            if {before.index, step.index} <= self._averaged and step.growth is not None
        ]
        if len(compared) < FEWEST_TO_COMPARE:
            return None
        steps = [step for step, _ in compared]
        return Growth([s.index for s in steps], [g for _, g in compared], self._kept(steps))

    def _kept(self, steps: Sequence[StepMemory]) -> Sequence[OperatorMemory]:
        blocks = self.allocator.blocks
        live = blocks.live(steps[-1].last)
        made = np.zeros(len(self.allocator), np.bool_)
        for step in steps[:-1]:
            made[step.first : step.last] = True
        return self.allocator.by_operator(live[made[blocks.event[live]]])

    @cached_property
    def unused_bytes(self) -> float | None:
        """Reserved beyond the allocated peak, the median over the averaged steps."""
        totals, reserved = self.allocator.allocated_bytes, self.allocator.reserved_bytes
        if totals is None or reserved is None or not self.averaged:
            return None
        return float(median(int(reserved[s.peak] - totals[s.peak]) for s in self.averaged))

    @cached_property
    def _raised(self) -> Int64s | None:
        """By how much each event of an averaged step raised the reserved total."""
        reserved = self.allocator.reserved_bytes
        if reserved is None:
            return None
        inside = np.zeros(len(self.allocator), np.bool_)
        for step in self.averaged:
            inside[step.first : step.last] = True
        return np.where(inside, np.maximum(np.diff(reserved), 0), 0)

    @property
    def reserved_growth_bytes(self) -> int | None:
        return None if self._raised is None else int(self._raised.sum())

    @cached_property
    def reserved_despite_room(self) -> int | None:
        """Allocations of averaged steps that took more memory although as much was reserved and free."""
        totals, reserved, size = (
            self.allocator.allocated_bytes,
            self.allocator.reserved_bytes,
            self.allocator.size_bytes,
        )
        if totals is None or reserved is None or self._raised is None:
            return None
        room = (reserved - totals)[:-1] >= size
        return int((room & (size > SMALL_BLOCK_BYTES) & (self._raised > 0)).sum())

    @cached_property
    def curve(self) -> Int64s:
        """The states that the curve shows, ascending; never state 0."""
        totals, reserved, count = (
            self.allocator.allocated_bytes,
            self.allocator.reserved_bytes,
            len(self.allocator),
        )
        if totals is None or count <= MAX_CURVE_POINTS:
            return np.arange(1, count + 1)
        kept = set()
        for run in range(_CURVE_RUNS):
            first, last = 1 + run * count // _CURVE_RUNS, 1 + (run + 1) * count // _CURVE_RUNS
            part = totals[first:last]
            kept |= {first, first + int(part.argmin()), first + int(part.argmax())}
            if reserved is not None:
                kept.add(first + int(reserved[first:last].argmax()))
        return np.array(sorted(kept), np.int64)
