"""Kernels that seem to start before their launch."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.recording.gpu.linked.any():
        raise NotMeasured("no GPU event has a launch to compare its time with")
    problem = run.problem("clock_skew")
    if problem is None:
        return
    early = -float(problem.data["min_latency_us"])
    yield Finding(
        verdict="artifact",
        title=(
            "1 GPU event seems to start before its launch"
            if problem.count == 1
            else f"{problem.count:,} GPU events seem to start before their launch"
        ),
        text=(
            f"Nothing runs before it is launched: the clocks of CPU and GPU disagree by at least "
            f"{wording.time(early)} here. Launch latencies of such events are shown as 0 and left out "
            "of the percentiles; other figures that compare the two lanes may be off by as much."
        ),
        advice="Leave it alone. Do not read distances between CPU and GPU lanes more finely than that.",
        at_stake_us=0.0,
        evidence=[
            Quantity("largest disagreement", early, "us"),
            Quantity("GPU events", problem.count, "count"),
        ],
    )


RULE = Rule(
    id="clock-skew",
    title="Clocks that disagree",
    why="A negative latency is proof that the two lanes’ times are not on one clock.",
    link="https://github.com/pytorch/kineto/issues/1380",
    check=_check,
    about_trust=True,
)
