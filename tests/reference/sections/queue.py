"""Section `queue`: what stood behind a launch."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from ..device import device_window
from ..intervals import Intervals, length, subtract, take
from ..load import Event
from ..steps import Step
from .basis import ROWS, Basis, ratio
from .blocked import blocked
from .entries import Depth, Queues, queues_of

STREAMS = 20
SERIES_STEPS = 20
SERIES_PARTS = 200


def reference_queue(basis: Basis) -> dict[str, Any] | None:
    if not basis.recording.any_linked:
        return None
    queues = queues_of(basis)
    pairs = [
        (step, device)
        for step in basis.averaged
        for device in sorted({e.device for e in step.gpu_events if e.launch is not None})
    ]
    lateness = {device: Lateness(basis, device) for device in queues.by_device}
    return {
        "steps": [
            entry(basis, queues, step, device, lateness[device], position < SERIES_STEPS)
            for position, (step, device) in enumerate(pairs[:ROWS])
        ],
        "left_out": max(0, len(pairs) - ROWS),
        "blocked": blocked(basis, queues),
    }


class Lateness:
    """Whether a launch found the device with nothing to do."""

    def __init__(self, basis: Basis, device: int) -> None:
        work = sorted(
            (e.start if e.launch is None else e.launch.start, e.end)
            for e in basis.recording.by_device[device]
        )
        self.launched = [instant for instant, _ in work]
        self.last_end = list(accumulate((end for _, end in work), max))

    def late(self, call: Event) -> bool:
        """All that was launched before (a call that starts earlier) had ended when the call began."""
        before = bisect_left(self.launched, call.start)
        return before == 0 or self.last_end[before - 1] <= call.start


def entry(
    basis: Basis, queues: Queues, step: Step, device: int, lateness: Lateness, with_series: bool
) -> dict[str, Any]:
    window = device_window(step, device)
    work = [e for e in step.work(device) if e.launch is not None]
    calls = {e.launch.index: e.launch for e in work if e.launch is not None}
    launches = sorted(calls.values(), key=lambda c: (c.start, c.index))
    late = [lateness.late(call) for call in launches]
    depth = queues.depth[device]
    idle = subtract(window, basis.recording.device_cover(device).within(window))
    queued, rest = take(idle, queues.handed_over[device])
    launching, empty = take(rest, queues.waiting[device])
    return {
        "step": step.number,
        "device": device,
        "start_us": window_start(step, device) - basis.origin,
        "window_us": length(window),
        "launches": len(launches),
        "late": sum(late),
        "max": depth.highest(*window[0]) if window else 0,
        "mean": mean(depth, window),
        "idle_empty_us": length(empty),
        "idle_launching_us": length(launching),
        "idle_queued_us": length(queued),
        "empty_share": ratio(length(empty), length(window)),
        **falling_behind(basis, launches, late),
        "streams": streams(queues, work, window),
        "series": series(depth, window) if with_series and window else None,
    }


def window_start(step: Step, device: int) -> int:
    """lo of W, also where W is empty."""
    earlier = [e.end for s in step.earlier for e in s.work(device)]
    if earlier:
        return max(earlier)
    first = min(e.start for e in step.work(device))
    return first if step.number is None else min(first, step.start)


def mean(depth: Depth, window: Intervals) -> Fraction | None:
    return ratio(depth.integral(*window[0]), length(window)) if window else None


def falling_behind(basis: Basis, launches: list[Event], late: list[bool]) -> dict[str, Any]:
    """k: where the count of launches up to it that are not late, plus that of those after it that are late,
    is largest (tie: the smallest)."""
    n = len(launches)
    scores = list(accumulate((-1 if is_late else 1 for is_late in late), initial=sum(late)))
    k = scores.index(max(scores))
    return {
        "behind_us": launches[k].start - basis.origin if k < n else None,
        "behind_after": k,
        "late_before": sum(late[:k]),
        "late_after": sum(late[k:]),
    }


def streams(queues: Queues, work: list[Event], window: Intervals) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for stream in sorted({e.stream for e in work}):
        depth = queues.stream_depth[stream]
        rows.append(
            {
                "stream": stream[1],
                "launches": len({e.launch.index for e in work if e.stream == stream and e.launch}),
                "max": depth.highest(*window[0]) if window else 0,
                "mean": mean(depth, window),
            }
        )
    return sorted(rows, key=lambda r: -(r["mean"] or 0))[:STREAMS]


def series(depth: Depth, window: Intervals) -> list[float]:
    lo, hi = window[0]
    n = min(SERIES_PARTS, hi - lo)
    edges = [lo + i * (hi - lo) // n for i in range(n + 1)]
    return [round(float(Fraction(depth.integral(a, b), b - a)), 2) for a, b in pairwise(edges)]
