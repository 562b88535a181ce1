"""The profiler's own wait at the end of the recording."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import calls_lane, gpu_lane, step_lane
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A wait shorter than this alarms nobody.
MIN_ALARM_NS = 100_000


def _when(run: RunAnalyses, start_ns: int) -> str:
    ended = [s for s in run.recording.steps if s.number is not None and s.end_ns <= start_ns]
    if not ended:
        return "as it stops"
    last = max(ended, key=lambda s: s.end_ns)
    return f"{wording.time_ns(start_ns - last.end_ns)} after the end of step {last.number}"


def _check(run: RunAnalyses) -> Iterator[Finding]:
    row = run.waits.closing_row
    if row is None or run.closing_wait is None:
        return
    name, split = run.closing_wait
    if split.total_ns < MIN_ALARM_NS:
        return
    start, end = int(run.trace.events.start_ns[row]), int(run.trace.events.end_ns_of(row))
    total = wording.time_ns(split.total_ns)
    meanwhile = (
        f"In the meantime the GPU finished {wording.time_ns(split.gpu_busy_ns)} of work that was "
        "already queued."
        if split.gpu_busy_ns
        else "The GPU had nothing left to do in the meantime."
    )
    yield Finding(
        verdict="artifact",
        title=f"The {total} wait at the end is the profiler’s own",
        text=(
            f"This {name} is the profiler closing its recording, {_when(run, start)}: it waits for the GPU "
            f"so that no kernel is missing from the file. {meanwhile} The wait is in no step and in no "
            "average."
        ),
        advice="Leave it alone. It goes away with the profiler.",
        at_stake_us=0.0,
        looks_like_us=to_us(split.total_ns),
        pill=f"{total} synchronise",
        evidence=[
            step_lane(run, run.steps[-1:]),
            calls_lane(run, [row]),
            gpu_lane(run, start, end),
            Quantity("GPU busy meanwhile", to_us(split.gpu_busy_ns), "us"),
            Quantity("profiler working meanwhile", to_us(split.profiler_ns), "us"),
            Quantity("GPU idle meanwhile", to_us(split.gpu_idle_ns), "us"),
        ],
    )


RULE = Rule(
    id="closing-wait",
    title="The profiler’s closing wait",
    why=(
        "The longest wait of a short trace is often the profiler’s own, and the first thing that a "
        "reader tries to remove."
    ),
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
)
