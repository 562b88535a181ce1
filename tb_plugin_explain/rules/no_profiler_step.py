"""A recording without ProfilerSteps."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if run.problem("no_profiler_step") is None:
        return
    yield Finding(
        verdict="undecided",
        title="The recording has no steps",
        text=(
            "It is explained as one piece, from its first event to its last. Whether it was warm, "
            "and what one step "
            "costs, cannot be told: steps appear only where a schedule is given and prof.step() is called."
        ),
        advice=(
            "Record with steps. Pass schedule=schedule(wait=1, warmup=2, active=5) to profile() and "
            "call prof.step() after each iteration."
        ),
        at_stake_us=None,
    )


RULE = Rule(
    id="no-profiler-step",
    title="No ProfilerSteps",
    why="Without steps a warm-up cannot be told from the steady state.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
    about_trust=True,
)
