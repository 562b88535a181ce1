"""Warnings of one well-formed file. Reading repairs, missing ranks and comparisons are not among them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import Any

from . import names
from .intervals import length, union
from .load import Event
from .recording import Recording
from .steps import Step, Steps, overlap
from .waits import CLOCK_TOLERANCE

PROCESS_KINDS = (names.OP, names.ANNOTATION)


def all_warnings(recording: Recording, steps: Steps) -> list[dict[str, Any]]:
    found = [
        no_events(recording),
        no_profiler_step(steps),
        no_gpu_events(recording),
        duplicate_step(steps),
        overlapping_steps(steps),
        zero_length_step(steps),
        zero_timestamp_events(recording),
        negative_duration(recording),
        clock_skew(recording),
        missing_launch(recording),
        missing_kernel(steps),
        ambiguous_correlation(recording),
        several_processes(recording),
        same_stream_overlap(recording),
        kernel_ends_after_device_sync(recording),
        unknown_vendor_sync_names(recording),
    ]
    return [warning for warning in found if warning is not None]


def warn(kind: str, count: int, **data: object) -> dict[str, Any]:
    return {"kind": kind, "count": count, "data": data}


def no_events(recording: Recording) -> dict[str, Any] | None:
    return None if recording.events else warn("no_events", 0)


def no_profiler_step(steps: Steps) -> dict[str, Any] | None:
    return warn("no_profiler_step", 0) if steps.steps and steps.steps[0].number is None else None


def no_gpu_events(recording: Recording) -> dict[str, Any] | None:
    """ "(the last: device activity was asked for or launches are there)": a file that lists no
    devices did not ask; one that does not say may have."""
    if recording.gpu or not recording.events:
        return None
    launches = any(names.is_kernel_launch_call(c.kind, c.name) for c in recording.calls)
    asked = recording.loaded.document.get("deviceProperties") != []
    return warn("no_gpu_events", 0) if launches or asked else None


def duplicate_step(steps: Steps) -> dict[str, Any] | None:
    return warn("duplicate_step", steps.duplicates) if steps.duplicates else None


def overlapping_steps(steps: Steps) -> dict[str, Any] | None:
    """Counted: the steps that overlap an earlier one of their process; a zero-length step overlaps none."""

    def overlaps(step: Step) -> bool:
        return step.duration > 0 and any(
            other.duration > 0 and overlap(step, other) for other in step.earlier
        )

    count = sum(overlaps(step) for step in steps.steps)
    return warn("overlapping_steps", count) if count else None


def zero_length_step(steps: Steps) -> dict[str, Any] | None:
    count = sum(step.number is not None and step.duration == 0 for step in steps.steps)
    return warn("zero_length_step", count) if count else None


def zero_timestamp_events(recording: Recording) -> dict[str, Any] | None:
    loaded = recording.loaded
    if not loaded.zero_events:
        return None
    return warn("zero_timestamp_events", loaded.zero_events, lost_kernels=loaded.zero_gpu_events)


def negative_duration(recording: Recording) -> dict[str, Any] | None:
    loaded = recording.loaded
    count = loaded.negative_gpu_events + loaded.negative_cpu_events
    return warn("negative_duration", count, gpu_events=loaded.negative_gpu_events) if count else None


def clock_skew(recording: Recording) -> dict[str, Any] | None:
    latencies = [e.start - e.launch.start for e in recording.gpu if e.launch is not None]
    negative = [time for time in latencies if time < 0]
    return warn("clock_skew", len(negative), min_latency_us=min(negative)) if negative else None


def missing_launch(recording: Recording) -> dict[str, Any] | None:
    events = [e for e in recording.gpu if e.launch is None]
    return (
        warn("missing_launch", len(events), time_us=sum(e.end - e.start for e in events)) if events else None
    )


def missing_kernel(steps: Steps) -> dict[str, Any] | None:
    """Launches under graph capture own no GPU event by design: left out on both sides of the share."""
    gpu = steps.recording.gpu
    if gpu and all(e.launch is None for e in gpu):
        return None  # No event of the file is linked, so none can be missed.
    launches = {g.call.index: g for step in steps.steps for g in step.launch_groups if not g.captured}
    lost = sum(not group.owns for group in launches.values())
    return warn("missing_kernel", lost, launches=len(launches)) if 100 * lost > len(launches) else None


def ambiguous_correlation(recording: Recording) -> dict[str, Any] | None:
    return warn("ambiguous_correlation", len(recording.ambiguous)) if recording.ambiguous else None


def several_processes(recording: Recording) -> dict[str, Any] | None:
    """Processes: what ran operators or annotations (frames and calls also stand on pids of devices)."""
    pids = {e.pid for e in recording.events if e.kind in PROCESS_KINDS}
    return warn("several_processes", len(pids)) if len(pids) > 1 else None


def same_stream_overlap(recording: Recording) -> dict[str, Any] | None:
    """Neighbours by start on one stream, not of one launch. Clipped: busy of all devices, with every kernel
    cut at the start of the next kernel of its stream."""
    by_stream: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in recording.gpu:
        if event.kind == names.KERNEL:
            by_stream[event.stream].append(event)
    count = 0
    clipped: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for kernels in by_stream.values():
        kernels.sort(key=lambda e: (e.start, e.end, e.index))
        for kernel, following in zip(kernels, [*kernels[1:], None], strict=True):
            end = kernel.end if following is None else min(kernel.end, following.start)
            clipped[kernel.device].append((kernel.start, end))
            if following is not None and kernel.end > following.start:
                count += kernel.launch is None or kernel.launch is not following.launch
    if not count:
        return None
    for event in recording.gpu:
        if event.kind != names.KERNEL:
            clipped[event.device].append((event.start, event.end))
    return warn(
        "same_stream_overlap", count, busy_clipped_us=sum(length(union(spans)) for spans in clipped.values())
    )


def kernel_ends_after_device_sync(recording: Recording) -> dict[str, Any] | None:
    waits: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for call in recording.calls:
        if names.is_device_wide_wait(call.kind, call.name):
            waits[call.pid].append((call.start, call.end))
    count = 0
    for of_process in waits.values():
        of_process.sort()
    starts = {pid: [start for start, _ in spans] for pid, spans in waits.items()}
    earliest_return = {
        pid: list(accumulate((end for _, end in reversed(spans)), min))[::-1] for pid, spans in waits.items()
    }
    for kernel in recording.gpu:
        if kernel.kind != names.KERNEL or kernel.launch is None or kernel.launch.pid not in waits:
            continue
        pid = kernel.launch.pid
        later = bisect_right(starts[pid], kernel.launch.start)
        if later < len(starts[pid]) and kernel.end > earliest_return[pid][later] + CLOCK_TOLERANCE:
            count += 1
    return warn("kernel_ends_after_device_sync", count) if count else None


def unknown_vendor_sync_names(recording: Recording) -> dict[str, Any] | None:
    """A platform other than CUDA and HIP of which no waiting call is in the file. Counted: its calls."""
    others = [
        c
        for c in recording.calls
        if c.category not in ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "hip_driver")
    ]
    waiting = any(names.is_explicit_wait(c.kind, c.name) for c in others)
    return warn("unknown_vendor_sync_names", len(others)) if others and not waiting else None
