"""One device's part in one step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from tb_plugin_explain.analyses import (
    bound,
    gap_causes,
    gap_table,
    gpu_activity,
    gpu_idle,
    idle_times,
    kernel_sizes,
    step_queue,
)
from tb_plugin_explain.analyses.device_window import DeviceWindow, other_work_ns
from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.trace.model import Bools, Category, Int64s
from tb_plugin_explain.trace.spans import Spans, nothing, subtract, union

if TYPE_CHECKING:
    from tb_plugin_explain.step_analyses.run import RunAnalyses


class GpuStepAnalyses:
    """One device's part in one step."""

    def __init__(self, run: RunAnalyses, index: int, window: DeviceWindow) -> None:
        self._run = run
        self.step_index = index
        self._step = run.recording.steps[index]
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

    @property
    def idle_times(self) -> Mapping[str, Spans]:
        """When the device idled in the window, by cause."""
        run = self._run
        return idle_times.analyze(
            self._gaps,
            run.recording.profiler,
            run.taken(self.device),
            run.host,
            run.host.of_thread(self._step.lane),
        )

    @cached_property
    def kernel_sizes(self) -> kernel_sizes.KernelSizes | None:
        return kernel_sizes.analyze(self._run.recording.gpu, self.window.work)

    def idle_in(self, bubbles: Mapping[int, Spans]) -> int:
        """The idle time in some bubbles, by device, without the profiler's."""
        mine = subtract(bubbles.get(self.device, nothing()), self._run.recording.profiler)
        gaps = self._gaps
        return int(mine.covered(gaps.start_ns, gaps.end_ns).sum())

    @cached_property
    def queue(self) -> step_queue.StepQueue:
        return step_queue.analyze(self._run.queues[self.device], self._gaps, self.window, self.step_index)

    @cached_property
    def gaps(self) -> gap_table.GapTable:
        """The gaps of the window, one by one."""
        run = self._run
        return gap_table.of_window(
            self.step_index,
            self.window,
            self._gaps,
            run.recording.gpu,
            run.queues[self.device],
            run.cpu_events,
        )

    def causes_of_gaps(self, chosen: Bools | Int64s) -> gap_causes.GapCauses:
        """The causes of some rows of ``gaps``; of all they would be larger than all else about them.

        Those of all sum to ``idle``.
        """
        run = self._run
        return gap_causes.analyze(
            self._gaps.where(chosen),
            run.recording.profiler,
            run.taken(self.device),
            run.host,
            run.host.of_thread(self._step.lane),
        )

    @property
    def idle_spans(self) -> Spans:
        """When the device idled in the window, the profiler's time left out."""
        gaps = self._gaps
        return subtract(union(gaps.start_ns, gaps.end_ns), self._run.recording.profiler)

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
        return other_work_ns(self.window, own, self._run.recording.work_of_device(self.device))

    @cached_property
    def memset_alone_ns(self) -> int:
        """Time of the window in which the step’s memsets ran and nothing else on the device."""
        gpu, work, window = self._run.recording.gpu, self.window.work, self.window
        mine = work[gpu.kind[work] == Category.MEMSET]
        others = (gpu.device == self.device) & (gpu.kind != Category.MEMSET)
        ran = subtract(
            union(gpu.start_ns[mine], gpu.end_ns[mine]), union(gpu.start_ns[others], gpu.end_ns[others])
        )
        return int(ran.covered(window.low_ns, max(window.low_ns, window.high_ns)))

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
