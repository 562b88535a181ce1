"""What limits the trust in a trace; docs/definitions.md, Warnings.

Damage that reading mended or left out is in ``trace.meta.problems``; this adds what the events
themselves show. Each check is one function that gives a problem or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tb_plugin_explain.analyses.kernel_launches import KernelLaunches
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_bubble import CLOCK_TOLERANCE_NS
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Category, Int64s, ReadProblem
from tb_plugin_explain.trace.spans import union
from tb_plugin_explain.wording import to_us

Problem = ReadProblem | None

# A launch in a hundred may fail or be trimmed; more means that the profiler lost events.
MAX_SHARE_WITHOUT_KERNEL = 0.01

# The profiler numbers operators one by one: whole recordings have over nine tenths of the numbers, those of
# several threads at least two fifths. Fewer operators than this prove nothing.
MIN_KEPT, MIN_NUMBERED = 0.1, 1000


def _no_events(recording: Recording) -> Problem:
    return None if len(recording.trace.events) else ReadProblem("no_events", 0)


def _no_profiler_step(recording: Recording) -> Problem:
    steps = recording.steps
    return ReadProblem("no_profiler_step", 0) if steps and steps[0].number is None else None


def _no_gpu_events(recording: Recording) -> Problem:
    """Only where GPU events were to be expected: a device is listed, launches are there, or the
    file does not say that there was no device."""
    if len(recording.gpu) or not len(recording.trace.events):
        return None
    launches = int(recording.kinds.kernel_launch.sum())
    without_device = recording.trace.meta.devices == ()
    return None if without_device and not launches else ReadProblem("no_gpu_events", launches)


def _duplicate_step(recording: Recording) -> Problem:
    count = recording.found_steps.duplicates
    return ReadProblem("duplicate_step", count) if count else None


def _overlapping_steps(recording: Recording) -> Problem:
    reached: dict[int | None, int] = {}
    count = 0
    for step in (s for s in recording.steps if s.duration_ns):
        count += step.start_ns < reached.get(step.process, step.start_ns)
        reached[step.process] = max(step.end_ns, reached.get(step.process, step.end_ns))
    return ReadProblem("overlapping_steps", count) if count else None


def _zero_length_step(recording: Recording) -> Problem:
    count = sum(step.number is not None and step.duration_ns == 0 for step in recording.steps)
    return ReadProblem("zero_length_step", count) if count else None


def _zero_timestamp_events(recording: Recording) -> Problem:
    trace = recording.trace
    lost = trace.lost & ~trace.is_category(Category.OTHER, Category.INSTANT)
    if not lost.any():
        return None
    gpu = int((lost & trace.is_category(*GPU_WORK)).sum())
    return ReadProblem("zero_timestamp_events", int(lost.sum()), {"gpu_events": gpu})


def _negative_duration(recording: Recording) -> Problem:
    count = int((recording.trace.events.duration_ns < 0).sum())
    return ReadProblem("negative_duration", count) if count else None


def _clock_skew(recording: Recording) -> Problem:
    gpu = recording.gpu
    latency = (gpu.start_ns - gpu.launch_start_ns)[gpu.linked]
    early = latency < 0
    if not early.any():
        return None
    return ReadProblem("clock_skew", int(early.sum()), {"min_latency_us": to_us(int(latency.min()))})


def _missing_launch(recording: Recording) -> Problem:
    gpu = recording.gpu
    free = ~gpu.linked
    if not free.any():
        return None
    time_ns = int((gpu.end_ns - gpu.start_ns)[free].sum())
    return ReadProblem("missing_launch", int(free.sum()), {"time_us": to_us(time_ns), "of": len(gpu)})


def _missing_kernel(recording: Recording, launches: KernelLaunches) -> Problem:
    if len(recording.gpu) and not recording.gpu.linked.any():
        return None
    counted = (launches.step >= 0) & ~launches.captured
    lost, made = int((counted & ~launches.owns).sum()), int(counted.sum())
    return (
        ReadProblem("missing_kernel", lost, {"of": made}) if lost > MAX_SHARE_WITHOUT_KERNEL * made else None
    )


def _ambiguous_correlation(recording: Recording) -> Problem:
    count = recording.gpu.ambiguous
    return ReadProblem("ambiguous_correlation", count) if count else None


def _several_processes(recording: Recording) -> Problem:
    """Processes that ran operators or annotations: calls and Python frames also stand on device lanes."""
    trace = recording.trace
    cpu = trace.is_category(Category.CPU_OP, Category.ANNOTATION) & ~trace.lost
    count = len(distinct(trace.events.process[cpu]))
    return ReadProblem("several_processes", count) if count > 1 else None


def _clipped_busy_ns(gpu: GpuWork, kernels: Int64s, cut_ns: Int64s) -> int:
    """Busy time of all devices with each kernel cut at the next one's start on its stream."""
    end = gpu.end_ns.copy()
    end[kernels] = np.minimum(end[kernels], cut_ns)
    return sum(union(gpu.start_ns[gpu.device == d], end[gpu.device == d]).length_ns for d in gpu.devices)


def _count_overlapping(gpu: GpuWork, kernels: Int64s) -> int:
    """Kernels that start before one of another launch on their stream has ended.

    ``kernels``: positions by stream, then start. Kernels of one graph launch may overlap.
    """
    stream, count = gpu.stream[kernels], 0
    for number in distinct(stream).tolist():
        mine = kernels[stream == number]
        reach = np.maximum.accumulate(gpu.end_ns[mine])
        if (reach[:-1] > gpu.start_ns[mine[1:]]).any():
            count += _count_overlapping_on_stream(
                gpu.start_ns[mine].tolist(), gpu.end_ns[mine].tolist(), gpu.launch[mine].tolist()
            )
    return count


def _count_overlapping_on_stream(start_ns: list[int], end_ns: list[int], launch: list[int]) -> int:
    """One pass that keeps the latest end so far, and the latest of another launch than that one's."""
    count, reach, of_launch, reach_of_others = 0, start_ns[0], launch[0], start_ns[0]
    for start, end, own in zip(start_ns, end_ns, launch, strict=True):
        other = own != of_launch or own < 0
        count += start < (reach if other else reach_of_others)
        if end > reach:
            reach_of_others = reach if other else reach_of_others
            reach, of_launch = end, own
        elif other:
            reach_of_others = max(reach_of_others, end)
    return count


def _same_stream_overlap(recording: Recording) -> Problem:
    gpu = recording.gpu
    kernels = np.flatnonzero(gpu.is_kernel)
    kernels = kernels[np.lexsort((gpu.start_ns[kernels], gpu.stream[kernels]))]
    if len(kernels) < 2:
        return None
    this, following = kernels[:-1], kernels[1:]
    same = gpu.stream[this] == gpu.stream[following]
    overlapping = _count_overlapping(gpu, kernels)
    if not overlapping:
        return None
    busy = _clipped_busy_ns(gpu, this[same], gpu.start_ns[following][same])
    return ReadProblem("same_stream_overlap", overlapping, {"busy_clipped_us": to_us(busy)})


def _kernel_ends_after_device_sync(recording: Recording) -> Problem:
    gpu, events = recording.gpu, recording.trace.events
    waits = np.flatnonzero(recording.kinds.device_wide_wait)
    kernels = np.flatnonzero(gpu.is_kernel & gpu.linked)
    late = np.zeros(len(kernels), np.bool_)
    for process in distinct(events.process[waits]):
        mine = waits[events.process[waits] == process]
        mine = mine[np.argsort(events.start_ns[mine], kind="stable")]
        never = np.iinfo(np.int64).max - CLOCK_TOLERANCE_NS
        returned = np.append(np.minimum.accumulate(events.end_ns_of(mine)[::-1])[::-1], never)
        index = np.searchsorted(events.start_ns[mine], gpu.launch_start_ns[kernels], side="right")
        own = gpu.process[kernels] == process
        late |= own & (gpu.end_ns[kernels] > returned[index] + CLOCK_TOLERANCE_NS)
    return ReadProblem("kernel_ends_after_device_sync", int(late.sum())) if late.any() else None


def _unknown_vendor_sync_names(recording: Recording) -> Problem:
    gpu, trace = recording.gpu, recording.trace
    if not gpu.linked.any() or recording.kinds.explicit_wait.any():
        return None
    used = distinct(trace.events.name[gpu.launch[gpu.linked]]).tolist()
    unknown = [trace.names[n] for n in used if not vocabulary.is_call_of_known_waits(trace.names[n])]
    return (
        ReadProblem("unknown_vendor_sync_names", len(unknown), {"example": unknown[0]}) if unknown else None
    )


def _thinned(recording: Recording) -> Problem:
    """Operators are numbered one by one as they begin: a file that lacks most numbers was cut down later."""
    trace, events = recording.trace, recording.trace.events
    operators = trace.is_category(Category.CPU_OP) & (events.external_id > 0)
    processes, counts = np.unique(events.process[operators], return_counts=True)
    if not len(counts) or counts.max() < MIN_NUMBERED:
        return None
    numbers = distinct(events.external_id[operators & (events.process == processes[counts.argmax()])])
    missing = int(numbers[-1] - numbers[0]) + 1 - len(numbers)
    of = missing + len(numbers)
    return ReadProblem("thinned", missing, {"of": of}) if len(numbers) < MIN_KEPT * of else None


_CHECKS: Sequence[Callable[[Recording], Problem]] = (
    _no_events,
    _no_profiler_step,
    _no_gpu_events,
    _duplicate_step,
    _overlapping_steps,
    _zero_length_step,
    _zero_timestamp_events,
    _negative_duration,
    _clock_skew,
    _missing_launch,
    _ambiguous_correlation,
    _several_processes,
    _same_stream_overlap,
    _kernel_ends_after_device_sync,
    _unknown_vendor_sync_names,
    _thinned,
)


def find_problems(recording: Recording, launches: KernelLaunches) -> Sequence[ReadProblem]:
    """Everything that limits the trust in a trace, damage first."""
    found = [check(recording) for check in _CHECKS] + [_missing_kernel(recording, launches)]
    return [*recording.trace.meta.problems, *(p for p in found if p is not None)]
