"""Section ``memory``: docs/definitions/memory.md."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tb_plugin_explain.analyses.memory_events import CPU, LiveMemory, OperatorMemory
from tb_plugin_explain.analyses.memory_use import MemoryUse, StepMemory
from tb_plugin_explain.report.sections import MAX_ROWS
from tb_plugin_explain.report.steps import pid_of
from tb_plugin_explain.report_sections import memory as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A step is looked at for its largest holders; all of them stand at the run's peak.
MAX_OPERATORS_OF_STEP = 10
# torch/csrc: c10/core/DeviceType.h.
_DEVICE_TYPES = {0: "cpu", 1: "cuda", 6: "hip", 12: "xpu", 13: "mps", 19: "mtia"}

_NO_TOTALS = "not every memory event tells the allocator’s total"
_NO_RESERVED = "PyTorch records no reserved memory here"
_NO_GROWTH = "fewer than three steps follow a step to compare with"
_NO_PEAK = "no averaged step holds a memory event"


def _device_type(number: int) -> str:
    return _DEVICE_TYPES.get(number, f"type {number}" if number >= 0 else "unknown")


def _operators(run: RunAnalyses, rows: Sequence[OperatorMemory]) -> list[schema.MemoryOfOperator]:
    names = run.trace.names
    return [
        schema.MemoryOfOperator(names[r.operator] if r.operator >= 0 else None, r.blocks, r.size_bytes)
        for r in rows
    ]


def _live(run: RunAnalyses, live: LiveMemory, limit: int) -> schema.LiveMemory:
    others = live.by_operator[limit:]
    return schema.LiveMemory(
        by_operator=_operators(run, live.by_operator[:limit]),
        others=schema.MemoryOfOthers(
            len(others), sum(o.blocks for o in others), sum(o.size_bytes for o in others)
        ),
        before_recording_bytes=live.before_recording_bytes,
        unaccounted_bytes=live.unaccounted_bytes,
    )


def _curve(run: RunAnalyses, use: MemoryUse) -> schema.MemoryCurve | None:
    allocator, states = use.allocator, use.curve
    if allocator.allocated_bytes is None:
        return None
    reserved = allocator.reserved_bytes
    times = allocator.time_ns[states - 1] - run.recording.origin_ns
    return schema.MemoryCurve(
        time_us=[to_us(t) for t in times.tolist()],
        allocated_bytes=allocator.allocated_bytes[states].tolist(),
        reserved_bytes=None if reserved is None else reserved[states].tolist(),
    )


def _peak_us(run: RunAnalyses, step: StepMemory) -> float | None:
    return None if step.peak_ns is None else to_us(step.peak_ns - run.recording.origin_ns)


def _step(run: RunAnalyses, use: MemoryUse, step: StepMemory) -> schema.StepMemory:
    totals, reserved = use.allocator.allocated_bytes, use.allocator.reserved_bytes
    known = totals is not None and step.peak is not None
    return schema.StepMemory(
        number=run.steps[step.index].step.number,
        settled=run.settled[step.index].settled,
        averaged=step.index in run.averaged,
        allocations=step.allocations,
        allocated_bytes_in_step=step.allocated_in_step,
        frees=step.frees,
        freed_bytes_in_step=step.freed_in_step,
        start_bytes=None if totals is None else int(totals[step.first]),
        end_bytes=None if totals is None else int(totals[step.last]),
        peak_bytes=None if totals is None or step.peak is None else int(totals[step.peak]),
        peak_us=_peak_us(run, step),
        reserved_at_peak_bytes=None if reserved is None or step.peak is None else int(reserved[step.peak]),
        peak_reserved_bytes=None if reserved is None else int(reserved[step.first : step.last + 1].max()),
        growth_bytes=step.growth,
        live=_live(run, use.allocator.live(step.peak), MAX_OPERATORS_OF_STEP)
        if known and step.peak is not None
        else None,
    )


def _peak(run: RunAnalyses, use: MemoryUse) -> schema.MemoryPeak | None:
    step, totals, reserved = use.highest, use.allocator.allocated_bytes, use.allocator.reserved_bytes
    if step is None or step.peak is None or step.peak_ns is None or totals is None:
        return None
    return schema.MemoryPeak(
        step=run.steps[step.index].step.number,
        peak_bytes=int(totals[step.peak]),
        peak_us=to_us(step.peak_ns - run.recording.origin_ns),
        reserved_at_peak_bytes=None if reserved is None else int(reserved[step.peak]),
        live=_live(run, use.allocator.live(step.peak), MAX_ROWS),
    )


def _growth(run: RunAnalyses, use: MemoryUse) -> schema.MemoryGrowth | None:
    growth = use.growth
    if growth is None:
        return None
    return schema.MemoryGrowth(
        steps=[run.steps[i].step.number for i in growth.steps],
        smallest_bytes=min(growth.growths),
        median_bytes=float(median(growth.growths)),
        largest_bytes=max(growth.growths),
        every_step=growth.every_step,
        kept=_operators(run, growth.kept[:MAX_OPERATORS_OF_STEP]),
    )


def _not_measured(use: MemoryUse) -> dict[str, str]:
    reasons = {}
    if use.allocator.allocated_bytes is None:
        reasons["allocated"] = _NO_TOTALS
    if use.allocator.reserved_bytes is None:
        reasons["reserved"] = _NO_RESERVED
    if use.growth is None:
        reasons["growth"] = reasons.get("allocated", _NO_GROWTH)
    if use.highest is None:
        reasons["peak"] = reasons.get("allocated", _NO_PEAK)
    return reasons


def _device(run: RunAnalyses, use: MemoryUse) -> schema.DeviceMemory:
    allocator = use.allocator
    steps = [s for s in use.steps if s.has_events]
    size = allocator.size_bytes
    return schema.DeviceMemory(
        pid=pid_of(run, allocator.process) or 0,
        device_type=_device_type(allocator.device_type),
        device=allocator.device if allocator.device >= 0 else None,
        since_recording=allocator.device_type == CPU,
        events=len(allocator),
        allocations=int((size > 0).sum()),
        frees=int((size < 0).sum()),
        out_of_memory=allocator.out_of_memory,
        curve=_curve(run, use),
        steps=[_step(run, use, step) for step in steps[:MAX_ROWS]],
        steps_left_out=len(steps[MAX_ROWS:]),
        peak=_peak(run, use),
        growth=_growth(run, use),
        reserved_unused_bytes=use.unused_bytes,
        reserved_growth_bytes=use.reserved_growth_bytes,
        reserved_despite_room=use.reserved_despite_room,
        not_measured=_not_measured(use),
    )


def build(run: RunAnalyses) -> schema.Memory | None:
    """The section; None where the trace has no memory event."""
    return schema.Memory([_device(run, use) for use in run.memory]) if run.memory else None
