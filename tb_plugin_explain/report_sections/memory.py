"""Section ``memory`` of the report: docs/definitions/memory.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class MemoryOfOperator(Struct, frozen=True):
    """Blocks of one operator; ``operator`` None: no operator ran where they were allocated."""

    operator: str | None
    blocks: int
    bytes: int


class MemoryOfOthers(Struct, frozen=True):
    """The blocks of the operators that are not listed."""

    operators: int
    blocks: int
    bytes: int


class LiveMemory(Struct, frozen=True):
    """What was allocated at one instant; all ``bytes`` here sum to the allocated total."""

    by_operator: Sequence[MemoryOfOperator]
    others: MemoryOfOthers
    before_recording_bytes: int
    unaccounted_bytes: int


class MemoryCurve(Struct, frozen=True):
    """At most 500 points that keep every extreme; three lists of one length."""

    time_us: Sequence[float]
    allocated_bytes: Sequence[int]
    reserved_bytes: Sequence[int] | None


class StepMemory(Struct, frozen=True):
    """One step on one device."""

    number: int | None
    settled: bool | None
    averaged: bool
    allocations: int
    allocated_bytes_in_step: int
    frees: int
    freed_bytes_in_step: int
    start_bytes: int | None
    end_bytes: int | None
    peak_bytes: int | None
    peak_us: float | None
    reserved_at_peak_bytes: int | None
    peak_reserved_bytes: int | None
    growth_bytes: int | None
    live: LiveMemory | None


class MemoryPeak(Struct, frozen=True):
    """The largest peak of the averaged steps."""

    step: int | None
    peak_bytes: int
    peak_us: float
    reserved_at_peak_bytes: int | None
    live: LiveMemory


class MemoryGrowth(Struct, frozen=True):
    """From step end to step end, over the averaged steps that follow an averaged step."""

    steps: Sequence[int | None]
    smallest_bytes: int
    median_bytes: float
    largest_bytes: int
    every_step: bool
    kept: Sequence[MemoryOfOperator]


class DeviceMemory(Struct, frozen=True):
    """One allocator: a device of one process."""

    pid: int | str
    device_type: str
    device: int | None
    since_recording: bool
    events: int
    allocations: int
    frees: int
    out_of_memory: int
    curve: MemoryCurve | None
    steps: Sequence[StepMemory]
    steps_left_out: int
    peak: MemoryPeak | None
    growth: MemoryGrowth | None
    reserved_unused_bytes: float | None
    reserved_growth_bytes: int | None
    reserved_despite_room: int | None
    not_measured: Mapping[str, str]


class Memory(Struct, frozen=True):
    """The memory of all devices, the CPU last."""

    devices: Sequence[DeviceMemory]
