"""The section ``drift``: how steps change over the recording, and how much of it had not settled."""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain.analyses.drift import Trend
from tb_plugin_explain.report.steps import maybe_us, pid_of
from tb_plugin_explain.report_sections import drift as section
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

_FIGURES: Mapping[str, section.DriftFigure] = {
    "duration": "duration_us",
    "pace": "pace_us",
    "gpu_busy": "gpu_busy_us",
    "gpu_idle": "gpu_idle_us",
    "offset": "offset_us",
}


def _figure(name: str, trend: Trend) -> section.Drift:
    return section.Drift(
        figure=_FIGURES[name],
        known=trend.known,
        first_us=maybe_us(trend.first_ns),
        last_us=maybe_us(trend.last_ns),
        slope_us=maybe_us(trend.slope_ns),
        change_us=maybe_us(trend.change_ns),
        spread_us=maybe_us(trend.spread_ns),
        drifts=trend.drifts,
    )


def _series(steps: list[StepAnalyses]) -> section.DriftSeries:
    figures = [s.drift_figures for s in steps]
    return section.DriftSeries(
        step=[s.step.number or 0 for s in steps],
        settled=[s.settled.settled for s in steps],
        **{field: [maybe_us(f[name]) for f in figures] for name, field in _FIGURES.items()},
    )


def build(run: RunAnalyses) -> section.StepDrift | None:
    """The section; None without steps."""
    if not run.trends:
        return None
    process = run.compared_steps[0].step.process
    own = [s for s in run.steps if s.step.process == process]
    cold = run.cold_start
    return section.StepDrift(
        pid=pid_of(run, process),
        device=run.busiest_device,
        steps=len(run.compared_steps),
        figures=[_figure(name, trend) for name, trend in run.trends.items()],
        series=_series(own),
        unsettled_us=cold.unsettled_ns / 1000,
        recorded_us=cold.recorded_ns / 1000,
        cold_share=cold.share,
        first_settled=next((s.step.number for s in own if s.settled.settled), None),
    )
