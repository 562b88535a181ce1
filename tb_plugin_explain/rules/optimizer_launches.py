"""An optimizer that launches kernels parameter by parameter while the GPU waits for launches."""

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

# A fused or foreach optimizer needs a few dozen launches; more come from a loop over parameters.
MIN_KERNELS = 100
# GPU work this short a launch is shorter than the launch itself (about 5 µs of CPU time).
MAX_KERNEL_US = 20.0
# Less CPU time than this share of a step is not worth a change.
MIN_SHARE = 0.02


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    work, bound = launches_inside(run, vocabulary.is_optimizer), run.bound
    if not work.rows and run.origins.backward.running.any():
        raise NotMeasured("the recording has a backward pass and names no optimizer")
    if bound is None or work.kernels < MIN_KERNELS or not waits_for_launches(bound):
        return
    if work.device_ns > MAX_KERNEL_US * 1000 * work.kernels or work.cpu_ns < MIN_SHARE * bound.base_ns:
        return
    kernels = round(work.kernels)
    yield Finding(
        verdict="fix",
        title=f"The optimizer launches {wording.count(kernels, 'kernel')} one by one",
        text=(
            f"In {the_unit(run)} {work.name} takes {wording.time_ns(work.cpu_ns)} of the CPU and launches "
            f"{wording.count(kernels, 'kernel')} of {wording.time_ns(work.device_ns / kernels)} on average: "
            "parameter by parameter. The run is held up by launches, so each of them costs. What could be "
            "won is part of the time that the GPU waits for the CPU, and counted there."
        ),
        advice=(
            "Use the fused optimizer. Pass fused=True (or foreach=True) to it: a few launches for all "
            "parameters instead of some for each."
        ),
        at_stake_us=None,
        evidence=[
            calls_lane(run, work.rows),
            Quantity(f"kernels of the optimizer in {the_unit(run)}", kernels, "count"),
            Quantity(f"CPU time of the optimizer in {the_unit(run)}", to_us(work.cpu_ns), "us"),
            Quantity(f"GPU time of the optimizer in {the_unit(run)}", to_us(work.device_ns), "us"),
        ],
    )


RULE = Rule(
    id="optimizer-launches",
    title="An optimizer that is not fused",
    why=(
        "An optimizer that loops over parameters launches several tiny kernels for each; the fused form "
        "does the same with a few."
    ),
    link="https://docs.pytorch.org/docs/stable/optim.html",
    check=_check,
)
