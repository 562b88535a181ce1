"""One comparison rule put to one pair whose groups and compile facts are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_plugin_explain.comparison.changes import find_changes
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.deltas import find_deltas
from tb_plugin_explain.comparison.headline import write_headline
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.pairing import compared_steps
from tb_plugin_explain.comparison.rules import all_comparison_rules
from tb_plugin_explain.comparison_schema import (
    CompileFacts,
    FusionGroup,
    GroupKind,
    GroupSide,
    GroupSummary,
    GroupTotals,
)
from tb_plugin_explain.findings import Finding, Table

NO_FACTS = CompileFacts(
    regions=["0/0"],
    region_calls=1,
    graph_breaks=0,
    breaks=[],
    recompiles=0,
    recompiled_steps=[],
    lookups=1,
    graph_launches=0,
    kernel_launches=4,
    captures=0,
    tax_us=None,
    tax=None,
    compile_us=None,
    phases=[],
    break_even_steps=None,
    not_measured={},
)


def group(kind: GroupKind, baseline_us: float, candidate_us: float, title: str = "a group") -> FusionGroup:
    """One group; a side of no time has no event."""

    def side(time_us: float) -> GroupSide:
        return GroupSide(int(time_us > 0), time_us, None, [])

    return FusionGroup(kind, title, side(baseline_us), side(candidate_us), "clear", "")


def summary_of(groups: Sequence[FusionGroup], machinery_us: tuple[float, float] = (0.0, 0.0)) -> GroupSummary:
    totals = [
        GroupTotals(g.kind, g.baseline.events, g.candidate.events, g.baseline.time_us, g.candidate.time_us)
        for g in groups
    ]
    sums = sum(g.baseline.time_us for g in groups), sum(g.candidate.time_us for g in groups)
    return GroupSummary("gpu", *sums, totals, 0.0, None, *machinery_us)


def compared(pair: Pair, groups: Sequence[FusionGroup] = (), compile: CompileFacts | None = None) -> Compared:
    """The pair with its real figures, and the given groups and facts."""
    changes, deltas = find_changes(pair), find_deltas(pair)
    return Compared(
        pair=pair,
        changes=changes,
        deltas={delta.metric: delta for delta in deltas},
        headline=write_headline(pair, changes, compared_steps(pair), deltas),
        groups=groups,
        summary=summary_of(groups),
        compile=compile,
    )


def ask(rule_id: str, of: Compared) -> list[Finding]:
    """What the rule finds; a fault of the rule is raised here."""
    (rule,) = [rule for rule in all_comparison_rules() if rule.id == rule_id]
    return list(rule.check(of))


def found(rule_id: str, of: Compared) -> Finding:
    (finding,) = ask(rule_id, of)
    return finding


def rows(finding: Finding) -> list[list[Any]]:
    """The rows of its table."""
    (only,) = [e for e in finding.evidence if isinstance(e, Table)]
    return [list(row) for row in only.rows]
