"""One trace explained: ``explain(trace)`` and ``explain_path(path)``."""

from __future__ import annotations

import os
from collections.abc import Callable

from tb_plugin_explain import report_schema as schema
from tb_plugin_explain.evidence import typical
from tb_plugin_explain.process import no_garbage_collection
from tb_plugin_explain.report.headline import write_headline
from tb_plugin_explain.report.rule_run import run_rules
from tb_plugin_explain.report.sections import annotations as annotation_rows
from tb_plugin_explain.report.sections import (
    call_sites,
    communication,
    copies,
    drift,
    gaps,
    kernels,
    memory,
    modules,
    operators,
    profiler_cost,
    queue,
)
from tb_plugin_explain.report.sections import input as input_pipeline
from tb_plugin_explain.report.steps import maybe_us, report_step
from tb_plugin_explain.report.trust import assess_trust
from tb_plugin_explain.report.warnings import warning
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses, StepAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.wording import to_us

Progress = Callable[[str, float | None], None]

# Problems after which the file's text is not what the profiler meant to write.
_REPAIRS = frozenset({"json_repaired", "invalid_utf8", "control_chars_in_name"})


def trace_info(run: RunAnalyses, name: str | None, worker: str | None, span: str | None) -> schema.TraceInfo:
    """The file and what it says of itself."""
    trace, meta = run.trace, run.trace.meta
    return schema.TraceInfo(
        file=os.path.basename(meta.file),
        run=name,
        worker=worker,
        span=span,
        rank=meta.rank,
        world_size=meta.world_size,
        events=len(trace.events),
        bytes=meta.file_bytes,
        repaired=any(p.kind in _REPAIRS for p in meta.problems),
        devices=[schema.DeviceInfo(d.id, d.name) for d in meta.devices or ()],
        recorded=schema.Recorded(
            record_shapes=meta.record_shapes,
            with_stack=meta.with_stack,
            profile_memory=meta.profile_memory,
            cuda_sync=bool(trace.is_category(Category.SYNC_ROW).any()),
        ),
        versions=dict(meta.versions),
        origin_ns=meta.base_time_ns + run.recording.origin_ns,
    )


def _closing_wait(run: RunAnalyses) -> schema.ClosingWait | None:
    if run.closing_wait is None:
        return None
    name, split = run.closing_wait
    return schema.ClosingWait(
        name,
        to_us(split.total_ns),
        to_us(split.gpu_busy_ns),
        to_us(split.gpu_idle_ns),
        to_us(split.profiler_ns),
    )


def _gpu_busy_share(gpus: list[GpuStepAnalyses]) -> float | None:
    """1 - sum of idle / sum of device period; of the window where no period is known."""
    period = sum(g.window.length_ns for g in gpus)
    return 1 - sum(g.idle.idle_ns for g in gpus) / period if period else None


def _median_us(values: list[int]) -> float | None:
    return to_us(typical(values)) if values else None


def _summary(run: RunAnalyses) -> schema.Summary:
    steps: list[StepAnalyses] = [run.steps[i] for i in run.averaged]
    known = [s for s in steps if not s.gpu_is_unknown]
    gpus = [g for s in steps for g in s.gpu if g.device == run.busiest_device]
    measured = [g for g in gpus if g.window.period_ns is not None] or gpus
    return schema.Summary(
        device=run.busiest_device,
        duration_us=_median_us([s.step.duration_ns for s in steps]),
        period_us=_median_us([s.period_ns for s in steps if s.period_ns is not None]),
        gpu_window_us=_median_us([g.window.length_ns for g in measured]),
        gpu_busy_us=_median_us([g.activity.busy_ns for g in measured]),
        gpu_idle_us=_median_us([g.idle.idle_ns for g in measured]),
        gpu_busy_share=_gpu_busy_share(measured),
        lost_us=None if run.bound is None else to_us(run.bound.lost_ns),
        sync_us=_median_us([s.sync.explicit.total_ns for s in steps]),
        bubble_us=_median_us([s.bubble_ns for s in known]),
        first_us=_median_us([s.lane_offset.first_ns for s in steps if s.lane_offset.first_ns is not None]),
    )


def explain(
    trace: Trace, run: str | None = None, worker: str | None = None, span: str | None = None
) -> schema.Report:
    """The report of one trace; ``run``, ``worker`` and ``span`` are shown as they are given."""
    return explain_run(RunAnalyses(trace), run, worker, span)


@no_garbage_collection()
def explain_run(
    analyses: RunAnalyses, run: str | None = None, worker: str | None = None, span: str | None = None
) -> schema.Report:
    """The same from the analyses of a trace, for those who need these too."""
    findings, outcomes = run_rules(analyses)
    return schema.Report(
        schema=schema.SCHEMA_VERSION,
        trace=trace_info(analyses, run, worker, span),
        warnings=[warning(problem) for problem in analyses.problems],
        headline=write_headline(analyses, findings),
        pace_us=maybe_us(analyses.pace_ns),
        closing_wait=_closing_wait(analyses),
        summary=_summary(analyses),
        steps=[report_step(analyses, step) for step in analyses.steps],
        findings=findings,
        rules=outcomes,
        trust=assess_trust(analyses),
        kernels=kernels.build(analyses),
        copies=copies.build(analyses),
        communication=communication.build(analyses),
        call_sites=call_sites.build(analyses),
        operators=operators.build(analyses),
        modules=modules.build(analyses),
        annotations=annotation_rows.build(analyses),
        queue=queue.build(analyses),
        gaps=gaps.build(analyses),
        drift=drift.build(analyses),
        memory=memory.build(analyses),
        input=input_pipeline.build(analyses),
        profiler_cost=profiler_cost.build(analyses),
    )


def explain_path(
    path: str,
    run: str | None = None,
    worker: str | None = None,
    span: str | None = None,
    on_progress: Progress | None = None,
) -> schema.Report:
    """Reads and explains one file; ``on_progress`` hears the phase and the share done, None if unknown.

    Raises:
        TraceError: the file is no trace, or too damaged to be read.
    """
    tell: Progress = on_progress or (lambda _phase, _share: None)
    trace = read_trace(path, lambda share: tell("reading", share))
    tell("analysing", None)
    return explain(trace, run, worker, span)
