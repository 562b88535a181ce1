"""Launches whose kernels are not in the file."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    problem = run.problem("missing_kernel")
    if not len(run.recording.gpu):
        raise NotMeasured("no GPU event was recorded")
    if problem is None:
        return
    made = int(problem.data["of"])
    yield Finding(
        verdict="undecided",
        title=f"{wording.count(problem.count, 'launch has', 'launches have')} no kernel in this file",
        text=(
            f"Of {wording.count(made, 'kernel launch', 'kernel launches')} in steps, {problem.count:,} "
            f"{'owns' if problem.count == 1 else 'own'} no GPU event. The profiler lost what was "
            "launched, or recording ended before it ran. GPU figures of such steps are too small, or missing."
        ),
        advice=(
            "Record fewer steps at a time. A shorter recording overflows no buffer; one more step at "
            "its end lets the last kernels finish."
        ),
        at_stake_us=None,
        evidence=[Quantity("launches without a kernel", problem.count, "count")],
    )


RULE = Rule(
    id="missing-kernel",
    title="Launches without a kernel",
    why="A step whose kernels were lost looks faster and idler than it was.",
    link="https://github.com/pytorch/pytorch/issues/188481",
    check=_check,
    about_trust=True,
)
