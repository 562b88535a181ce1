"""Gradients that are filled with zeros by one kernel each, instead of being dropped."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import (
    calls_lane,
    launches_inside,
    need_gpu,
    the_unit,
    waits_for_launches,
)
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.wording import to_us

# Dropping gradients launches nothing; a few launches may come from hooks.
MIN_LAUNCHES = 10
# Less time than this share of a step, on what bounds the run, is within the spread of most runs.
MIN_SHARE = 0.01


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    work, bound = launches_inside(run, vocabulary.is_zero_grad), run.bound
    if not work.rows and run.origins.backward.running.any():
        raise NotMeasured("the recording has a backward pass and names no zero_grad")
    if bound is None or work.launches < MIN_LAUNCHES:
        return
    compute_bound = bound.verdict == "compute_bound"
    if not compute_bound and not waits_for_launches(bound):
        return
    if (work.device_ns if compute_bound else work.cpu_ns) < MIN_SHARE * bound.base_ns:
        return
    launches = round(work.launches)
    at_stake = work.device_ns if compute_bound else None
    where_counted = (
        "On the GPU it is work that nothing needs."
        if compute_bound
        else "What could be won is part of the time that the GPU waits for the CPU, and counted there."
    )
    yield Finding(
        verdict="fix",
        title=f"zero_grad fills gradients with {wording.count(launches, 'launch', 'launches')}",
        text=(
            f"In {the_unit(run)} {work.name} takes {wording.time_ns(work.cpu_ns)} of the CPU and "
            f"{wording.time_ns(work.device_ns)} of the GPU to write zeros into every gradient. "
            f"{where_counted}"
        ),
        advice=(
            "Let zero_grad drop the gradients. set_to_none=True is the default since PyTorch 2.0; the "
            "backward pass then writes gradients instead of adding to zeros."
        ),
        at_stake_us=None if at_stake is None else to_us(at_stake),
        evidence=[
            calls_lane(run, work.rows),
            Quantity(f"launches of zero_grad in {the_unit(run)}", launches, "count"),
            Quantity(f"CPU time of zero_grad in {the_unit(run)}", to_us(work.cpu_ns), "us"),
            Quantity(f"GPU time of zero_grad in {the_unit(run)}", to_us(work.device_ns), "us"),
        ],
    )


RULE = Rule(
    id="zero-grad-launches",
    title="Gradients filled with zeros",
    why="Writing zeros costs a launch a parameter, memory traffic, and a read in the backward pass.",
    link="https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html",
    check=_check,
)
