"""What sets the pace changed between the two runs."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison.verdict import DEVICE_BOUND, PACE_SETTERS
from tb_plugin_explain.findings import Finding, NotMeasured, Table

_ADVICE = {
    "compute_bound": (
        "In the candidate only less or faster GPU work makes steps shorter: lower precision, other kernels, "
        "less memory traffic."
    ),
    "communication_bound": (
        "In the candidate only less or better hidden communication makes steps shorter. Compare the ranks "
        "first: communication includes waiting for a rank that comes late."
    ),
    "copy_bound": "In the candidate only fewer, smaller or better hidden copies make steps shorter.",
}
_NO_KERNELS = "In the candidate faster kernels win nothing: its own report says what holds it up."


def _check(compared: Compared) -> Iterator[Finding]:
    old, new = compared.bounds
    if old is None or new is None:
        raise NotMeasured("what bounds a run is not known on both sides")
    if old.verdict == new.verdict or old.verdict not in PACE_SETTERS or new.verdict not in PACE_SETTERS:
        return
    before, after = PACE_SETTERS[old.verdict], PACE_SETTERS[new.verdict]
    to_device = new.verdict in DEVICE_BOUND
    yield Finding(
        verdict="expected" if to_device else "undecided",
        title=f"What sets the pace changed from {before} to {after}",
        text=(
            f"In the baseline {before} set the pace, in the candidate {after}. A figure that mattered in "
            "the one need not matter in the other."
        ),
        advice=_ADVICE.get(new.verdict, _NO_KERNELS),
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
