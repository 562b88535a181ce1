"""Single numbers that are read back from the GPU inside steps, and the idle time that this makes."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import (
    claimed_bubble_ns,
    largest_part,
    read_back_evidence,
    sites_of_cause,
    the_unit,
    times_a_step,
)
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _check(run: RunAnalyses) -> Iterator[Finding]:
    bubble = claimed_bubble_ns(run, "scalar")
    if not bubble:
        return
    sites = sites_of_cause(run, "scalar")
    reads = times_a_step(run, sites)
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
        evidence=read_back_evidence(run, sites, "numbers", reads, bubble),
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
