"""What ran on the GPU, by kernel: docs/definitions/kernels.md."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class KernelShape(Struct, frozen=True):
    """One kernel on one grid and block. ``spread``: within steps, ``between``: from step to step."""

    shape: str | None
    count: int
    time_us: float
    median_us: float
    spread: float | None
    between: float | None
    slowest_step: int | None


class ShortKernels(Struct, frozen=True):
    """Kernels that took less time than the calls that launched them, of those that could be judged."""

    judged_count: int
    count: int | None
    time_us: float | None
    call_us: float | None


class KernelRow(Struct, frozen=True):
    """All kernels of one name. ``human``: what the name means; None where the glossary cannot tell.

    ``longest_event``: of the longest, its index in ``traceEvents``; likewise in other sections.
    """

    name: str
    human: str | None
    communication: bool
    count: int
    time_us: float
    share: float | None
    typical_count: int
    typical_us: float
    min_us: float
    median_us: float
    max_us: float
    longest_event: int | None
    launch_calls: int
    graph_count: int
    short: ShortKernels
    occupancy_percent: float | None
    occupancy_share: float | None
    shapes: int
    by_shape: Sequence[KernelShape]
    spread: float | None
    spread_shape: str | None
    between: float | None
    between_shape: str | None


class RestOfKernels(Struct, frozen=True):
    """The names that are not listed."""

    names: int
    count: int
    time_us: float
    typical_count: int
    typical_us: float
    share: float | None


class Kernels(Struct, frozen=True):
    """Sums over the averaged steps; ``typical_*`` are of one of them, ``typical_step``."""

    steps: int
    typical_step: int | None
    device_us: float
    typical_device_us: float
    count: int
    kernel_us: float
    copy_us: float
    memset_us: float
    names: int
    short: ShortKernels
    graph_count: int
    graph_us: float
    graph_launches: int
    occupancy_percent: float | None
    occupancy_share: float | None
    rows: Sequence[KernelRow]
    rest: RestOfKernels | None
