"""Everything that is known of one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin_explain.analyses import (
    bound,
    compiled_path,
    input_pipeline,
    launch_latency,
    pace,
    profiler_cost,
    step_cpu,
    sync_calls,
    wait_calls,
)
from tb_plugin_explain.analyses.settled import Settled
from tb_plugin_explain.step_analyses.gpu_step import GpuStepAnalyses
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Category

if TYPE_CHECKING:
    from tb_plugin_explain.step_analyses.run import RunAnalyses


class BubbleParts(NamedTuple):
    """Idle ns in the bubbles of all waits; of the claimed and the explicit ones; of the claimed alone."""

    all_ns: int
    explicit_ns: int
    claimed_ns: int


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
        return [GpuStepAnalyses(self.run, self.index, w) for w in self.run.windows[self.index]]

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

    def bubbles_on(self, device: int | None) -> BubbleParts:
        """The bubbles of the step on one device.

        Several devices idle at once: removing the wait gives the run their longest idle, not the sum.
        """
        run, gpus = self.run, [g for g in self.gpu if g.device == device]
        return BubbleParts(
            sum(g.idle.by_cause["sync_bubble"] for g in gpus),
            sum(g.idle_in(run.explicit_bubbles) for g in gpus),
            sum(g.idle_in(run.claimed_bubbles) for g in gpus),
        )

    def general_waits(self, explicit: bool) -> sync_calls.WaitSplit:
        """The waits of the step whose cause has no finding of its own."""
        waits, times = self.run.waits, self.run.wait_times
        here = waits.of_step[self.index]
        mine = here[(waits.explicit[here] == explicit) & ~self.run.claimed_waits[here]]
        return sync_calls.WaitSplit(
            int(times.total_ns[mine].sum()),
            int(times.gpu_busy_ns[mine].sum()),
            int(times.profiler_ns[mine].sum()),
        )

    @cached_property
    def wait_calls(self) -> Sequence[wait_calls.WaitCall]:
        """By call, the waits whose cause has no finding of its own."""
        run = self.run
        return wait_calls.analyze(run.recording, run.waits, ~run.claimed_waits, self.index)

    @cached_property
    def cpu(self) -> Mapping[str, int] | None:
        return step_cpu.analyze(self.run.recording, self.run.host, self.step)

    @property
    def compile_tax(self) -> compiled_path.Tax | None:
        """CPU time in the machinery around compiled code; None where the step runs none."""
        return self.run.compiled_path.tax(self.index)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """launches, kernels, copies, memsets of the step."""
        gpu, work = self.run.recording.gpu, self.run.recording.gpu_of_step[self.index]
        kind, launch = gpu.kind[work], gpu.launch[work]
        return {
            "launches": len(distinct(launch[launch >= 0])),
            "kernels": int((kind == Category.KERNEL).sum()),
            "copies": int((kind == Category.MEMCPY).sum()),
            "memsets": int((kind == Category.MEMSET).sum()),
        }

    def figures_on(self, device: int | None) -> bound.DeviceFigures | None:
        """The figures that the headline judges, None where the step had no work on the device."""
        return next((g.figures for g in self.gpu if g.device == device), None)

    @cached_property
    def drift_figures(self) -> Mapping[str, float | None]:
        """What is compared from step to step, in ns; None where the step does not tell it."""
        run = self.run
        gpu = next((g for g in self.gpu if g.device == run.busiest_device), None)
        return {
            "duration": self.step.duration_ns,
            "pace": pace.longest_period_ns(run.recording.steps, run.windows, self.index),
            "gpu_busy": None if gpu is None else gpu.activity.busy_ns,
            "gpu_idle": None if gpu is None or gpu.window.first else gpu.idle.idle_ns,
            "offset": self.lane_offset.first_ns,
        }

    @cached_property
    def host_copies(self) -> input_pipeline.HostCopies | None:
        """The copies from host to the device that is judged; None where they are not known."""
        if self.gpu_is_unknown or self.run.busiest_device is None:
            return None
        return self.run.input_pipeline.copies(self.index)

    @property
    def input_idle_ns(self) -> int | None:
        """How long the device that is judged waited for the data loader; None where it had no work."""
        device = self.run.busiest_device
        return next((g.idle.by_cause["input"] for g in self.gpu if g.device == device), None)

    def profiler_density(self, name: str) -> float | None:
        """What one of the profiler's modes recorded in a millisecond of the step; None without length."""
        if not self.step.duration_ns:
            return None
        return float(self.run.profiler_records[name][self.index]) * 1e6 / self.step.duration_ns

    @property
    def profiler_idle_ns(self) -> int | None:
        """How long devices were idle because of the profiler."""
        return None if self.gpu_is_unknown else sum(g.idle.by_cause["profiler"] for g in self.gpu)

    @property
    def profiler_latency_ns(self) -> int | None:
        """The part of all launch latencies that the profiler made."""
        offset = self.lane_offset
        if offset.first_ns is None:
            return None
        return offset.sum_parts_ns[launch_latency.PARTS.index("profiler")]

    @cached_property
    def profiler_overhead_ns(self) -> int:
        """When the profiler itself worked, inside the step."""
        step = self.step
        return int(self.run.recording.profiler.covered(step.start_ns, step.end_ns))

    @cached_property
    def profiler_rows(self) -> Sequence[int]:
        """Rows of the profiler's own work that begin in the step."""
        recording = self.run.recording
        rows = profiler_cost.overhead_rows(recording)
        owner = recording.windows.owner_in_any(recording.trace.events.start_ns[rows])
        return [int(row) for row in rows[owner == self.index]]
