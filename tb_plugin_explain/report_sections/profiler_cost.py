"""Section ``profiler_cost`` of the report: docs/definitions/profiler_cost.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class ProfilerModes(Struct, frozen=True):
    """Which of the costly modes were on."""

    with_stack: bool
    record_shapes: bool
    profile_memory: bool


class StepProfilerCost(Struct, frozen=True):
    """What the profiler recorded in one step, and what its own work delayed."""

    number: int | None
    averaged: bool
    python_frames: int
    memory_events: int
    shape_records: int
    python_frames_per_ms: float | None
    memory_events_per_ms: float | None
    shape_records_per_ms: float | None
    overhead_us: float
    latency_us: float | None
    idle_us: float | None


class TypicalProfilerCost(Struct, frozen=True):
    """Medians over the averaged steps."""

    python_frames_per_ms: float | None
    memory_events_per_ms: float | None
    shape_records_per_ms: float | None
    overhead_us: float
    latency_us: float | None
    idle_us: float | None


class ProfilerOverhead(Struct, frozen=True):
    """One kind of the profiler's own work, in the whole recording."""

    name: str
    count: int
    total_us: float
    longest_us: float
    steps: Sequence[int | None]
    outside_us: float


class ProfilerCost(Struct, frozen=True):
    """What can be told of the profiler's own cost."""

    modes: ProfilerModes
    typical: TypicalProfilerCost
    steps: Sequence[StepProfilerCost]
    steps_left_out: int
    overhead: Sequence[ProfilerOverhead]
    not_measured: Mapping[str, str]
