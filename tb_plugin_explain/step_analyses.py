"""The analyses of a run and of each of its steps: lazy, typed, memoised.

A property here is at once a cache, a dependency and a type: a new analysis is one module in
``analyses`` and one property here. Rules read these and never event columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median

import numpy as np

from tb_plugin_explain.analyses import (
    bound,
    gpu_activity,
    gpu_idle,
    integrity,
    kernel_sizes,
    launch_latency,
    leftover_work,
    pace,
    step_cpu,
    sync_bubble,
    sync_calls,
    wait_calls,
)
from tb_plugin_explain.analyses.device_window import DeviceWindow, find_device_windows, other_work_ns
from tb_plugin_explain.analyses.gpu_gaps import Gaps, find_gaps
from tb_plugin_explain.analyses.host_activity import HostActivity
from tb_plugin_explain.analyses.kernel_launches import KernelLaunches, find_kernel_launches
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.settled import Settled, averaged_steps, find_settled
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Category, ReadProblem, Trace
from tb_plugin_explain.trace.spans import Spans, nothing, subtract, union, unite
from tb_plugin_explain.trace.steps import ProfilerStep


class RunAnalyses:
    """Everything that is known of one trace, computed when first asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.recording = Recording(trace)
        self._gaps: dict[int, Gaps] = {}
        self._device_work: dict[int, Spans] = {}
        self._taken: dict[int, Spans] = {}

    @cached_property
    def steps(self) -> Sequence[StepAnalyses]:
        return [StepAnalyses(self, i) for i in range(len(self.recording.steps))]

    @cached_property
    def waits(self) -> sync_calls.Waits:
        return sync_calls.find_waits(self.recording)

    @cached_property
    def closing_wait(self) -> tuple[str, sync_calls.WaitSplit] | None:
        return sync_calls.closing_wait(self.recording, self.waits)

    @cached_property
    def bubbles(self) -> Mapping[int, Spans]:
        return sync_bubble.find_bubbles(self.recording, self.waits, np.ones(len(self.waits.row), np.bool_))

    @cached_property
    def explicit_bubbles(self) -> Mapping[int, Spans]:
        """The bubbles of the explicit waits alone."""
        return sync_bubble.find_bubbles(self.recording, self.waits, self.waits.explicit)

    @cached_property
    def leftover_work(self) -> leftover_work.LeftoverWork:
        return leftover_work.analyze(self.recording.gpu)

    @cached_property
    def problems(self) -> Sequence[ReadProblem]:
        """What limits the trust in this trace."""
        return integrity.find_problems(self.recording, self.launches)

    def problem(self, kind: str) -> ReadProblem | None:
        """The problem of one kind, None where the trace does not have it."""
        return next((p for p in self.problems if p.kind == kind), None)

    @cached_property
    def latencies(self) -> launch_latency.LaunchLatencies:
        return launch_latency.find_latencies(self.recording)

    @cached_property
    def latencies_of_step(self) -> Groups:
        return Groups(self.latencies.step, len(self.recording.steps))

    @cached_property
    def launches(self) -> KernelLaunches:
        return find_kernel_launches(self.recording)

    @cached_property
    def windows(self) -> Sequence[Sequence[DeviceWindow]]:
        return find_device_windows(self.recording)

    @cached_property
    def host(self) -> HostActivity:
        return HostActivity(self.recording)

    def gaps(self, device: int) -> Gaps:
        """All gaps of one device."""
        if device not in self._gaps:
            self._gaps[device] = find_gaps(self.recording.gpu, self.trace.events.lane, device)
        return self._gaps[device]

    def taken(self, device: int) -> Spans:
        """When idle time of one device goes to the profiler or to the bubbles of waits."""
        if device not in self._taken:
            self._taken[device] = unite(self.recording.profiler, self.bubbles.get(device, nothing()))
        return self._taken[device]

    def device_work(self, device: int) -> Spans:
        """When one device ran anything."""
        if device not in self._device_work:
            gpu = self.recording.gpu
            mine = gpu.device == device
            self._device_work[device] = union(gpu.start_ns[mine], gpu.end_ns[mine])
        return self._device_work[device]

    @cached_property
    def settled(self) -> Sequence[Settled]:
        return find_settled(self.recording, self.launches)

    @cached_property
    def averaged(self) -> Sequence[int]:
        """Indices of the steps that averages use."""
        return averaged_steps(self.settled)

    @cached_property
    def pace_ns(self) -> float | None:
        return pace.find_pace_ns(self.recording.steps, self.windows, self.averaged)

    @cached_property
    def busiest_device(self) -> int | None:
        """The device with the longest busy time over the averaged steps (tie: the lowest number)."""
        busy: dict[int, int] = {}
        for i in self.averaged:
            for gpu in self.steps[i].gpu:
                busy[gpu.device] = busy.get(gpu.device, 0) + gpu.activity.busy_ns
        return min(busy, key=lambda d: (-busy[d], d)) if busy else None

    @cached_property
    def speed_ns(self) -> float | None:
        """The pace; what stands in for it where no process has two steps."""
        if self.pace_ns is not None or not self.averaged:
            return self.pace_ns
        return float(median([self._longest_ns(i) for i in self.averaged]))

    def _longest_ns(self, index: int) -> int:
        """The longer of a step's CPU span and its device windows; without steps, of the windows alone."""
        step, windows = self.recording.steps[index], [w.length_ns for w in self.windows[index]]
        own = [] if step.number is None and windows else [step.duration_ns]
        return max(own + windows)

    @cached_property
    def bounds(self) -> Sequence[bound.Bound]:
        """The verdict on each averaged step that worked on the busiest device."""
        figures = [self.steps[i].figures_on(self.busiest_device) for i in self.averaged]
        return [bound.judge(f, self.speed_ns) for f in figures if f is not None and self.speed_ns is not None]

    @cached_property
    def bound(self) -> bound.Bound | None:
        """The verdict on the medians; None where no averaged step has GPU work."""
        if not self.bounds or self.speed_ns is None:
            return None
        return bound.judge(bound.medians([b.figures for b in self.bounds]), self.speed_ns)


class GpuStepAnalyses:
    """One device's part in one step."""

    def __init__(self, run: RunAnalyses, step: ProfilerStep, window: DeviceWindow) -> None:
        self._run = run
        self._step = step
        self.window = window
        self.device = window.device

    @cached_property
    def activity(self) -> gpu_activity.GpuActivity:
        return gpu_activity.analyze(self._run.recording.gpu, self.window.work)

    @cached_property
    def idle(self) -> gpu_idle.GpuIdle:
        run = self._run
        return gpu_idle.analyze(
            self._gaps,
            run.recording.profiler,
            run.taken(self.device),
            run.host,
            run.host.of_thread(self._step.lane),
        )

    @cached_property
    def kernel_sizes(self) -> kernel_sizes.KernelSizes | None:
        return kernel_sizes.analyze(self._run.recording.gpu, self.window.work)

    @cached_property
    def bubble_without_implicit_ns(self) -> int:
        """The idle time in bubbles of the explicit waits, without the profiler's."""
        run = self._run
        bubbles = subtract(run.explicit_bubbles.get(self.device, nothing()), run.recording.profiler)
        gaps = self._gaps
        return int(bubbles.covered(gaps.start_ns, gaps.end_ns).sum())

    @property
    def _gaps(self) -> Gaps:
        window = self.window
        return self._run.gaps(self.device).inside(window.low_ns, max(window.low_ns, window.high_ns))

    @cached_property
    def other_work_ns(self) -> int:
        gpu, work = self._run.recording.gpu, self.window.work
        own = union(gpu.start_ns[work], gpu.end_ns[work])
        if self.window.length_ns == 0:
            return 0
        return other_work_ns(self.window, own, self._run.device_work(self.device))

    @property
    def figures(self) -> bound.DeviceFigures:
        activity = self.activity
        return bound.DeviceFigures(
            busy_ns=activity.busy_ns,
            window_ns=self.window.length_ns,
            idle_ns=self.idle.idle_ns,
            communication_exposed_ns=activity.communication_exposed_ns,
            copy_exposed_ns=activity.copy_exposed_ns,
            by_cause=self.idle.by_cause,
        )


class StepAnalyses:
    """Everything that is known of one step."""

    def __init__(self, run: RunAnalyses, index: int) -> None:
        self.run = run
        self.index = index
        self.step = run.recording.steps[index]

    @cached_property
    def sync(self) -> sync_calls.StepSync:
        return sync_calls.analyze(self.run.recording, self.run.waits, self.index)

    @cached_property
    def lane_offset(self) -> launch_latency.LaneOffset:
        run = self.run
        return launch_latency.analyze(
            run.recording, run.latencies, run.latencies_of_step[self.index], self.index
        )

    @cached_property
    def gpu(self) -> Sequence[GpuStepAnalyses]:
        """One element a device on which the step had work."""
        return [GpuStepAnalyses(self.run, self.step, w) for w in self.run.windows[self.index]]

    @cached_property
    def gpu_is_unknown(self) -> bool:
        """Whether the step launched kernels and none of its GPU events was recorded."""
        return not self.gpu and self.run.launches.of_step(self.index)[0] > 0

    @property
    def settled(self) -> Settled:
        return self.run.settled[self.index]

    @property
    def period_ns(self) -> int | None:
        return pace.step_period_ns(self.run.recording.steps, self.index)

    @cached_property
    def bubble_ns(self) -> int:
        return sum(g.idle.by_cause["sync_bubble"] for g in self.gpu)

    def bubbles_on(self, device: int | None) -> tuple[int, int]:
        """Idle ns of one device in the bubbles of all waits, and of the explicit waits alone.

        Several devices idle at once: removing the wait gives the run their longest idle, not the sum.
        """
        gpus = [g for g in self.gpu if g.device == device]
        return (
            sum(g.idle.by_cause["sync_bubble"] for g in gpus),
            sum(g.bubble_without_implicit_ns for g in gpus),
        )

    @cached_property
    def wait_calls(self) -> Sequence[wait_calls.WaitCall]:
        return wait_calls.analyze(self.run.recording, self.run.waits, self.index)

    @cached_property
    def cpu(self) -> Mapping[str, int] | None:
        return step_cpu.analyze(self.run.recording, self.run.host, self.step)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """launches, kernels, copies, memsets of the step."""
        gpu, work = self.run.recording.gpu, self.run.recording.gpu_of_step[self.index]
        kind, launch = gpu.kind[work], gpu.launch[work]
        return {
            "launches": len(np.unique(launch[launch >= 0])),
            "kernels": int((kind == Category.KERNEL).sum()),
            "copies": int((kind == Category.MEMCPY).sum()),
            "memsets": int((kind == Category.MEMSET).sum()),
        }

    def figures_on(self, device: int | None) -> bound.DeviceFigures | None:
        """The figures that the headline judges, None where the step had no work on the device."""
        return next((g.figures for g in self.gpu if g.device == device), None)
