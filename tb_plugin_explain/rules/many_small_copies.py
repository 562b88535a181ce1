"""Many small copies between host and GPU, each with the cost of a call."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.copy_table import SMALL_BYTES
from tb_plugin_explain.evidence import need_gpu, the_unit
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.copies_not_overlapped import copy_rows
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A batch has a few tensors, and a step reads a few numbers back; more is a loop.
MIN_A_STEP = 30
# Where the calls take less of a step, nobody would notice their end.
MIN_CALL_SHARE = 0.01


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    copies = run.copy_table.towards("HtoD", "DtoH")
    if copies.count and not copies.sized_count:
        raise NotMeasured("the sizes of the copies were not recorded")
    steps, base = max(len(run.averaged), 1), run.speed_ns or 0.0
    small, calls_ns = copies.small_count / steps, copies.calls_ns / steps
    if small < MIN_A_STEP or 2 * copies.small_count < copies.count or calls_ns < MIN_CALL_SHARE * base:
        return
    yield Finding(
        verdict="undecided",
        title=f"{wording.count(round(small), 'small copy', 'small copies')} between host and GPU",
        text=(
            f"In {the_unit(run)}, {round(copies.count / steps):,} copies cross between host and GPU, "
            f"{round(small):,} of "
            f"them of {SMALL_BYTES // 1024} KiB at most. A copy this small costs its call and its start, "
            "not its bytes: "
            f"{wording.time_ns(calls_ns)} passed in the calls, part of it waiting for the GPU. What of it "
            "the GPU lost is counted under waits and not again here."
        ),
        advice=(
            "Make one copy of many. Stack or concatenate the values before they cross; read results back "
            "once a step, and create small tensors on the GPU instead of sending them."
        ),
        at_stake_us=None,
        looks_like_us=to_us(calls_ns),
        evidence=[
            copy_rows(run, "HtoD", "DtoH"),
            Quantity(f"small copies in {the_unit(run)}", round(small), "count"),
            Quantity("time in their calls", to_us(calls_ns), "us"),
        ],
    )


RULE = Rule(
    id="many-small-copies",
    title="Many small copies",
    why=(
        "A hundred copies of one number cost a hundred calls and starts; one copy of a hundred numbers "
        "costs one."
    ),
    link="https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html",
    check=_check,
)
