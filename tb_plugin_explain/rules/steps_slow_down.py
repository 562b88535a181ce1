"""Steps that take longer and longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.drift import MIN_STEPS, Trend
from tb_plugin_explain.evidence import step_lane, step_table
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A change below a twentieth of a step over the whole recording has many harmless causes.
MIN_CHANGE = 0.05

_GROWS: Mapping[str, str] = {
    "gpu_busy": "the GPU’s work per step grows",
    "gpu_idle": "the GPU’s idle time per step grows",
    "duration": "the CPU takes longer for a step",
}


def _what_grows(trends: Mapping[str, Trend]) -> str:
    grown = [
        f"{words} (by {wording.time_ns(trends[name].change_ns or 0.0)})"
        for name, words in _GROWS.items()
        if trends[name].drifts and (trends[name].change_ns or 0.0) > 0
    ]
    if not grown:
        return "Neither the GPU’s work nor its idle time shows the trend by itself."
    listed = wording.listing(grown)
    return f"{listed[0].upper()}{listed[1:]}."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.trends:
        raise NotMeasured("the trace has no ProfilerStep, so steps cannot be compared")
    pace = run.trends["pace"]
    if pace.first_ns is None or pace.last_ns is None or pace.change_ns is None:
        raise NotMeasured(
            f"fewer than {MIN_STEPS} steps can be compared, too few to tell a trend from chance"
        )
    if not pace.drifts or pace.change_ns < MIN_CHANGE * pace.first_ns:
        return
    steps = run.compared_steps
    yield Finding(
        verdict="undecided",
        title=f"Steps slow down, from {wording.time_ns(pace.first_ns)} to {wording.time_ns(pace.last_ns)}",
        text=(
            f"Over {wording.count(len(steps), 'step')} a step comes to take "
            f"{wording.time_ns(pace.change_ns)} longer, more than the "
            f"{wording.time_ns(pace.spread_ns or 0.0)} by which steps differ anyway. "
            f"{_what_grows(run.trends)} Clocks that fall as the GPU grows warm, inputs that grow, and lists "
            "that are never emptied all look like this."
        ),
        advice=(
            "Record a longer run. If the trend goes on, look for what grows with every step; if it levels "
            "off, it is warm-up or the GPU’s clock."
        ),
        at_stake_us=None,
        looks_like_us=to_us(pace.change_ns),
        evidence=[
            step_lane(run, steps),
            step_table(
                steps,
                ["step_us", "gpu_busy_us", "gpu_idle_us"],
                lambda s: [
                    None if value is None else to_us(value)
                    for value in (s.drift_figures[name] for name in ("pace", "gpu_busy", "gpu_idle"))
                ],
            ),
            Quantity("longer by, each step", to_us(pace.slope_ns or 0.0), "us"),
            Quantity("spread from step to step", to_us(pace.spread_ns or 0.0), "us"),
        ],
    )


RULE = Rule(
    id="steps-slow-down",
    title="Steps that slow down",
    why="An average over steps that grow describes none of them, and the end of the run least of all.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
)
