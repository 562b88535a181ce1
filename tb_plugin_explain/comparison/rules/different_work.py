"""Much of the GPU's work has no counterpart on the other side."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.groups import WITHOUT_COUNTERPART
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, NotMeasured, Table

# Compilers drop copies and masks; where more than this has no counterpart, the steps do other things.
MIN_UNMATCHED = 0.3


def _without_counterpart_us(compared: Compared) -> tuple[float, float]:
    """Time of the work that one side alone has; what torch.compile does around its code is none."""
    baseline, candidate = compared.time_of(*WITHOUT_COUNTERPART)
    summary = compared.summary
    return baseline - summary.baseline_machinery_us, candidate - summary.candidate_machinery_us


def _check(compared: Compared) -> Iterator[Finding]:
    summary = compared.summary
    if not summary.baseline_us or not summary.candidate_us:
        raise NotMeasured("one of the steps has no recorded work")
    old_us, new_us = _without_counterpart_us(compared)
    old, new = old_us / summary.baseline_us, new_us / summary.candidate_us
    batch = [change for change in compared.changes if change.what == "batch"]
    if max(old, new) < MIN_UNMATCHED and not batch:
        return
    sizes = f" Recorded shapes differ too: in the candidate, sizes are {batch[0].candidate}." if batch else ""
    yield Finding(
        verdict="undecided",
        title="The two steps do not do the same work",
        text=(
            f"{wording.percent(old)} of the baseline’s time and {wording.percent(new)} of the candidate’s "
            "have no "
            f"counterpart on the other side.{sizes} Differences of whole steps then say little about the "
            "change "
            "that you made."
        ),
        advice=(
            "Record both runs on the same model, inputs and phase (training or inference), or read the "
            "groups."
        ),
        at_stake_us=None,
        evidence=(
            Table(
                ("side", "without counterpart_us", "all_us"),
                (("baseline", old_us, summary.baseline_us), ("candidate", new_us, summary.candidate_us)),
            ),
        ),
    )


RULE = ComparisonRule(
    id="different-work",
    title="Different work compared",
    why="A step that does less is faster, and that is no merit of the change.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/profiler_recipe.html",
    check=_check,
)
