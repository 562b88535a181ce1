"""What sets the pace changed between the two runs."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison.verdict import DEVICE_BOUND, PACE_SETTERS
from tb_plugin_explain.findings import Finding, NotMeasured, Table


def _check(compared: Compared) -> Iterator[Finding]:
    old, new = compared.bounds
    if old is None or new is None:
        raise NotMeasured("what bounds a run is not known on both sides")
    if old.verdict == new.verdict or old.verdict not in PACE_SETTERS or new.verdict not in PACE_SETTERS:
        return
    before, after = PACE_SETTERS[old.verdict], PACE_SETTERS[new.verdict]
    to_device = new.verdict in DEVICE_BOUND
    advice = (
        "From here on only less or faster GPU work makes steps shorter: lower precision, other kernels, less "
        "memory traffic."
        if to_device
        else "From here on faster kernels win nothing: the candidate’s own report says what holds it up."
    )
    yield Finding(
        verdict="expected" if to_device else "undecided",
        title=f"What sets the pace changed from {before} to {after}",
        text=(
            f"In the baseline {before} set the pace, in the candidate {after}. A figure that mattered in "
            "the one need not matter in the other."
        ),
        advice=advice,
        at_stake_us=0.0 if to_device else None,
        evidence=(Table(("run", "pace set by"), (("baseline", before), ("candidate", after))),),
    )


RULE = ComparisonRule(
    id="other-bound",
    title="What sets the pace changed",
    why="A change pays until something else becomes the limit; then the next one must be made there.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    check=_check,
)
