"""Several files of one run: the reports of all, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tb_plugin_explain.findings import Finding
from tb_plugin_explain.report.ranks import ranks_together
from tb_plugin_explain.report.warnings import warning
from tb_plugin_explain.report_schema import SCHEMA_VERSION, Report, Warning
from tb_plugin_explain.report_sections.communication import RanksTogether
from tb_plugin_explain.rules.late_rank import find_late_rank
from tb_plugin_explain.trace.model import ReadProblem


class RunSummary(Struct, frozen=True):
    """``ranks``: those with a file here; ``verdicts``: how many files give each verdict.

    communication: one entry a cycle of several ranks. findings: what no file tells alone.
    """

    name: str
    files: int
    ranks: Sequence[int]
    world_size: int | None
    verdicts: dict[str, int]
    warnings: Sequence[Warning]
    communication: Sequence[RanksTogether]
    findings: Sequence[Finding]


class RunReport(Struct, frozen=True):
    run: RunSummary
    reports: Sequence[Report]
    schema: int = SCHEMA_VERSION


def _step_us(reports: Sequence[Report]) -> float:
    """What a step takes on the slowest rank."""
    lengths = (r.pace_us or r.summary.gpu_window_us or r.summary.duration_us or 0.0 for r in reports)
    return max(lengths, default=0.0)


def summarise(name: str, reports: Sequence[Report]) -> RunSummary:
    """What the files of one run say together."""
    ranks = sorted({r.trace.rank for r in reports if r.trace.rank is not None})
    world = max((r.trace.world_size for r in reports if r.trace.world_size is not None), default=None)
    verdicts: dict[str, int] = {}
    for report in reports:
        verdicts[report.headline.verdict] = verdicts.get(report.headline.verdict, 0) + 1
    lacking = [] if world is None else sorted(set(range(world)) - set(ranks))
    warnings = (
        [warning(ReadProblem("missing_rank", len(lacking), {"world_size": world}))]
        if lacking and world
        else []
    )
    together = ranks_together(reports)
    findings = [f for cycle in together for f in find_late_rank(cycle, _step_us(reports))]
    return RunSummary(name, len(reports), ranks, world, verdicts, warnings, together, findings)
