"""Steps in the report's own units: integer nanoseconds become microseconds, unknown becomes None."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tb_plugin_explain import report_schema as schema
from tb_plugin_explain.analyses.launch_latency import PARTS, LaneOffset
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# What every reader of JSON holds exactly.
_SAFE_INTEGER = re.compile(r"-?[0-9]{1,15}")


def maybe_us(time_ns: float | None) -> float | None:
    """The same; None stays None."""
    return None if time_ns is None else time_ns / 1000


def _in_us(parts: Mapping[str, int]) -> dict[str, float]:
    return {name: to_us(time_ns) for name, time_ns in parts.items()}


def pid_of(run: RunAnalyses, process: int | None) -> int | str | None:
    """The process id as a number where it is one."""
    if process is None:
        return None
    pid = run.trace.processes[process]
    return int(pid) if _SAFE_INTEGER.fullmatch(pid) else pid


def _sync(step: StepAnalyses) -> schema.Sync:
    explicit, implicit = step.sync.explicit, step.sync.implicit
    return schema.Sync(
        total_us=to_us(explicit.total_ns),
        calls=step.sync.calls,
        gpu_busy_us=to_us(explicit.gpu_busy_ns),
        gpu_idle_us=to_us(explicit.gpu_idle_ns),
        profiler_us=to_us(explicit.profiler_ns),
        implicit_us=to_us(implicit.total_ns),
        implicit_gpu_busy_us=to_us(implicit.gpu_busy_ns),
        implicit_gpu_idle_us=to_us(implicit.gpu_idle_ns),
        implicit_profiler_us=to_us(implicit.profiler_ns),
        bubble_us=None if step.gpu_is_unknown else to_us(step.bubble_ns),
    )


def _lane_offset(offset: LaneOffset) -> schema.LaneOffset:
    parts = offset.first_parts_ns
    first = {f"{name}_us": None if parts is None else to_us(parts[i]) for i, name in enumerate(PARTS)}
    everything = {f"{name}_us": to_us(offset.sum_parts_ns[i]) for i, name in enumerate(PARTS)}
    return schema.LaneOffset(
        first_us=maybe_us(offset.first_ns),
        end_us=maybe_us(offset.end_ns),
        median_us=maybe_us(offset.median_ns),
        p95_us=maybe_us(offset.p95_ns),
        max_us=maybe_us(offset.max_ns),
        **first,
        all=schema.LatencyParts(sum_us=to_us(offset.sum_ns), **everything),
    )


def _gpu(gpu: GpuStepAnalyses) -> schema.GpuStep:
    activity, idle = gpu.activity, gpu.idle
    return schema.GpuStep(
        device=gpu.device,
        busy_us=to_us(activity.busy_ns),
        kernel_us=to_us(activity.kernel_ns),
        copy_us=to_us(activity.copy_ns),
        memset_us=to_us(activity.memset_ns),
        communication_us=to_us(activity.communication_ns),
        communication_exposed_us=to_us(activity.communication_exposed_ns),
        copy_exposed_us=to_us(activity.copy_exposed_ns),
        period_us=maybe_us(gpu.window.period_ns),
        window_us=to_us(gpu.window.length_ns),
        idle_us=to_us(idle.idle_ns),
        other_work_us=to_us(gpu.other_work_ns),
        idle_by_cause=schema.IdleByCause(**_in_us(idle.by_cause)),
        host_by=schema.HostBy(**_in_us(idle.host_by)),
    )


def _why_no_offset(step: StepAnalyses) -> str:
    if step.gpu_is_unknown:
        return "the step’s GPU events were not recorded"
    if not step.counts["kernels"]:
        return "the step launched no kernel"
    return "no kernel of the step has a launch"


def _not_measured(run: RunAnalyses, step: StepAnalyses) -> dict[str, str]:
    """Each figure of the step that is None or says nothing, with the reason."""
    reasons = {}
    if step.step.number is None:
        reasons["period_us"] = "the recording has no steps"
    elif step.period_ns is None:
        reasons["period_us"] = "no later step of the process was recorded"
    if step.gpu_is_unknown:
        reasons["gpu"] = "the step launched kernels, and no GPU event of it was recorded"
        reasons["sync.bubble_us"] = reasons["gpu"]
    if run.problem("unknown_vendor_sync_names") is not None:
        reasons["sync"] = "the names of this platform’s waits are not known, so 0 means that none was told"
    if step.lane_offset.first_ns is None:
        reasons["lane_offset"] = _why_no_offset(step)
    elif step.lane_offset.median_ns is None:
        reasons["lane_offset.median_us"] = (
            "every kernel seems to start before its launch: the clocks disagree"
        )
    if any(gpu.window.first for gpu in step.gpu):
        reasons["gpu.period_us"] = "the first step with GPU work: its device window opens with the recording"
    if step.settled.settled is None:
        reasons["settled"] = "fewer than three steps of the process to compare with"
    if step.cpu is None:
        reasons["cpu_by"] = "the recording has no steps, so no thread made one"
    if step.step.duration_ns == 0:
        reasons["shares"] = "the step has no length"
    return reasons


def report_step(run: RunAnalyses, step: StepAnalyses) -> schema.Step:
    """One step as the report shows it."""
    return schema.Step(
        number=step.step.number,
        pid=pid_of(run, step.step.process),
        start_us=to_us(step.step.start_ns - run.recording.origin_ns),
        duration_us=to_us(step.step.duration_ns),
        period_us=maybe_us(step.period_ns),
        settled=step.settled.settled,
        unsettled_because=step.settled.because,
        sync=_sync(step),
        lane_offset=_lane_offset(step.lane_offset),
        gpu=None if step.gpu_is_unknown else [_gpu(gpu) for gpu in step.gpu],
        cpu_by=None if step.cpu is None else schema.CpuBy(**_in_us(step.cpu)),
        **step.counts,
        not_measured=_not_measured(run, step),
    )
