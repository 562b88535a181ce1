"""One rule put to one trace, as the tests of rules need it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Spans, Table
from tb_plugin_explain.report.rule_run import run_rules
from tb_plugin_explain.rules import Rule, all_rules
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import ReadProblem, Trace


def rule_of(rule_id: str) -> Rule:
    (rule,) = [rule for rule in all_rules() if rule.id == rule_id]
    return rule


def ask(rule_id: str, trace: Trace) -> list[Finding]:
    """What the rule finds; a fault of the rule is raised here."""
    return list(rule_of(rule_id).check(RunAnalyses(trace)))


def found(rule_id: str, trace: Trace) -> Finding:
    """The one finding of the rule."""
    (finding,) = ask(rule_id, trace)
    return finding


def assert_not_measured(rule_id: str, trace: Trace, reason: str) -> None:
    with pytest.raises(NotMeasured, match=reason):
        ask(rule_id, trace)


def outcomes(trace: Trace) -> dict[str, str]:
    return {outcome.rule: outcome.outcome for outcome in run_rules(RunAnalyses(trace))[1]}


def with_meta(trace: Trace, **changes: Any) -> Trace:
    """The same events in a file that says something else of itself."""
    return replace(trace, meta=replace(trace.meta, **changes))


def cut(trace: Trace) -> Trace:
    return with_meta(trace, problems=(ReadProblem("truncated", 1, {"byte": 77}),))


def figures(finding: Finding) -> dict[str, float | None]:
    """Its quantities by label."""
    return {e.label: e.value for e in finding.evidence if isinstance(e, Quantity)}


def table(finding: Finding) -> list[list[Any]]:
    """The rows of its table."""
    (only,) = [e for e in finding.evidence if isinstance(e, Table)]
    return [list(row) for row in only.rows]


def lanes(finding: Finding) -> dict[str, list[str]]:
    """The names of its events by lane."""
    return {e.lane: [span.name for span in e.spans] for e in finding.evidence if isinstance(e, Spans)}
