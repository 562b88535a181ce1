"""One kernel that takes most of the GPU's time."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import gpu_sets_pace, need_gpu
from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# From half on, nothing else is worth as much as this kernel.
MIN_SHARE = 0.5
# Of fewer kernels, one nearly always has half of the time.
FEWEST_NAMES = 5


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    rows = run.kernel_table.rows
    device_ns = int(run.averaged_work.duration_ns.sum())
    if len(rows) < FEWEST_NAMES or not gpu_sets_pace(run):
        return
    top = rows[0]
    if top.communication or top.time_ns < MIN_SHARE * device_ns:
        return
    steps = max(len(run.averaged), 1)
    yield Finding(
        verdict="expected",
        title=f"One kernel takes {wording.percent(top.time_ns / device_ns)} of the GPU’s time",
        text=(
            f"{wording.in_short(top.name)} ran {wording.count(round(top.count / steps), 'time')} a step for "
            f"{wording.time_ns(top.time_ns / steps)} in all; half of its launches took "
            f"{wording.time_ns(top.median_ns)} or "
            f"less. The other {wording.count(len(rows) - 1, 'kernel')} together take less than it does."
        ),
        advice="Start with this kernel. Nothing done to the others can give back as much.",
        at_stake_us=0.0,
        evidence=[
            Table(
                ["kernel", "count in all", "time_us", "median_us"],
                [[r.name, r.count, to_us(r.time_ns), to_us(r.median_ns)] for r in rows[:5]],
            ),
            Quantity("its share", 100 * top.time_ns / device_ns, "percent"),
        ],
    )


RULE = Rule(
    id="single-kernel-dominates",
    title="One kernel that takes most of the time",
    why="A GPU that sets the pace is made faster where its time goes; here that is one place.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
)
