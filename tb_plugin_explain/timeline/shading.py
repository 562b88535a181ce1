"""Times that a timeline shades: waits with what the GPU did, idle devices by cause, the profiler.

Invariant: the times of one lane or device do not overlap, and sum to the figures of the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.schema import ShadeCause
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.spans import Spans, intersect, interval, subtract, union, unite

_IDLE_CAUSES: tuple[ShadeCause, ...] = (
    "profiler",
    "sync_bubble",
    "input",
    "host",
    "dependency",
    "launch",
    "unknown",
)


class Shaded(NamedTuple):
    """When something was so; ``trace_lane`` for waits, ``device`` for idle time."""

    cause: ShadeCause
    trace_lane: int | None
    device: int | None
    when: Spans


def _split(run: RunAnalyses, waited: Spans, process: int) -> Mapping[ShadeCause, Spans]:
    """What the process's device work did while it waited: ran, stood still for the profiler, or idled."""
    work, profiler = run.recording.work_of_process(process), run.recording.profiler
    idle = subtract(waited, work)
    return {
        "wait_gpu_busy": intersect(waited, work),
        "wait_profiler": intersect(idle, profiler),
        "wait_gpu_idle": subtract(idle, profiler),
    }


def _waits(run: RunAnalyses) -> Iterator[Shaded]:
    waits = run.waits
    for lane in distinct(waits.lane).tolist():
        mine = waits.lane == lane
        waited = union(waits.start_ns[mine], waits.end_ns[mine])
        process = int(waits.process[mine][0])
        for cause, when in _split(run, waited, process).items():
            yield Shaded(cause, lane, None, when)


def _closing_wait(run: RunAnalyses) -> Iterator[Shaded]:
    row = run.waits.closing_row
    if row is not None:
        events = run.trace.events
        when = interval(int(events.start_ns[row]), int(events.end_ns_of(row)))
        yield Shaded("closing_wait", int(events.lane[row]), None, when)


def _idle(run: RunAnalyses) -> Iterator[Shaded]:
    of_device: dict[int, list[Mapping[str, Spans]]] = {}
    for step in run.steps:
        for gpu in step.gpu:
            of_device.setdefault(gpu.device, []).append(gpu.idle_times)
    for device, times in sorted(of_device.items()):
        for cause in _IDLE_CAUSES:
            yield Shaded(cause, None, device, unite(*(each[cause] for each in times)))


def find_shaded(run: RunAnalyses) -> list[Shaded]:
    """All times that are shaded, without the empty ones."""
    profiler = Shaded("profiler_work", None, None, run.recording.profiler)
    found = [*_waits(run), *_closing_wait(run), *_idle(run), profiler]
    return [shaded for shaded in found if len(shaded.when)]
