"""Section ``input``: docs/definitions/input.md."""

from __future__ import annotations

from collections.abc import Iterable

from tb_plugin_explain.evidence import typical
from tb_plugin_explain.report.sections import MAX_ROWS
from tb_plugin_explain.report.steps import maybe_us
from tb_plugin_explain.report_sections import input as schema
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

_NO_WORKERS = "no event names the data loader’s iterator"
_NO_DEVICE = "no GPU event of an averaged step was recorded"


def _step(run: RunAnalyses, step: StepAnalyses, loader_ns: int) -> schema.StepInput:
    copies, duration = step.host_copies, step.step.duration_ns
    return schema.StepInput(
        number=step.step.number,
        averaged=step.index in run.averaged,
        loader_us=to_us(loader_ns),
        loader_share=loader_ns / duration if duration else None,
        loader_calls=run.input_pipeline.loader_calls(step.step),
        idle_us=maybe_us(step.input_idle_ns),
        copies=None if copies is None else copies.count,
        copy_bytes=None if copies is None else copies.size_bytes,
        copy_us=None if copies is None else to_us(copies.time_ns),
        pageable=None if copies is None else copies.pageable,
        pinned=None if copies is None else copies.pinned,
        copy_exposed_us=None if copies is None else to_us(copies.exposed_ns),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return typical(known) if known else None


def _typical(steps: list[schema.StepInput]) -> schema.TypicalInput:
    averaged = [s for s in steps if s.averaged]
    return schema.TypicalInput(
        loader_us=_median(s.loader_us for s in averaged) or 0.0,
        loader_share=_median(s.loader_share for s in averaged),
        idle_us=_median(s.idle_us for s in averaged),
        copy_us=_median(s.copy_us for s in averaged),
        copy_exposed_us=_median(s.copy_exposed_us for s in averaged),
    )


def build(run: RunAnalyses) -> schema.InputPipeline | None:
    """The section; None where no step has a sign of an input pipeline."""
    steps = [_step(run, s, s.cpu["input"]) for s in run.steps if s.cpu is not None]
    if not any(s.loader_us or s.loader_calls or s.copies for s in steps):
        return None
    reasons = {}
    if run.input_pipeline.workers is None:
        reasons["workers"] = _NO_WORKERS
    if run.busiest_device is None:
        reasons["device"] = _NO_DEVICE
    return schema.InputPipeline(
        workers=run.input_pipeline.workers,
        device=run.busiest_device,
        typical=_typical(steps),
        steps=steps[:MAX_ROWS],
        steps_left_out=len(steps[MAX_ROWS:]),
        not_measured=reasons,
    )
