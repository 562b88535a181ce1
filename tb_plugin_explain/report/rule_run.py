"""Asks every rule, and orders what they found."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tb_plugin_explain.findings import Finding, NotMeasured, RuleOutcome, Verdict
from tb_plugin_explain.rules import Rule, all_rules
from tb_plugin_explain.step_analyses import RunAnalyses

_ORDER: Sequence[Verdict] = ("fix", "undecided", "expected", "artifact")


def importance(finding: Finding) -> tuple[int, float, float]:
    """By what findings are sorted: verdict, then time at stake, then time that looks lost."""
    return (
        _ORDER.index(finding.verdict),
        -(finding.at_stake_us or 0.0),
        -(finding.looks_like_us or 0.0),
    )


def failed(rule_id: str, title: str, where: str, error: Exception) -> RuleOutcome:
    """Tells the log of a fault of ours, and the reader."""
    import logging  # rarely needed, and slow to load

    logging.getLogger(__name__).warning("rule %s failed %s: %r", rule_id, where, error)
    return RuleOutcome(rule_id, title, "failed", f"a fault of this program: {error!r}")


def _ask(rule: Rule, run: RunAnalyses) -> tuple[Sequence[Finding], RuleOutcome]:
    try:
        found = [replace(f, rule=rule.id, link=f.link or rule.link) for f in rule.check(run)]
    except NotMeasured as missing:
        return [], RuleOutcome(rule.id, rule.title, "not_measured", str(missing))
    except MemoryError:
        raise
    except Exception as error:  # One rule's fault must not cost the reader the others.
        return [], failed(rule.id, rule.title, f"on {run.trace.meta.file}", error)
    return found, RuleOutcome(rule.id, rule.title, "found" if found else "quiet")


def run_rules(run: RunAnalyses) -> tuple[Sequence[Finding], Sequence[RuleOutcome]]:
    """The findings of all rules, the most important first, and how each rule went.

    Of a file that was cut off only rules about trust are asked: kernels may be missing anywhere.
    """
    cut = run.problem("truncated") is not None
    findings: list[Finding] = []
    outcomes = []
    for rule in all_rules():
        if cut and not rule.about_trust:
            outcomes.append(RuleOutcome(rule.id, rule.title, "not_measured", "the file ends too early"))
            continue
        found, outcome = _ask(rule, run)
        findings += found
        outcomes.append(outcome)
    return sorted(findings, key=importance), outcomes
