"""Comparisons made by hand, for tests of how they are shown: no figure here is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_plugin_explain.comparison_schema import (
    Change,
    ComparedSteps,
    ComparedTrace,
    Comparison,
    ComparisonHeadline,
    CompileFacts,
    CompilePhase,
    CompileTax,
    Delta,
    FusionGroup,
    GraphBreak,
    GroupKernel,
    GroupKind,
    GroupSide,
    GroupSummary,
    GroupTotals,
    LeftOutStep,
    MetricUnit,
    TypicalSteps,
)
from tb_plugin_explain.report_schema import SCHEMA_VERSION, DeviceInfo, Recorded, TraceInfo

METRICS: dict[str, MetricUnit] = {
    "pace_us": "us",
    "gpu_busy_us": "us",
    "launches": "count",
    "peak_memory_bytes": "bytes",
}


def trace_info(file: str = "worker0.17.pt.trace.json", run: str | None = None, **changes: Any) -> TraceInfo:
    told: dict[str, Any] = {
        "worker": "worker0",
        "span": "17",
        "rank": None,
        "world_size": None,
        "events": 1234,
        "bytes": 56_789,
        "repaired": False,
        "devices": [DeviceInfo(0, "NVIDIA A100-SXM4-80GB")],
        "recorded": Recorded(False, False, False, False),
        "versions": {},
        "origin_ns": 0,
    }
    return TraceInfo(file=file, run=run, **(told | changes))


def delta(
    metric: str,
    baseline: float | None,
    candidate: float | None,
    interval: Sequence[float] | None = None,
    not_measured: str | None = None,
) -> Delta:
    difference = None if baseline is None or candidate is None else candidate - baseline
    noise = None if interval is None else interval[0] <= 0 <= interval[1]
    unit = METRICS.get(metric, "us")
    return Delta(metric, unit, baseline, candidate, difference, interval, noise, not_measured)


def side(time_us: float, events: int = 1, name: str | None = "gemm_kernel", *ops: str) -> GroupSide:
    kernels = [GroupKernel(name, events, time_us, ops)] if name and events else []
    return GroupSide(events, time_us, None, kernels)


NOTHING = side(0.0, 0)


def group(
    kind: GroupKind, title: str, baseline: GroupSide = NOTHING, candidate: GroupSide = NOTHING
) -> FusionGroup:
    return FusionGroup(kind, title, baseline, candidate, "clear", "same name")


GROUPS = (
    group("unchanged", "gemm_kernel", side(579.0), side(585.0)),
    group("fused", "add, relu and mul in one kernel", side(62.0, 3), side(30.0)),
    group("added", "Copy DtoD of 32 MiB", candidate=side(33.0, 1, "Memcpy DtoD")),
)


def summary(groups: Sequence[FusionGroup] = GROUPS, note: str | None = None) -> GroupSummary:
    kinds = dict.fromkeys(g.kind for g in groups)
    totals = [
        GroupTotals(
            kind,
            sum(g.baseline.events for g in groups if g.kind == kind),
            sum(g.candidate.events for g in groups if g.kind == kind),
            sum(g.baseline.time_us for g in groups if g.kind == kind),
            sum(g.candidate.time_us for g in groups if g.kind == kind),
        )
        for kind in kinds
    ]
    baseline, candidate = (sum(getattr(t, f"{s}_us") for t in totals) for s in ("baseline", "candidate"))
    return GroupSummary("gpu", baseline, candidate, totals, 0.0, note, 0.0, 0.0)


COMPILE = CompileFacts(
    regions=["0/0", "1/0"],
    region_calls=2,
    graph_breaks=1,
    breaks=[GraphBreak("0/0", "1/0", 210.0, ["aten::item", "aten::_local_scalar_dense"])],
    recompiles=1,
    recompiled_steps=[3],
    lookups=2,
    graph_launches=0,
    kernel_launches=2,
    captures=0,
    tax_us=16.0,
    tax=CompileTax(12.0, 4.0, 0.0),
    compile_us=900_000.0,
    phases=[CompilePhase("entire_frame_compile", 600_000.0), CompilePhase("inductor", 300_000.0)],
    break_even_steps=39_131,
    not_measured={},
)

DELTAS = (
    delta("pace_us", 644.5, 621.5, (-684.0, 638.0)),
    delta("gpu_busy_us", 641.0, 618.0, (-23.0, -22.0)),
    delta("launches", 2.0, 1.0, (-1.0, -1.0)),
    delta("peak_memory_bytes", None, None, not_measured="memory was not recorded"),
)


def comparison(**changes: Any) -> Comparison:
    """Eager against compiled, four steps each."""
    told: dict[str, Any] = {
        "baseline": ComparedTrace(trace_info(run="eager"), "compute_bound", 644.5, False),
        "candidate": ComparedTrace(trace_info(run="compiled"), "compute_bound", 621.5, True),
        "headline": headline(),
        "steps": ComparedSteps(
            [3, 4, 5, 6],
            [3, 4, 5, 6],
            TypicalSteps(6, 6),
            [
                LeftOutStep("baseline", 2, ["cold_start"]),
                LeftOutStep("candidate", 2, ["compiling", "cold_start"]),
            ],
            True,
        ),
        "deltas": DELTAS,
        "by_step": [],
        "groups": GROUPS,
        "group_summary": summary(),
        "compile": COMPILE,
        "baseline_compile": None,
        "warnings": [],
        "findings": [],
        "rules": [],
        "schema": SCHEMA_VERSION,
    }
    return Comparison(**(told | changes))


def headline(**changes: Any) -> ComparisonHeadline:
    told: dict[str, Any] = {
        "verdict": "within_noise",
        "text": "No difference in pace that stands out from the noise.",
        "detail": "A step takes 645 µs before and 622 µs after.",
        "why": "Medians over the settled steps.",
        "confounded": False,
        "changes": [Change("compile", "eager", "compiled")],
    }
    return ComparisonHeadline(**(told | changes))
