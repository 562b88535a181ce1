"""A recording that is mostly warm-up."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, numbers, step_lane
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# From half of the recorded time on, totals over the recording describe its warm-up.
MIN_SHARE = 0.5

_OF_WARM_UP = frozenset({"compiling", "recompile", "lazy_loading", "profiler_buffer", "cold_start"})


def _check(run: RunAnalyses) -> Iterator[Finding]:
    cold = run.cold_start
    if not run.steps or run.steps[0].step.number is None:
        raise NotMeasured("the trace has no ProfilerStep, so steps cannot be compared")
    if cold.share is None:
        raise NotMeasured("too few steps were recorded to know which of them have settled")
    odd = [s for s in run.steps if s.settled.settled is False]
    if cold.share < MIN_SHARE or not any(_OF_WARM_UP & set(s.settled.because) for s in odd):
        return
    good = [s for s in averaged(run) if s.settled.settled]
    time = wording.time_ns(cold.unsettled_ns)
    left = (
        f"Only {wording.steps(numbers(good))} {'tells' if len(good) == 1 else 'tell'} what the run is like."
        if good
        else "No step tells what the run is like once it is warm."
    )
    yield Finding(
        verdict="expected",
        title=f"{wording.percent(cold.share)} of the recorded time is warm-up",
        text=(
            f"{wording.steps(numbers(odd)).capitalize()}, {time} of {wording.time_ns(cold.recorded_ns)}, "
            f"{'has' if len(odd) == 1 else 'have'} not settled. Sums over the whole recording "
            f"describe this part and not the run. {left}"
        ),
        advice=(
            "Record more steps after a longer warm-up. schedule(wait=1, warmup=3, active=5) leaves the first "
            "four steps out."
        ),
        at_stake_us=0.0,
        looks_like_us=to_us(cold.unsettled_ns),
        evidence=[
            step_lane(run, run.steps),
            Quantity("in unsettled steps", to_us(cold.unsettled_ns), "us"),
            Quantity("in all steps", to_us(cold.recorded_ns), "us"),
        ],
    )


RULE = Rule(
    id="long-cold-start",
    title="A recording that is mostly warm-up",
    why="In a short recording one cold step outweighs all others, and any total of it misleads.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
)
