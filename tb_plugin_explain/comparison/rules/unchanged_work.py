"""The same kernels took another time: the machine, and not the change, made part of the difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison_schema import FusionGroup
from tb_plugin_explain.findings import Finding, Table
from tb_plugin_explain.trace.vocabulary import is_communication

# Equal work strays from step to step: by some percent on a GPU, by more on a CPU.
MIN_CHANGE = 0.2
# A difference smaller than this part of a step's work does not carry the comparison.
MIN_SHARE = 0.1
_SHOWN = 10


def _same_work(compared: Compared) -> Sequence[FusionGroup]:
    """Communication is left out: it lasts until the other ranks have come."""
    return [
        group
        for group in compared.of_kind("unchanged")
        if not any(is_communication(kernel.name) for kernel in group.baseline.kernels)
    ]


def _check(compared: Compared) -> Iterator[Finding]:
    if any(change.what in ("device", "batch") for change in compared.changes):
        return
    same, summary = _same_work(compared), compared.summary
    old_us, new_us = sum(g.baseline.time_us for g in same), sum(g.candidate.time_us for g in same)
    moved_us = abs(new_us - old_us)
    if moved_us < MIN_SHARE * max(summary.baseline_us, summary.candidate_us):
        return
    if not old_us or moved_us < MIN_CHANGE * min(old_us, new_us):
        return
    what = "kernels" if summary.of == "gpu" else "operators"
    less = "less" if new_us < old_us else "more"
    largest = sorted(same, key=lambda g: -abs(g.candidate.time_us - g.baseline.time_us))
    yield Finding(
        verdict="undecided",
        title=f"Work that did not change took {wording.percent(moved_us / old_us)} {less} time",
        text=(
            f"The same {what}, called as often by both runs, take {wording.time(old_us)} in the baseline’s "
            f"typical step and {wording.time(new_us)} in the candidate’s. These {wording.time(moved_us)} are "
            "hardly the change’s doing: another clock, other load on the machine, other inputs or profiler "
            "modes may have made them."
        ),
        advice=(
            "Record both runs again, one right after the other, on a machine that does nothing else. Until "
            "then trust what was fused and counted, not the times."
        ),
        at_stake_us=None,
        evidence=(
            Table(
                ("group", "baseline_us", "candidate_us"),
                [(g.title, g.baseline.time_us, g.candidate.time_us) for g in largest[:_SHOWN]],
            ),
        ),
    )


RULE = ComparisonRule(
    id="unchanged-work",
    title="Unchanged work that took another time",
    why="What both runs do alike should take alike; where it does not, the runs were not equally fast.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html",
    check=_check,
)
