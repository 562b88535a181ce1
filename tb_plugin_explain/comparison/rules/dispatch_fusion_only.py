"""Operators were merged by the compiler, and no kernel was fused."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison_schema import FusionGroup
from tb_plugin_explain.findings import Finding, Table

# Groups that came or went, in one sentence.
_MOST = 3


def _told(group: FusionGroup) -> str:
    before, after = wording.time(group.baseline.time_us), wording.time(group.candidate.time_us)
    return f"{group.title} ({before} → {after})"


def _around(compared: Compared) -> str:
    """What else came or went, and the launches, which need not be fewer."""
    gone = [f"{g.title} ({wording.time(g.baseline.time_us)})" for g in compared.of_kind("removed")]
    new = [f"{g.title} ({wording.time(g.candidate.time_us)})" for g in compared.of_kind("added")]
    text = f" Beside it {wording.listing([*gone, *new][:_MOST])}." if gone or new else ""
    launches = compared.deltas["launches"]
    if launches.baseline is None or launches.candidate is None:
        return text
    before, after = (wording.amount(v, "count") for v in (launches.baseline, launches.candidate))
    return f"{text} Launches: {before} → {after}."


def _check(compared: Compared) -> Iterator[Finding]:
    merged = compared.of_kind("dispatch_fused")
    if not compared.newly_compiled or not merged or compared.of_kind("fused"):
        return
    yield Finding(
        verdict="expected",
        title="Operators were merged, but no GPU kernel was fused",
        text=(
            f"{wording.listing([_told(group) for group in merged[:2]])}. The compiler replaced several "
            "operators by one that does the same; the kernel of that work is the one that ran before."
            f"{_around(compared)}"
        ),
        advice=(
            "Nothing to mend: matrix multiplications stay with the vendor’s library. Fusing wins where "
            "several "
            "pointwise operators or reductions follow each other."
        ),
        evidence=(
            Table(
                ("group", "baseline_us", "candidate_us"),
                [(g.title, g.baseline.time_us, g.candidate.time_us) for g in merged],
            ),
        ),
    )


RULE = ComparisonRule(
    id="dispatch-fusion-only",
    title="Fusion at the dispatcher only",
    why="A profile with fewer operators looks fused; where the kernel stayed, the GPU does the same work.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler.html",
    check=_check,
)
