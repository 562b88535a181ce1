"""Section ``profiler_cost``: docs/definitions/profiler_cost.md."""

from __future__ import annotations

from collections.abc import Iterable

from tb_plugin_explain.analyses.profiler_cost import OverheadKind
from tb_plugin_explain.evidence import typical
from tb_plugin_explain.report.sections import MAX_ROWS
from tb_plugin_explain.report.steps import maybe_us
from tb_plugin_explain.report_sections import profiler_cost as schema
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

MAX_STEPS_OF_KIND = 50

_NO_SLOWDOWN = "how fast the run is without the profiler only a recording with fewer modes can tell"
_NO_OVERHEAD = "the file has no such event; recordings of the CPU alone and of AMD GPUs never have"


def _step(run: RunAnalyses, step: StepAnalyses) -> schema.StepProfilerCost:
    records = {name: int(counts[step.index]) for name, counts in run.profiler_records.items()}
    return schema.StepProfilerCost(
        number=step.step.number,
        averaged=step.index in run.averaged,
        **records,
        python_frames_per_ms=step.profiler_density("python_frames"),
        memory_events_per_ms=step.profiler_density("memory_events"),
        shape_records_per_ms=step.profiler_density("shape_records"),
        overhead_us=to_us(step.profiler_overhead_ns),
        latency_us=maybe_us(step.profiler_latency_ns),
        idle_us=maybe_us(step.profiler_idle_ns),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return typical(known) if known else None


def _typical(steps: list[schema.StepProfilerCost]) -> schema.TypicalProfilerCost:
    averaged = [s for s in steps if s.averaged]
    return schema.TypicalProfilerCost(
        python_frames_per_ms=_median(s.python_frames_per_ms for s in averaged),
        memory_events_per_ms=_median(s.memory_events_per_ms for s in averaged),
        shape_records_per_ms=_median(s.shape_records_per_ms for s in averaged),
        overhead_us=_median(s.overhead_us for s in averaged) or 0.0,
        latency_us=_median(s.latency_us for s in averaged),
        idle_us=_median(s.idle_us for s in averaged),
    )


def _overhead(run: RunAnalyses, kind: OverheadKind) -> schema.ProfilerOverhead:
    return schema.ProfilerOverhead(
        name=kind.name,
        count=kind.count,
        total_us=to_us(kind.total_ns),
        longest_us=to_us(kind.longest_ns),
        steps=[run.steps[i].step.number for i in kind.steps[:MAX_STEPS_OF_KIND]],
        outside_us=to_us(kind.outside_ns),
    )


def build(run: RunAnalyses) -> schema.ProfilerCost | None:
    """The section; None where the trace has no step."""
    if not run.steps:
        return None
    steps = [_step(run, step) for step in run.steps]
    reasons = {"slowdown": _NO_SLOWDOWN}
    if not run.profiler_overhead:
        reasons["overhead"] = _NO_OVERHEAD
    return schema.ProfilerCost(
        modes=schema.ProfilerModes(**run.profiler_modes),
        typical=_typical(steps),
        steps=steps[:MAX_ROWS],
        steps_left_out=len(steps[MAX_ROWS:]),
        overhead=[_overhead(run, kind) for kind in run.profiler_overhead],
        not_measured=reasons,
    )
