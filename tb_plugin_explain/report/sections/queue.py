"""The section ``queue``: what stood behind the launches of the averaged steps."""

from __future__ import annotations

from tb_plugin_explain.analyses.blocked_launches import LongLaunch
from tb_plugin_explain.analyses.step_queue import series
from tb_plugin_explain.evidence import averaged
from tb_plugin_explain.report_sections import queue as section
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

MAX_ROWS = 200
MAX_SERIES = 20
MAX_STREAMS = 20


def _since_origin_us(run: RunAnalyses, time_ns: int) -> float:
    return to_us(time_ns - run.recording.origin_ns)


def _step(run: RunAnalyses, step: StepAnalyses, gpu: GpuStepAnalyses, with_series: bool) -> section.QueueStep:
    queue, window, length = gpu.queue, gpu.window, gpu.window.length_ns
    behind = queue.behind
    return section.QueueStep(
        step=step.step.number,
        device=gpu.device,
        start_us=_since_origin_us(run, window.low_ns),
        window_us=to_us(length),
        launches=queue.launches,
        late=queue.late,
        max=queue.highest,
        mean=queue.mean,
        idle_empty_us=to_us(queue.idle_empty_ns),
        idle_launching_us=to_us(queue.idle_launching_ns),
        idle_queued_us=to_us(queue.idle_queued_ns),
        empty_share=queue.idle_empty_ns / length if length else None,
        behind_us=None if behind.at_ns is None else _since_origin_us(run, behind.at_ns),
        behind_after=behind.after,
        late_before=behind.late_before,
        late_after=behind.late_after,
        streams=[
            section.StreamQueue(run.trace.streams[s.stream].key, s.launches, s.highest, s.mean)
            for s in queue.streams[:MAX_STREAMS]
        ],
        series=series(run.queues[gpu.device], window) if with_series else None,
    )


def _call(run: RunAnalyses, call: LongLaunch) -> section.BlockedCall:
    assert call.reason is not None
    gpu = run.recording.gpu
    return section.BlockedCall(
        step=run.steps[call.step].step.number,
        call=run.trace.name_of(call.row),
        kernel=run.trace.names[int(gpu.name[call.first])],
        start_us=_since_origin_us(run, call.start_ns),
        duration_us=to_us(call.duration_ns),
        usual_us=to_us(call.usual_ns),
        ahead=call.ahead,
        reason=call.reason,
        event=int(run.trace.events.ordinal[call.row]),
    )


def _blocked(run: RunAnalyses) -> section.BlockedLaunches:
    calls = run.blocked
    total = sum(c.duration_ns for c in calls)
    return section.BlockedLaunches(
        count=len(calls),
        full_queue=sum(c.reason == "full_queue" for c in calls),
        total_us=to_us(total),
        device_busy_us=to_us(run.device_busy_ns(calls)),
        calls=[_call(run, c) for c in calls[:MAX_ROWS]],
        rest_us=to_us(sum(c.duration_ns for c in calls[MAX_ROWS:])),
    )


def build(run: RunAnalyses) -> section.Queue | None:
    """The section; None where no GPU work of the file has a launch."""
    if not run.recording.gpu.linked.any():
        return None
    parts = [(s, gpu) for s in averaged(run) for gpu in s.gpu if gpu.queue.launches]
    return section.Queue(
        steps=[_step(run, s, gpu, i < MAX_SERIES) for i, (s, gpu) in enumerate(parts[:MAX_ROWS])],
        left_out=max(len(parts) - MAX_ROWS, 0),
        blocked=_blocked(run),
    )
