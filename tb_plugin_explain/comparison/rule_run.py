"""Asks every comparison rule, and orders what they found."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule, all_comparison_rules
from tb_plugin_explain.findings import Finding, NotMeasured, RuleOutcome
from tb_plugin_explain.report.rule_run import failed, importance


def _ask(rule: ComparisonRule, compared: Compared) -> tuple[Sequence[Finding], RuleOutcome]:
    try:
        found = [replace(f, rule=rule.id, link=f.link or rule.link) for f in rule.check(compared)]
    except NotMeasured as missing:
        return [], RuleOutcome(rule.id, rule.title, "not_measured", str(missing))
    except MemoryError:
        raise
    except Exception as error:  # One rule's fault must not cost the reader the others.
        return [], failed(rule.id, rule.title, "on two runs", error)
    return found, RuleOutcome(rule.id, rule.title, "found" if found else "quiet")


def run_comparison_rules(compared: Compared) -> tuple[Sequence[Finding], Sequence[RuleOutcome]]:
    """The findings of all rules, the most important first, and how each rule went."""
    answers = [_ask(rule, compared) for rule in all_comparison_rules()]
    findings = [finding for found, _ in answers for finding in found]
    return sorted(findings, key=importance), [outcome for _, outcome in answers]
