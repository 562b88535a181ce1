"""All rules put to one run: one that fails costs no other, and the most important comes first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tb_plugin_explain.findings import Finding, NotMeasured, Verdict
from tb_plugin_explain.report import rule_run
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw


def finding(verdict: Verdict, at_stake_us: float | None = 0.0, looks_like_us: float | None = None) -> Finding:
    return Finding(verdict, "t", "x.", "Do it.", at_stake_us=at_stake_us, looks_like_us=looks_like_us)


def rule(rule_id: str, *found: Finding, fails: Exception | None = None) -> Rule:
    def check(_: RunAnalyses) -> Iterator[Finding]:
        yield from found
        if fails is not None:
            raise fails

    return Rule(rule_id, rule_id.title(), "Why.", "https://example.org", check)


def test_findings_are_ordered_and_a_failing_rule_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [
        rule("artifact", finding("artifact", looks_like_us=9.0)),
        rule("small", finding("fix", 1.0)),
        rule("broken", finding("fix", 99.0), fails=ZeroDivisionError("oops")),
        rule("large", finding("fix", 5.0)),
        rule("unknown", finding("undecided", None, 7.0), finding("undecided", None, 8.0)),
        rule("blind", fails=NotMeasured("no GPU event")),
        rule("quiet"),
    ]
    monkeypatch.setattr(rule_run, "all_rules", lambda: rules)
    findings, outcomes = rule_run.run_rules(RunAnalyses(draw("cpu :[op]")))
    assert [(f.rule, f.looks_like_us) for f in findings] == [
        ("large", None), ("small", None), ("unknown", 8.0), ("unknown", 7.0), ("artifact", 9.0),
    ]  # fmt: skip
    assert {f.link for f in findings} == {"https://example.org"}
    assert {o.rule: (o.outcome, o.reason) for o in outcomes} == {
        "artifact": ("found", None),
        "small": ("found", None),
        "broken": ("failed", "a fault of this program: ZeroDivisionError('oops')"),
        "large": ("found", None),
        "unknown": ("found", None),
        "blind": ("not_measured", "no GPU event"),
        "quiet": ("quiet", None),
    }
