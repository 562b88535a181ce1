"""The profiler's own work inside the steps that averages use."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, calls_lane, numbers, step_lane, step_table
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Less than this share of a step is within the spread of most runs.
MIN_SHARE = 0.01


def _length_ns(run: RunAnalyses, step: StepAnalyses) -> int:
    events = run.trace.events
    return int(sum(events.end_ns_of(row) - events.start_ns[row] for row in step.profiler_rows))


def _what_it_did(steps: list[StepAnalyses]) -> str:
    idle = sum(s.profiler_idle_ns or 0 for s in steps)
    if idle:
        return f"The GPU stood still for {wording.time_ns(idle)} of it, which is counted as the profiler’s."
    if any(s.profiler_latency_ns for s in steps):
        return "Kernels began later because of it, but the GPU had other work."
    return "The GPU did not stand still because of it."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not len(run.recording.gpu):
        raise NotMeasured("no GPU event was recorded")
    steps = [
        s
        for s in averaged(run)
        if s.profiler_rows and _length_ns(run, s) >= MIN_SHARE * (run.speed_ns or s.step.duration_ns)
    ]
    if not steps:
        return
    rows = [row for s in steps for row in s.profiler_rows]
    total = sum(_length_ns(run, s) for s in steps)
    names = sorted({f"“{run.trace.name_of(row)}”" for row in rows})
    yield Finding(
        verdict="artifact",
        title=f"The profiler worked for {wording.time_ns(total)} inside {wording.steps(numbers(steps))}",
        text=(
            f"{wording.listing(names)}: the profiler fetches memory to record into, or writes out what "
            "is full. "
            f"{_what_it_did(steps)} Without the profiler none of this is there."
        ),
        advice=(
            "Ignore this time. Fewer recorded steps, or more warm-up steps, keep it out of what you look at."
        ),
        looks_like_us=to_us(total),
        evidence=[
            step_lane(run, steps),
            calls_lane(run, rows, "Profiler"),
            step_table(
                steps,
                ["profiler_us", "gpu_idle_us"],
                lambda s: [
                    to_us(_length_ns(run, s)),
                    None if s.profiler_idle_ns is None else to_us(s.profiler_idle_ns),
                ],
            ),
        ],
    )


RULE = Rule(
    id="profiler-overhead-in-steps",
    title="The profiler’s own work in settled steps",
    why="Buffers that the profiler fetches or empties take time of steps that should be undisturbed.",
    link="https://docs.nvidia.com/cupti/main/main.html",
    check=_check,
)
