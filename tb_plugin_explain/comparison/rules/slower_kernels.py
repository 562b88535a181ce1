"""Generated or exchanged kernels that take longer than what they stand for."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison.verdict import DEVICE_BOUND
from tb_plugin_explain.comparison_schema import FusionGroup
from tb_plugin_explain.findings import Finding, Table

# Kernels on the same data stray by some percent from step to step.
MIN_SLOWER = 0.10
# A loss smaller than this part of a step's GPU time moves nothing.
MIN_SHARE = 0.01
_SHOWN = 10


def _loss_us(group: FusionGroup) -> float:
    return group.candidate.time_us - group.baseline.time_us


def _check(compared: Compared) -> Iterator[Finding]:
    if compared.summary.of != "gpu" or any(change.what == "device" for change in compared.changes):
        return
    floor_us = MIN_SHARE * compared.summary.baseline_us
    both = [g for kind in ("fused", "replaced") for g in compared.groups if g.kind == kind]
    slower = [
        g for g in both if g.baseline.events and _loss_us(g) > max(floor_us, MIN_SLOWER * g.baseline.time_us)
    ]
    if not slower:
        return
    slower.sort(key=_loss_us, reverse=True)
    lost_us = sum(_loss_us(g) for g in slower)
    bound = compared.bounds[1]
    paid = bound is not None and bound.verdict in DEVICE_BOUND
    yield Finding(
        verdict="undecided",
        title=f"{wording.count(len(slower), 'group')} of kernels took longer than before",
        text=(
            f"In the candidate’s typical step these take {wording.time(lost_us)} more than what they stand "
            "for "
            f"in the baseline’s, first {slower[0].title}. One step of each run is compared here: a slow "
            "clock or "
            "other inputs look the same."
            + ("" if paid else " The GPU does not set the pace, so the step itself loses less.")
        ),
        advice=(
            'Record both runs again and see whether it stays. Then try mode="max-autotune", which times '
            "several "
            "versions of a kernel, or keep that part out of torch.compile."
        ),
        at_stake_us=min(lost_us, compared.step_us or lost_us) if paid else None,
        evidence=(
            Table(
                ("group", "baseline_us", "candidate_us"),
                [(g.title, g.baseline.time_us, g.candidate.time_us) for g in slower[:_SHOWN]],
            ),
        ),
    )


RULE = ComparisonRule(
    id="slower-kernels",
    title="Kernels slower than what they replaced",
    why="Fusing saves memory traffic, but a generated kernel can lose to the vendor’s: the sum hides it.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_inductor_profiling.html",
    check=_check,
)
