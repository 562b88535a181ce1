"""Launch latencies and their split: `lane_offset`."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from fractions import Fraction
from itertools import accumulate

from . import names
from .intervals import Cover, Intervals, length, take
from .load import Event
from .recording import Recording
from .steps import Step

PARTS = ("call_us", "queue_us", "profiler_us", "loading_us", "dependency_us", "other_us")


class Latencies:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        by_stream: dict[tuple[int, str], Intervals] = defaultdict(list)
        for event in recording.gpu:
            by_stream[event.stream].append((event.start, event.end))
        self.starts, self.last_ends = {}, {}
        for stream, spans in by_stream.items():
            spans.sort()
            self.starts[stream] = [start for start, _ in spans]
            self.last_ends[stream] = list(accumulate((end for _, end in spans), max))

    def split(self, kernel: Event) -> dict[str, int]:
        """`[launch call start, kernel start)`, instant by instant, first match."""
        assert kernel.launch is not None
        launch = kernel.launch
        rest: Intervals = [(launch.start, kernel.start)] if launch.start < kernel.start else []
        queued = Cover(
            [(launch.start, self._queue_end(kernel, launch.start)), *self.recording.queue_full.parts]
        )
        sources = (
            ("queue_us", queued),
            ("profiler_us", self.recording.profiler),
            ("loading_us", self.recording.loading_cover(launch.pid)),
            ("call_us", Cover([(launch.start, launch.end)])),
            ("dependency_us", self.recording.other_streams_cover(kernel.stream)),
        )
        parts = {}
        for part, cover in sources:
            matched, rest = take(rest, cover)
            parts[part] = length(matched)
        parts["other_us"] = length(rest)
        return parts

    def _queue_end(self, kernel: Event, default: int) -> int:
        """Last end of events of the same stream that started before the kernel."""
        before = bisect_left(self.starts[kernel.stream], kernel.start)
        return max(default, self.last_ends[kernel.stream][before - 1]) if before else default

    def lane_offset(self, step: Step) -> dict[str, object]:
        linked = [e for e in step.gpu_events if e.kind == names.KERNEL and e.launch is not None]
        last_end = max((e.end for e in step.gpu_events), default=None)
        offset: dict[str, object] = {
            "first_us": None,
            "end_us": None if last_end is None else last_end - step.end,
            "median_us": None,
            "p95_us": None,
            "max_us": None,
            **dict.fromkeys(PARTS),  # "They split `first_us`": nothing to split where it is null
        }
        if linked:
            first = min(linked, key=lambda e: (e.launch_start, e.start, e.index))
            offset["first_us"] = max(0, latency(first))  # "A negative latency is clock skew: reported 0"
            offset |= self.split(first)
        kernels = [e for e in first_kernels(linked) if latency(e) >= 0]
        if kernels:
            offset |= percentiles(sorted(latency(e) for e in kernels))
        totals = dict.fromkeys(PARTS, 0)
        for kernel in kernels:
            for part, time in self.split(kernel).items():
                totals[part] += time
        offset["all"] = {"sum_us": sum(latency(e) for e in kernels), **totals}
        return offset


def latency(kernel: Event) -> int:
    return kernel.start - kernel.launch_start


def first_kernels(linked: list[Event]) -> list[Event]:
    """The first kernel of every launch call on every device."""
    first: dict[tuple[int, int], Event] = {}
    for kernel in sorted(linked, key=lambda e: (e.start, e.index)):
        assert kernel.launch is not None
        first.setdefault((kernel.launch.index, kernel.device), kernel)
    return list(first.values())


def percentiles(ordered: list[int]) -> dict[str, object]:
    n = len(ordered)
    rank = -(-95 * n // 100)  # ⌈0.95 n⌉
    return {
        "median_us": Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2),
        "p95_us": ordered[rank - 1],
        "max_us": ordered[-1],
    }
