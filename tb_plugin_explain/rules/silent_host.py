"""Gaps during which the trace shows nothing at all of the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.gap_table import KINDS, GapTable
from tb_plugin_explain.evidence import (
    averaged,
    gpu_lane,
    nearest,
    need_fit,
    need_gpu,
    step_table,
    the_time,
    the_unit,
    typical,
)
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Between two operators Python is silent for microseconds; from a millisecond on something else goes on.
MIN_HOLE_NS = 1_000_000
# Below a twentieth of a step it is not worth another recording.
MIN_SHARE = 0.05

_HOLE = KINDS.index("hole")


def _holes(step: StepAnalyses, device: int) -> list[GapTable]:
    """The step's gaps of which most is silence, and long enough."""
    tables = [g.gaps for g in step.gpu if g.device == device]
    return [t.where((t.kind == _HOLE) & (t.hole_ns >= MIN_HOLE_NS)) for t in tables]


def _silent_ns(step: StepAnalyses, device: int) -> int:
    return sum(int(t.hole_ns.sum()) for t in _holes(step, device))


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    steps = [s for s in averaged(run) if s.gpu]
    silent = typical([_silent_ns(s, device) for s in steps])
    common = 2 * sum(_silent_ns(s, device) > 0 for s in steps) > len(steps)
    if bound is None or not common or silent < MIN_SHARE * bound.base_ns:
        return
    stacks = run.trace.meta.with_stack
    most = nearest(steps, silent, lambda s: _silent_ns(s, device))
    count = sum(len(t) for t in _holes(most, device))
    holes = max(_holes(most, device), key=len)
    longest = int(holes.length_ns.argmax())
    start, end = int(holes.start_ns[longest]), int(holes.end_ns[longest])
    yield Finding(
        verdict="undecided",
        title=f"{wording.time_ns(silent)} in which neither CPU nor GPU shows anything",
        text=(
            f"In {wording.percent(silent / bound.base_ns)} of {the_time(run)} the GPU is idle and no "
            f"operator, call{', annotation or Python function' if stacks else ' or annotation'} runs on the "
            f"CPU ({wording.count(count, 'gap')} of a millisecond and more). "
            + (
                "Python was not at work either, as stacks were recorded: other threads, the operating "
                "system or lost events are what remains."
                if stacks
                else "Python code leaves no events unless stacks are recorded. It may be your own code, "
                "reading or writing, garbage collection, or another process; nothing here tells which."
            )
        ),
        advice=(
            "Record once more with a system profiler. It shows what the threads waited for."
            if stacks
            else "Record once more with stacks. with_stack=True names the Python functions; a "
            'record_function("…") around suspects costs less.'
        ),
        at_stake_us=None,
        looks_like_us=to_us(silent),
        evidence=[
            gpu_lane(run, start - (end - start) // 4, end + (end - start) // 4),
            step_table(steps, ["silent_us"], lambda s: [to_us(_silent_ns(s, device))]),
            Quantity(f"without any event in {the_unit(run)}", to_us(silent), "us"),
        ],
    )


RULE = Rule(
    id="silent-host",
    title="Times without any event",
    why=(
        "A hole in the trace is easily blamed on whatever stands beside it. Only a recording that covers "
        "it can say what it was."
    ),
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
)
