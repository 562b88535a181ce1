"""Operators whose result’s size depends on values, so that the CPU waits for them inside steps."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import (
    asked_by,
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

# More names than this make no sentence.
MAX_NAMES = 3


def _check(run: RunAnalyses) -> Iterator[Finding]:
    bubble = claimed_bubble_ns(run, "shape")
    if not bubble:
        return
    sites = sites_of_cause(run, "shape")
    names = list(dict.fromkeys(asked_by(site) for site in sites))[:MAX_NAMES]
    times = times_a_step(run, sites)
    yield Finding(
        verdict="fix",
        title=f"Shapes that depend on values let the GPU run dry for {wording.time_ns(bubble)}",
        text=(
            f"How large the result of {wording.listing(names)} is, only the GPU knows once it has "
            f"computed it. The CPU waits for that {wording.count(times, 'time')} in {the_unit(run)}, and the "
            f"GPU ran dry for {wording.time_ns(bubble)} afterwards.{largest_part(run, sites)}"
        ),
        advice=(
            "Use operators of fixed shape. Replace x[mask] by torch.where(mask, x, 0) or a multiplication "
            "with the mask, nonzero by nonzero_static, and give repeat_interleave its output_size."
        ),
        at_stake_us=to_us(bubble),
        evidence=read_back_evidence(run, sites, "shapes", times, bubble),
    )


RULE = Rule(
    id="shape-reads",
    title="Shapes read back inside steps",
    why=(
        "Indexing with a mask, nonzero and unique make results whose size depends on values: the CPU must "
        "wait for the GPU to learn it. It is also why such code breaks CUDA graphs and compiled graphs."
    ),
    link="https://docs.pytorch.org/docs/stable/generated/torch.nonzero.html",
    check=_check,
)
