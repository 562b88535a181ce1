"""Operators were merged by the compiler, and no kernel was fused."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, Table


def _check(compared: Compared) -> Iterator[Finding]:
    merged = compared.of_kind("dispatch_fused")
    if not compared.newly_compiled or not merged or compared.of_kind("fused"):
        return
    yield Finding(
        verdict="expected",
        title="Operators were merged, but no GPU kernel was fused",
        text=(
            f"{wording.listing([group.title for group in merged[:2]])}. The compiler replaced several "
            "operators "
            "by one that does the same; the kernel that does the work is the one that ran before. What it "
            "wins "
            "is a launch, not memory traffic."
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
