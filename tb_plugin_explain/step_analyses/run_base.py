"""What every other analysis of a run builds on: steps, waits, windows, gaps, pace, verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin_explain.analyses import (
    bound,
    integrity,
    launch_latency,
    leftover_work,
    pace,
    sync_bubble,
    sync_calls,
)
from tb_plugin_explain.analyses.device_window import DeviceWindow, find_device_windows
from tb_plugin_explain.analyses.gpu_gaps import Gaps, find_gaps
from tb_plugin_explain.analyses.host_activity import HostActivity
from tb_plugin_explain.analyses.kernel_launches import KernelLaunches, find_kernel_launches
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.settled import Settled, averaged_steps, find_settled
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Bools, ReadProblem, Trace
from tb_plugin_explain.trace.spans import Spans, nothing, unite

if TYPE_CHECKING:
    from tb_plugin_explain.step_analyses.step import StepAnalyses


class RunBase(ABC):
    """The first part of ``RunAnalyses``."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.recording = Recording(trace)
        self._gaps: dict[int, Gaps] = {}
        self._taken: dict[int, Spans] = {}

    @property
    @abstractmethod
    def steps(self) -> Sequence[StepAnalyses]:
        """The analyses of each step."""

    @property
    @abstractmethod
    def claimed_waits(self) -> Bools:
        """Whether each wait belongs to a cause that has a finding of its own."""

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
    def claimed_bubbles(self) -> Mapping[int, Spans]:
        """The bubbles of the waits whose cause has a finding of its own."""
        return sync_bubble.find_bubbles(self.recording, self.waits, self.claimed_waits)

    @cached_property
    def explicit_bubbles(self) -> Mapping[int, Spans]:
        """The bubbles of those and of the explicit waits, without the implicit ones that remain."""
        chosen = self.waits.explicit | self.claimed_waits
        return sync_bubble.find_bubbles(self.recording, self.waits, chosen)

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

    @cached_property
    def settled(self) -> Sequence[Settled]:
        return find_settled(self.recording, self.launches)

    @cached_property
    def averaged(self) -> Sequence[int]:
        """Indices of the steps that averages use."""
        return averaged_steps(self.settled)

    @cached_property
    def launched_in_averaged(self) -> Bools:
        """Whether each of ``launches`` was made in an averaged step."""
        return np.isin(self.launches.step, self.averaged)

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
        judged = [
            bound.judge(f, self.speed_ns) for f in figures if f is not None and self.speed_ns is not None
        ]
        return [b for b in judged if b.base_ns > 0]

    @cached_property
    def bound(self) -> bound.Bound | None:
        """The verdict on the medians; None where no averaged step has GPU work, or no time to share out."""
        if not self.bounds or self.speed_ns is None:
            return None
        judged = bound.judge(bound.medians([b.figures for b in self.bounds]), self.speed_ns)
        return judged if judged.base_ns > 0 else None
