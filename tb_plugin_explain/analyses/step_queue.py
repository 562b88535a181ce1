"""The queue of one device in the window of one step, and the moment at which the CPU falls behind.

docs/definitions/queue.md, ``queue.steps``. Invariant: empty + launching + queued = idle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.device_window import DeviceWindow
from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.analyses.launch_queue import DeviceQueue
from tb_plugin_explain.trace.model import Bools

# More points than this are more than a chart has pixels for.
SERIES_POINTS = 200


class FallingBehind(Struct, frozen=True):
    """after: how many launches come before the moment. at_ns: start of the next; None where none is left.

    late_before, late_after: how many of the launches before, and from then on, found an idle device.
    """

    after: int
    at_ns: int | None
    late_before: int
    late_after: int


class StreamQueue(Struct, frozen=True):
    """One stream (index into ``Trace.streams``) in the window."""

    stream: int
    launches: int
    highest: int
    mean: float | None


class StepQueue(Struct, frozen=True):
    """launches: of the step, that own work on the device; ``late``: those that found it idle.

    idle_*_ns: the idle time of the window with an empty queue, with calls still launching, with work
    handed over.
    """

    launches: int
    late: int
    highest: int
    mean: float | None
    idle_empty_ns: int
    idle_launching_ns: int
    idle_queued_ns: int
    behind: FallingBehind
    streams: Sequence[StreamQueue]


def falls_behind(start_ns: Sequence[int], late: Bools) -> FallingBehind:
    """The cut that best parts launches which find the device at work from those which find it idle."""
    in_time = np.concatenate(([0], np.cumsum(~late)))
    late_so_far = np.concatenate(([0], np.cumsum(late)))
    total = int(late_so_far[-1])
    k = int(np.argmax(in_time + total - late_so_far))
    before = int(late_so_far[k])
    return FallingBehind(k, int(start_ns[k]) if k < len(late) else None, before, total - before)


def _streams(queue: DeviceQueue, step_index: int, low_ns: int, high_ns: int) -> list[StreamQueue]:
    mine = queue.entries.stream[queue.entries.step == step_index]
    found = []
    for stream, count in zip(*np.unique(mine, return_counts=True), strict=True):
        depth = queue.depth_of_stream(int(stream))
        found.append(
            StreamQueue(int(stream), int(count), depth.highest(low_ns, high_ns), depth.mean(low_ns, high_ns))
        )
    return sorted(found, key=lambda s: (-(s.mean or 0.0), s.stream))


def analyze(queue: DeviceQueue, gaps: Gaps, window: DeviceWindow, step_index: int) -> StepQueue:
    """``gaps``: those of the window."""
    low, high = window.low_ns, window.high_ns
    launches = queue.launches
    mine = launches.step == step_index
    late = launches.late[mine]
    idle = int((gaps.end_ns - gaps.start_ns).sum())
    waiting = int(queue.waiting.covered(gaps.start_ns, gaps.end_ns).sum())
    queued = int(queue.handed_over.covered(gaps.start_ns, gaps.end_ns).sum())
    return StepQueue(
        launches=len(late),
        late=int(late.sum()),
        highest=queue.depth.highest(low, high),
        mean=queue.depth.mean(low, high),
        idle_empty_ns=idle - waiting,
        idle_launching_ns=waiting - queued,
        idle_queued_ns=queued,
        behind=falls_behind(launches.start_ns[mine].tolist(), late),
        streams=_streams(queue, step_index, low, high),
    )


def series(queue: DeviceQueue, window: DeviceWindow) -> list[float] | None:
    """Mean depth in equal parts of the window; None where it is empty."""
    length = window.length_ns
    if not length:
        return None
    parts = min(SERIES_POINTS, length)
    edges = window.low_ns + np.arange(parts + 1) * length // parts
    means = np.diff(queue.depth.integral(edges)) / np.diff(edges)
    return [round(float(mean), 2) for mean in means]
