"""The section ``drift`` of the report."""

from __future__ import annotations

from tb_plugin_explain.report.sections import drift
from tb_plugin_explain.report_sections.drift import StepDrift
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def steps_of(*kernels_us: float, number: int = 4) -> Trace:
    """Steps of 100 µs more than their kernel takes, which starts 10 µs after the step."""
    rows: list[Row] = []
    at = 0.0
    for i, kernel in enumerate(kernels_us):
        rows += [
            Row(Category.ANNOTATION, f"ProfilerStep#{number + i}", at, kernel + 100),
            Row(Category.RUNTIME, "cudaLaunchKernel", at + 5, 3, correlation=i + 1),
            Row(Category.KERNEL, "k", at + 10, kernel, correlation=i + 1, device=0, stream="7"),
        ]
        at += kernel + 100
    return trace_of(rows)


def section(trace: Trace) -> StepDrift:
    built = drift.build(RunAnalyses(trace))
    assert built is not None
    return built


def test_steps_that_grow() -> None:
    built = section(steps_of(1000, 1010, 1020, 1030, 1040, 1050))
    assert (built.pid, built.device, built.steps, built.first_settled) == ("main", 0, 6, 4)
    figures = {f.figure: f for f in built.figures}
    busy = figures["gpu_busy_us"]
    assert (busy.known, busy.first_us, busy.last_us, busy.slope_us, busy.change_us) == (6, 1005, 1045, 10, 50)
    assert (busy.spread_us, busy.drifts) == (10, True)
    assert figures["duration_us"].change_us == 50
    assert (figures["offset_us"].change_us, figures["offset_us"].drifts) == (0, False)
    # The first step's window opens with the recording, so its idle time is not known.
    assert (figures["gpu_idle_us"].known, figures["gpu_idle_us"].drifts) == (5, None)
    assert built.series.step == [4, 5, 6, 7, 8, 9]
    assert built.series.gpu_busy_us == [1000, 1010, 1020, 1030, 1040, 1050]
    assert built.series.gpu_idle_us == [None, 100, 100, 100, 100, 100]
    assert built.series.offset_us == [5] * 6
    assert (built.unsettled_us, built.cold_share) == (0, 0)


def test_a_cold_step_is_in_the_series_and_not_in_the_trend() -> None:
    built = section(steps_of(5000, 1000, 1000, 1000, number=0))
    assert (built.steps, built.first_settled) == (3, 1)
    assert built.series.settled == [False, True, True, True]
    assert (built.unsettled_us, built.recorded_us, built.cold_share) == (5100, 8400, 5100 / 8400)


def test_two_steps_tell_nothing_of_the_cold_start() -> None:
    assert section(steps_of(1000, 1000)).cold_share is None


def test_the_process_with_most_averaged_steps_is_compared() -> None:
    rows = [
        Row(Category.ANNOTATION, f"ProfilerStep#{i}", 100 * i + shift, 90, process)
        for process, shift, count in (("p", 0, 3), ("q", 5, 4))
        for i in range(count)
    ]
    built = section(trace_of(rows))
    assert (built.pid, built.steps, len(built.series.step)) == ("q", 4, 4)


def test_without_steps_there_is_no_drift() -> None:
    assert drift.build(RunAnalyses(draw("cpu :[op ]"))) is None
