"""Many small copies between host and GPU, each with the cost of a call."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.copy_table import SMALL_BYTES
from tb_plugin_explain.evidence import need_gpu, the_unit, waits_for_launches
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.copies_not_overlapped import copy_rows
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A batch has a few tensors, and a step reads a few numbers back; more is a loop.
MIN_A_STEP = 30
# Where the calls keep an idle GPU waiting for less of a step, nobody would notice their end. While the GPU is
# at work, what passes in a call is waiting for that work, and fewer copies would not shorten it.
MIN_IDLE_SHARE = 0.01


def _idle_ns(run: RunAnalyses, device: int) -> int:
    """Time in the calls of small copies in which the GPU ran nothing."""
    events, rows = run.trace.events, run.copy_table.small_calls("HtoD", "DtoH")
    start, end = events.start_ns[rows], events.end_ns_of(rows)
    return int((end - start - run.recording.work_of_device(device).covered(start, end)).sum())


def _counted(run: RunAnalyses) -> str:
    if run.bound is None or not waits_for_launches(run.bound):
        return ""
    return " That time is counted in the findings about idle time, and not again here."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    copies = run.copy_table.towards("HtoD", "DtoH")
    if copies.count and not copies.sized_count:
        raise NotMeasured("the sizes of the copies were not recorded")
    steps, base = max(len(run.averaged), 1), run.speed_ns or 0.0
    small, idle_ns = copies.small_count / steps, _idle_ns(run, device) / steps
    if small < MIN_A_STEP or 2 * copies.small_count < copies.count or idle_ns < MIN_IDLE_SHARE * base:
        return
    yield Finding(
        verdict="undecided",
        title=f"{wording.count(round(small), 'small copy', 'small copies')} between host and GPU",
        text=(
            f"In {the_unit(run)}, {round(copies.count / steps):,} copies cross between host and GPU, "
            f"{round(small):,} of "
            f"them of {SMALL_BYTES // 1024} KiB at most. A copy this small costs its call and its start, "
            f"not its bytes: for {wording.time_ns(idle_ns)} the CPU was in these calls while the GPU had "
            f"nothing to do.{_counted(run)}"
        ),
        advice=(
            "Make one copy of many. Stack or concatenate the values before they cross; read results back "
            "once a step, and create small tensors on the GPU instead of sending them."
        ),
        at_stake_us=None,
        looks_like_us=to_us(idle_ns),
        evidence=[
            copy_rows(run, "HtoD", "DtoH"),
            Quantity(f"small copies in {the_unit(run)}", round(small), "count"),
            Quantity("GPU idle in their calls", to_us(idle_ns), "us"),
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
