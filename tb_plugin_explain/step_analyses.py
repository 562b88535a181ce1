"""The analyses of a run and of each of its steps: lazy, typed, memoised.

A property here is at once a cache, a dependency and a type: a new analysis is one module in
``analyses`` and one property here. Rules read these and never event columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median
from typing import NamedTuple

import numpy as np

from tb_plugin_explain.analyses import (
    annotation_times,
    blocked_launches,
    bound,
    call_sites,
    communication_table,
    drift,
    gap_causes,
    gap_table,
    gpu_activity,
    gpu_idle,
    input_pipeline,
    integrity,
    kernel_sizes,
    launch_latency,
    launched_work,
    leftover_work,
    memory_events,
    memory_use,
    modules,
    operators,
    pace,
    profiler_cost,
    step_cpu,
    step_queue,
    sync_bubble,
    sync_calls,
    wait_calls,
    wait_times,
)
from tb_plugin_explain.analyses.averaged_work import AveragedWork, find_averaged_work
from tb_plugin_explain.analyses.copy_table import CopyTable
from tb_plugin_explain.analyses.device_window import DeviceWindow, find_device_windows, other_work_ns
from tb_plugin_explain.analyses.exposure import Exposure, find_exposure
from tb_plugin_explain.analyses.gpu_gaps import Gaps, find_gaps
from tb_plugin_explain.analyses.host_activity import HostActivity
from tb_plugin_explain.analyses.kernel_launches import KernelLaunches, find_kernel_launches
from tb_plugin_explain.analyses.kernel_table import KernelTable
from tb_plugin_explain.analyses.launch_queue import DeviceQueue, Entries, find_entries
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.settled import Settled, averaged_steps, find_settled
from tb_plugin_explain.analyses.wait_causes import OWN_CAUSES, WaitCause, find_wait_causes
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Bools, Category, Int64s, ReadProblem, Trace
from tb_plugin_explain.trace.spans import Spans, nothing, subtract, union, unite

# A cause of waits whose bubbles take this share of a step is told by itself; below it is within the
# spread of most runs, and told with all other waits.
OWN_FINDING_SHARE = 0.01


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

    @cached_property
    def averaged_work(self) -> AveragedWork:
        return find_averaged_work(self.recording, self.averaged)

    @cached_property
    def kernel_table(self) -> KernelTable:
        return KernelTable(self.trace, self.averaged_work)

    def _exposure(self, chosen: Bools) -> Exposure:
        """When the chosen GPU events ran, and when nothing else of their averaged step did."""
        works = [window.work for i in self.averaged for window in self.windows[i]]
        return find_exposure(self.recording.gpu, works, chosen)

    @cached_property
    def copy_table(self) -> CopyTable:
        kind = self.recording.gpu.kind
        return CopyTable(
            self.trace,
            self.recording.kinds,
            self.averaged_work,
            self._exposure(kind == Category.MEMCPY),
            self._exposure(kind == Category.MEMSET),
        )

    @cached_property
    def collectives(self) -> communication_table.Collectives:
        return communication_table.Collectives(self.trace, self.recording.gpu)

    @cached_property
    def communication_rows(self) -> Sequence[communication_table.CommunicationRow]:
        """The collectives of the averaged steps, the most expensive first."""
        exposure = self._exposure(self.recording.gpu.communication)
        return communication_table.find_rows(self.collectives, self.averaged_work, exposure)

    @cached_property
    def collective_order(self) -> communication_table.CollectiveOrder | None:
        return communication_table.find_order(self.collectives, self.recording.gpu)

    @cached_property
    def origins(self) -> Origins:
        """Which operator, module, annotation and line of the user an event of the CPU comes from."""
        return Origins(self.trace)

    @cached_property
    def in_averaged(self) -> Bools:
        """Whether each row begins in an averaged step of its process."""
        events = self.trace.events
        step = self.recording.windows.owner(events.start_ns, events.process.astype(np.int64))
        return np.isin(step, self.averaged)

    @cached_property
    def launched_work(self) -> launched_work.LaunchedWork:
        return launched_work.find_launched_work(self.recording, self.averaged)

    @cached_property
    def wait_times(self) -> wait_times.WaitTimes:
        return wait_times.find_wait_times(self.recording, self.waits)

    def bubble_of_waits(self, steps: Sequence[int]) -> Int64s:
        """How much of the idle time of some steps each wait made, in ns."""
        waits = self.waits
        bubble = np.zeros(len(waits.row), np.int64)
        gpus = [gpu for i in steps for gpu in self.steps[i].gpu]
        for device in {gpu.device for gpu in gpus}:
            pieces = wait_times.find_bubble_pieces(self.recording, waits, device)
            idle = [gpu.idle_spans for gpu in gpus if gpu.device == device]
            bubble += wait_times.bubble_in(pieces, idle, len(waits.row))
        return bubble

    @cached_property
    def call_sites(self) -> Sequence[call_sites.CallSite]:
        """Who asked for the waits, the most expensive first."""
        waits = self.waits
        return call_sites.analyze(
            self.trace,
            self.origins,
            waits,
            np.isin(waits.step, self.averaged),
            self.wait_times,
            self.bubble_of_waits(self.averaged),
            self.bubble_of_waits(range(len(self.steps))),
        )

    @cached_property
    def wait_causes(self) -> Mapping[WaitCause, Bools]:
        return find_wait_causes(self.trace, self.origins, self.waits)

    @cached_property
    def claimed_causes(self) -> Mapping[WaitCause, float]:
        """The median bubble (ns a step) of the causes that deserve a finding of their own.

        Each is what its waits add to the bubbles of the causes before it, so that none counts twice.
        """
        claimed: dict[WaitCause, float] = {}
        least = max(OWN_FINDING_SHARE * (self.speed_ns or 0), 1)
        for cause in OWN_CAUSES:
            before = self._bubbles_in_steps(self._are_of(*claimed))
            now = self._bubbles_in_steps(self._are_of(*claimed, cause))
            added = [n - b for n, b in zip(now, before, strict=True)]
            if added and median(added) >= least:
                claimed[cause] = float(median(added))
        return claimed

    @cached_property
    def claimed_waits(self) -> Bools:
        """Whether each wait belongs to a cause that has a finding of its own."""
        return self._are_of(*self.claimed_causes)

    def _are_of(self, *causes: WaitCause) -> Bools:
        mask = np.zeros(len(self.waits.row), np.bool_)
        for cause in causes:
            mask |= self.wait_causes[cause]
        return mask

    def _bubbles_in_steps(self, chosen: Bools) -> Sequence[int]:
        bubbles = sync_bubble.find_bubbles(self.recording, self.waits, chosen)
        known = [self.steps[i] for i in self.averaged if not self.steps[i].gpu_is_unknown]
        device = self.busiest_device
        return [sum(g.idle_in(bubbles) for g in s.gpu if g.device == device) for s in known]

    @cached_property
    def operators(self) -> operators.Operators:
        return operators.analyze(self.trace, self.origins, self.in_averaged, self.launched_work)

    @cached_property
    def modules(self) -> modules.Modules:
        return modules.analyze(self.origins, self.in_averaged, self.launched_work)

    @cached_property
    def annotations(self) -> annotation_times.Annotations:
        return annotation_times.analyze(self.trace, self.origins, self.in_averaged, self.launched_work)

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
        return sum(
            int(self.device_work(int(device[c.first])).covered([c.start_ns], [c.start_ns + c.duration_ns])[0])
            for c in calls
        )

    @cached_property
    def cold_start(self) -> drift.ColdStart:
        return drift.find_cold_start(self.recording.steps, self.settled)

    @cached_property
    def cpu_events(self) -> Spans:
        """When the file shows anything of the CPU but the steps themselves."""
        return gap_table.cpu_events(self.recording)

    @cached_property
    def all_gaps(self) -> gap_table.GapTable | None:
        """All gaps of the averaged steps; None where these have no GPU work."""
        tables = [gpu.gaps for i in self.averaged for gpu in self.steps[i].gpu]
        return gap_table.join(tables) if tables else None

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

    @cached_property
    def memory(self) -> Sequence[memory_use.MemoryUse]:
        """Each allocator over the steps, those of the CPU last."""
        found = memory_events.find_allocators(self.trace)
        return [memory_use.MemoryUse(a, self.recording.steps, self.averaged) for a in found]

    def operator_name(self, name: int) -> str:
        """The operator of a block of memory by its name id, for a sentence."""
        return self.trace.names[name] if name >= 0 else "code outside operators"

    @cached_property
    def input_pipeline(self) -> input_pipeline.InputPipeline:
        return input_pipeline.InputPipeline(self.recording, self.busiest_device)

    @cached_property
    def profiler_records(self) -> Mapping[str, Int64s]:
        """What each mode of the profiler recorded, counted by step."""
        return profiler_cost.count_records(self.recording)

    @cached_property
    def profiler_modes(self) -> Mapping[str, bool]:
        """Which costly modes were on: the file says so, or holds what only they record."""
        meta, details = self.trace.meta, self.trace.details
        frames = self.trace.is_category(Category.PYTHON)
        return {
            "with_stack": meta.with_stack or bool(frames.any()),
            "record_shapes": meta.record_shapes or bool((details.operators.shape >= 0).any()),
            "profile_memory": meta.profile_memory or bool(self.memory),
        }

    @cached_property
    def profiler_overhead(self) -> Sequence[profiler_cost.OverheadKind]:
        return profiler_cost.find_overhead(self.recording)


class GpuStepAnalyses:
    """One device's part in one step."""

    def __init__(self, run: RunAnalyses, index: int, window: DeviceWindow) -> None:
        self._run = run
        self._index = index
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
        return step_queue.analyze(self._run.queues[self.device], self._gaps, self.window, self._index)

    @cached_property
    def gaps(self) -> gap_table.GapTable:
        """The gaps of the window, one by one."""
        run, gaps = self._run, self._gaps
        causes = gap_causes.analyze(
            gaps,
            run.recording.profiler,
            run.taken(self.device),
            run.host,
            run.host.of_thread(self._step.lane),
        )
        return gap_table.of_window(
            self._index, self.window, gaps, causes, run.recording.gpu, run.queues[self.device], run.cpu_events
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
