"""How far the GPU lane trails the CPU lane: launch latency and its exact split.

docs/definitions.md, ``lane_offset``. Per launch call and device, latency = start of its first
kernel - start of the launch call. Invariant: the parts of each latency sum to it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.trace.spans import Spans, subtract, unite

PARTS = ("queue", "profiler", "loading", "call", "dependency", "other")


class LaunchLatencies(Struct, frozen=True, eq=False):
    """One element a launch call and device, by launch start (tie: kernel start).

    kernel: position in ``GpuWork`` of the launch's first kernel there. step: int64, -1 if none.
    latency_ns: int64, negative where the clocks disagree.
    parts_ns: int64 (element, part) in the order of ``PARTS``; zero where the latency is negative.
    """

    kernel: Int64s
    step: Int64s
    latency_ns: Int64s
    parts_ns: Int64s


class LaneOffset(Struct, frozen=True):
    """The lane offset of one step; None where the step has no launched kernel."""

    first_ns: int | None
    first_parts_ns: tuple[int, ...] | None
    end_ns: int | None
    median_ns: float | None
    p95_ns: int | None
    max_ns: int | None
    sum_ns: int
    sum_parts_ns: tuple[int, ...]


def _first_kernels(gpu: GpuWork) -> Int64s:
    """Positions of the first kernel of each launch and device, by launch start, then start."""
    kernels = np.flatnonzero(gpu.is_kernel & gpu.linked)
    order = np.lexsort((gpu.start_ns[kernels], gpu.device[kernels], gpu.launch[kernels]))
    kernels = kernels[order]
    launch, device = gpu.launch[kernels], gpu.device[kernels]
    new = np.ones(len(kernels), np.bool_)
    new[1:] = (launch[1:] != launch[:-1]) | (device[1:] != device[:-1])
    kernels = kernels[new]
    return kernels[np.lexsort((gpu.start_ns[kernels], gpu.launch_start_ns[kernels]))]


def _queued_until(gpu: GpuWork, kernels: Int64s) -> Int64s:
    """Last end of the events of the same stream that started before each kernel."""
    until = np.full(len(kernels), np.iinfo(np.int64).min, np.int64)
    for stream in distinct(gpu.stream[kernels]):
        of_stream = gpu.stream == stream
        starts, reach = gpu.start_ns[of_stream], np.maximum.accumulate(gpu.end_ns[of_stream])
        mine = gpu.stream[kernels] == stream
        before = np.searchsorted(starts, gpu.start_ns[kernels[mine]], side="left")
        until[mine] = np.where(before > 0, reach[before - 1], until[mine])
    return until


class _Causes:
    """The sets of time that the split tests, each without the earlier ones."""

    def __init__(self, recording: Recording) -> None:
        kinds = recording.kinds
        self._recording = recording
        self.full_queue = recording.union_of(kinds.overhead_full_queue)
        self.profiler = subtract(recording.profiler, self.full_queue)
        self._loading_overhead = recording.union_of(kinds.overhead_loading)

    def loading(self, process: int) -> Spans:
        """Loading calls of one process, on any thread, and loading overhead."""
        events, kinds = self._recording.trace.events, self._recording.kinds
        calls = self._recording.union_of(kinds.loading & (events.process == process))
        loading = unite(calls, self._loading_overhead)
        return subtract(subtract(loading, self.full_queue), self.profiler)


def _split(recording: Recording, kernels: Int64s) -> Int64s:
    """Splits [launch start, kernel start) of each kernel, instant by instant, first match."""
    gpu, causes = recording.gpu, _Causes(recording)
    begin, end = gpu.launch_start_ns[kernels], gpu.start_ns[kernels]
    queued = np.clip(_queued_until(gpu, kernels), begin, np.maximum(begin, end))
    called = np.clip(gpu.launch_end_ns[kernels], queued, np.maximum(queued, end))
    parts = np.zeros((len(kernels), len(PARTS)), np.int64)
    parts[:, 0] = queued - begin + causes.full_queue.covered(queued, end)
    parts[:, 1] = causes.profiler.covered(queued, end)
    processes, devices = gpu.process[kernels], gpu.device[kernels]
    for process, device in sorted(set(zip(processes.tolist(), devices.tolist(), strict=True))):
        mine = (processes == process) & (devices == device)
        loading = causes.loading(process)
        taken = unite(causes.full_queue, causes.profiler, loading)
        q, c, e = queued[mine], called[mine], end[mine]
        parts[mine, 2] = loading.covered(q, e)
        parts[mine, 3] = c - q - taken.covered(q, c)
        # The kernel's own stream runs nothing between the end of its queue and its start.
        parts[mine, 4] = subtract(recording.work_of_device(device), taken).covered(c, e)
    parts[:, 5] = end - begin - parts[:, :5].sum(axis=1)
    parts[end < begin] = 0
    return parts


def find_latencies(recording: Recording) -> LaunchLatencies:
    """The launch latencies of a whole trace."""
    gpu = recording.gpu
    kernels = _first_kernels(gpu)
    return LaunchLatencies(
        kernel=kernels,
        step=recording.step_of_gpu[kernels],
        latency_ns=gpu.start_ns[kernels] - gpu.launch_start_ns[kernels],
        parts_ns=_split(recording, kernels),
    )


def _percentiles(latency_ns: Int64s) -> tuple[float | None, int | None, int | None]:
    """Median, 95th percentile and maximum of the latencies that are not negative."""
    real = np.sort(latency_ns[latency_ns >= 0])
    if not len(real):
        return None, None, None
    median = float(real[(len(real) - 1) // 2] + real[len(real) // 2]) / 2
    p95 = real[-(-95 * len(real) // 100) - 1]
    return median, int(p95), int(real[-1])


def _as_tuple(values: Int64s) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def analyze(recording: Recording, latencies: LaunchLatencies, mine: Int64s, step_index: int) -> LaneOffset:
    """The lane offset of one step; ``mine``: positions of its launches in ``latencies``."""
    gpu, work = recording.gpu, recording.gpu_of_step[step_index]
    end = int(gpu.end_ns[work].max()) - recording.steps[step_index].end_ns if len(work) else None
    latency, parts = latencies.latency_ns[mine], latencies.parts_ns[mine]
    median, p95, maximum = _percentiles(latency)
    return LaneOffset(
        first_ns=max(int(latency[0]), 0) if len(mine) else None,
        first_parts_ns=_as_tuple(parts[0]) if len(mine) else None,
        end_ns=end,
        median_ns=median,
        p95_ns=p95,
        max_ns=maximum,
        sum_ns=int(np.maximum(latency, 0).sum()),
        sum_parts_ns=_as_tuple(parts.sum(axis=0)),
    )
