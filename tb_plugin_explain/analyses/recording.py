"""What several analyses need of one trace, computed once: links, steps, masks, unions.

A plain class of cached properties: each is at once a cache and a dependency.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tb_plugin_explain.analyses.call_kinds import CallKinds, find_call_kinds
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.links import GpuWork, find_gpu_work
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace
from tb_plugin_explain.trace.spans import Spans, union
from tb_plugin_explain.trace.steps import ProfilerStep, Steps, StepWindows, find_steps


class Recording:
    """One trace with everything that follows from its rows alone."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._work_of_process: dict[int, Spans] = {}
        self._work_of_device: dict[int, Spans] = {}

    @cached_property
    def gpu(self) -> GpuWork:
        kernels = self.trace.is_category(Category.KERNEL)
        named = self.trace.names_where(vocabulary.is_communication)
        return find_gpu_work(self.trace, kernels & (named | self.trace.events.collective))

    @cached_property
    def kinds(self) -> CallKinds:
        return find_call_kinds(self.trace, self.gpu)

    @cached_property
    def found_steps(self) -> Steps:
        return find_steps(self.trace)

    @property
    def steps(self) -> Sequence[ProfilerStep]:
        return self.found_steps.steps

    @cached_property
    def windows(self) -> StepWindows:
        return StepWindows(self.trace, self.steps)

    @property
    def origin_ns(self) -> int:
        """Start of the first step, from which times in reports count."""
        return self.steps[0].start_ns if self.steps else 0

    @cached_property
    def step_of_gpu(self) -> Int64s:
        """Step of each GPU event: of its launch; -1 where none."""
        gpu = self.gpu
        if not gpu.linked.any():
            return self.windows.owner_in_any(gpu.start_ns)
        step = self.windows.owner(gpu.launch_start_ns, gpu.process)
        return np.where(gpu.linked, step, -1)

    @cached_property
    def gpu_of_step(self) -> Groups:
        """Positions in ``gpu`` of each step's GPU work."""
        return Groups(self.step_of_gpu, len(self.steps))

    def step_of_calls(self, rows: Int64s) -> Int64s:
        """Step of some runtime or driver calls, by where each begins."""
        events = self.trace.events
        return self.windows.owner(events.start_ns[rows], events.process[rows])

    def work_of_process(self, process: int) -> Spans:
        """When the device work of a process ran: what it launched, and all without a launch."""
        if process not in self._work_of_process:
            gpu = self.gpu
            self._work_of_process[process] = self._work_where((gpu.process == process) | ~gpu.linked)
        return self._work_of_process[process]

    def work_of_device(self, device: int) -> Spans:
        """When one device ran anything."""
        if device not in self._work_of_device:
            self._work_of_device[device] = self._work_where(self.gpu.device == device)
        return self._work_of_device[device]

    def _work_where(self, chosen: Bools) -> Spans:
        """When any of the marked work ran; mostly that is all of it, which is kept once."""
        gpu = self.gpu
        return self._all_work if chosen.all() else union(gpu.start_ns[chosen], gpu.end_ns[chosen])

    @cached_property
    def _all_work(self) -> Spans:
        return union(self.gpu.start_ns, self.gpu.end_ns)

    def union_of(self, rows: Bools) -> Spans:
        """When any of the marked rows ran."""
        events = self.trace.events
        return union(events.start_ns[rows], events.end_ns_of(rows))

    @cached_property
    def profiler(self) -> Spans:
        """When the profiler itself cost time."""
        return self.union_of(self.kinds.overhead_profiler)
