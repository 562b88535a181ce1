"""Section ``queue`` of the report: docs/definitions/queue.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

BlockedReason = Literal["full_queue", "busy_stream"]


class StreamQueue(Struct, frozen=True):
    """The queue of one stream in the device window of a step."""

    stream: str
    launches: int
    max: int
    mean: float | None


class QueueStep(Struct, frozen=True):
    """The queue of one device in one step. The three ``idle_…_us`` sum to the device's ``idle_us``.

    behind_us: when the CPU falls behind for good, after ``behind_after`` launches; None: never.
    series: mean depth in equal parts of the window.
    """

    step: int | None
    device: int
    start_us: float
    window_us: float
    launches: int
    late: int
    max: int
    mean: float | None
    idle_empty_us: float
    idle_launching_us: float
    idle_queued_us: float
    empty_share: float | None
    behind_us: float | None
    behind_after: int
    late_before: int
    late_after: int
    streams: Sequence[StreamQueue]
    series: Sequence[float] | None


class BlockedCall(Struct, frozen=True):
    """One launch call that was held up. ``event``: its index in ``traceEvents``."""

    step: int | None
    call: str
    kernel: str
    start_us: float
    duration_us: float
    usual_us: float
    ahead: int
    reason: BlockedReason
    event: int


class BlockedLaunches(Struct, frozen=True):
    """Launch calls of averaged steps that were held up behind the GPU's own work."""

    count: int
    full_queue: int
    total_us: float
    device_busy_us: float
    calls: Sequence[BlockedCall]
    rest_us: float


class Queue(Struct, frozen=True):
    """What stood behind the launches of the averaged steps."""

    steps: Sequence[QueueStep]
    left_out: int
    blocked: BlockedLaunches
