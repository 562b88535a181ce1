"""What stood behind a launch, gaps one by one, and how steps change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin_explain.analyses import (
    blocked_launches,
    drift,
    gap_table,
)
from tb_plugin_explain.analyses.launch_queue import DeviceQueue, Entries, find_entries
from tb_plugin_explain.step_analyses.run_base import RunBase
from tb_plugin_explain.trace.spans import Spans

if TYPE_CHECKING:
    from tb_plugin_explain.step_analyses.gpu_step import GpuStepAnalyses
    from tb_plugin_explain.step_analyses.step import StepAnalyses


class RunQueue(RunBase):
    """The part of ``RunAnalyses`` about queues, gaps and drift."""

    @cached_property
    def entries(self) -> Entries:
        """The queues of all streams, launch by launch."""
        return find_entries(self.recording)

    @cached_property
    def queues(self) -> Mapping[int, DeviceQueue]:
        """The queue of each device."""
        gpu = self.recording.gpu
        return {device: DeviceQueue(gpu, self.entries, device) for device in gpu.devices}

    @cached_property
    def long_launches(self) -> Sequence[blocked_launches.LongLaunch]:
        return blocked_launches.find_long_launches(self.recording, self.entries)

    @cached_property
    def blocked(self) -> Sequence[blocked_launches.LongLaunch]:
        """The launches of averaged steps that were held up behind the GPU's own work."""
        averaged = set(self.averaged)
        return [c for c in self.long_launches if c.reason is not None and c.step in averaged]

    def device_busy_ns(self, calls: Sequence[blocked_launches.LongLaunch]) -> int:
        """Time in launch calls in which their device ran anything, summed over the calls."""
        device = self.recording.gpu.device
        times: dict[int, list[tuple[int, int]]] = {}
        for call in calls:
            times.setdefault(int(device[call.first]), []).append((call.start_ns, call.duration_ns))
        busy_ns = 0
        for number, of_device in times.items():
            start_ns, duration_ns = np.array(of_device, np.int64).T
            busy_ns += int(
                self.recording.work_of_device(number).covered(start_ns, start_ns + duration_ns).sum()
            )
        return busy_ns

    @cached_property
    def cold_start(self) -> drift.ColdStart:
        return drift.find_cold_start(self.recording.steps, self.settled)

    @cached_property
    def cpu_events(self) -> Spans:
        """When the file shows anything of the CPU but the steps themselves."""
        return gap_table.cpu_events(self.recording)

    @property
    def averaged_gpus(self) -> Sequence[GpuStepAnalyses]:
        """Each device's part in each averaged step."""
        return [gpu for i in self.averaged for gpu in self.steps[i].gpu]

    @cached_property
    def compared_steps(self) -> Sequence[StepAnalyses]:
        """The averaged steps of the process that has the most of them, whose trends are looked for."""
        of_process: dict[int | None, list[StepAnalyses]] = {}
        for i in self.averaged:
            of_process.setdefault(self.steps[i].step.process, []).append(self.steps[i])
        return max(of_process.values(), key=lambda steps: (len(steps), -steps[0].index), default=[])

    @cached_property
    def trends(self) -> Mapping[str, drift.Trend]:
        """The trend of each figure of ``StepAnalyses.drift_figures``; empty without steps."""
        steps = self.compared_steps
        if not steps or steps[0].step.number is None:
            return {}
        numbers = [s.step.number or 0 for s in steps]
        figures = [s.drift_figures for s in steps]
        return {name: drift.find_trend(numbers, [f[name] for f in figures]) for name in figures[0]}
