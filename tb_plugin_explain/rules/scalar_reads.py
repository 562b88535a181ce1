"""Single numbers that are read back from the GPU inside steps, and the idle time that this makes."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import (
    calls_lane,
    claimed_bubble_ns,
    largest_part,
    site_table,
    sites_of_cause,
    the_unit,
)
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _check(run: RunAnalyses) -> Iterator[Finding]:
    bubble = claimed_bubble_ns(run, "scalar")
    if not bubble:
        return
    sites = sites_of_cause(run, "scalar")
    reads = max(round(sum(s.averaged.count for s in sites) / max(len(run.averaged), 1)), 1)
    yield Finding(
        verdict="fix",
        title=f"Reading single numbers back lets the GPU run dry for {wording.time_ns(bubble)}",
        text=(
            f"In {the_unit(run)} the CPU reads {wording.count(reads, 'number')} back from the GPU, and waits "
            "for each until the GPU has done all that was asked of it before. It cannot hand out new work "
            f"meanwhile, so the GPU ran dry for {wording.time_ns(bubble)} afterwards."
            f"{largest_part(run, sites)}"
        ),
        advice=(
            "Keep the numbers on the GPU. Add up losses as tensors and call .item() every N steps; "
            "replace a Python if on a tensor, float(t) or print(t) by torch.where or a later check. "
            "Gradient scaling and clipping with error_if_nonfinite read a number each step too."
        ),
        at_stake_us=to_us(bubble),
        evidence=[
            calls_lane(run, [int(row) for site in sites for row in site.rows[:20]]),
            site_table(run, sites),
            Quantity(f"numbers read back in {the_unit(run)}", reads, "count"),
            Quantity(f"refill bubble in {the_unit(run)}", to_us(bubble), "us"),
        ],
    )


RULE = Rule(
    id="scalar-reads",
    title="Numbers read back inside steps",
    why=(
        ".item(), float(tensor), print(tensor) and if tensor: look harmless in Python. Each makes the CPU "
        "wait for the whole queue of the GPU, which then runs dry while the CPU catches up."
    ),
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization",
    check=_check,
)
