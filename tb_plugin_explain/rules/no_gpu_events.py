"""A recording without GPU events where there should be some."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    problem = run.problem("no_gpu_events")
    if problem is None:
        return
    seen = (
        f"The CPU launched {wording.count(problem.count, 'kernel')}, and the file holds none of them."
        if problem.count
        else "The file holds no kernel and no copy."
    )
    yield Finding(
        verdict="undecided",
        title="No GPU event was recorded",
        text=f"{seen} What the GPU did, and what bounds the run, cannot be told.",
        advice=(
            "Record the GPU too. Add your device’s activity (ProfilerActivity.CUDA also means ROCm) to "
            "activities=[ProfilerActivity.CPU]. If that was done, another profiler may be using the device, "
            "or hardware counters were recorded (profiler_metrics), which leaves the kernels out."
        ),
        at_stake_us=None,
    )


RULE = Rule(
    id="no-gpu-events",
    title="No GPU events",
    why="Missing GPU events look like an idle GPU, and are not.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
    about_trust=True,
)
