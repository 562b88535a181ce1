"""GPU events whose launch is not in the file."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Above this share of the GPU's events the steps' own figures lack too much.
MAX_HARMLESS_SHARE = 0.05


def _check(run: RunAnalyses) -> Iterator[Finding]:
    problem = run.problem("missing_launch")
    if problem is None:
        return
    total, time_us = len(run.recording.gpu), float(problem.data["time_us"])
    harmless = problem.count <= MAX_HARMLESS_SHARE * total
    none_linked = problem.count == total
    belongs = (
        "No GPU event of this file has a launch, so each is given to the step in which it ran."
        if none_linked
        else "They are in no step’s figures, but they do keep the GPU busy."
    )
    events = wording.count(problem.count, "GPU event has", "GPU events have")
    yield Finding(
        verdict="artifact" if harmless else "undecided",
        title=f"{events} no launch in this file",
        text=(
            f"{problem.count:,} of {total:,} GPU events, {wording.time(time_us)} in all, were launched before recording "
            f"began, or their launch calls were cut from the file. {belongs}"
        ),
        advice=(
            "Leave it alone. It is the work that was still queued when recording began."
            if harmless
            else "Record with a longer warm-up. schedule(warmup=2) lets the queue drain into the part that is thrown away."
        ),
        at_stake_us=0.0 if harmless else None,
        looks_like_us=time_us if harmless else None,
        pill=f"{events} no launch" if harmless else None,
        evidence=[
            Quantity("GPU events without a launch", problem.count, "count"),
            Quantity("their time", time_us, "us"),
        ],
    )


RULE = Rule(
    id="missing-launch",
    title="GPU events without a launch",
    why="Work of unknown origin belongs to no step; a reader should know how much of it there is.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
    about_trust=True,
)
