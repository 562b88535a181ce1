"""What findings and headline say alike: events as spans, steps as rows, typical figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

import numpy as np

from tb_plugin_explain.findings import Cell, NotMeasured, Span, Spans, Table
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# More rectangles than this cannot be told apart in a small timeline.
MAX_SPANS = 60


def span_of(run: RunAnalyses, row: int) -> Span:
    """One event, its time counted from the first step's start."""
    events = run.trace.events
    return Span(
        run.trace.name_of(row),
        to_us(int(events.start_ns[row]) - run.recording.origin_ns),
        to_us(max(int(events.duration_ns[row]), 0)),
        int(events.ordinal[row]),
    )


def calls_lane(run: RunAnalyses, rows: Iterable[int], lane: str = "CPU calls") -> Spans:
    """Some events of the CPU as one lane, the longest where there are too many."""
    spans = sorted((span_of(run, row) for row in rows), key=lambda s: -s.duration_us)[:MAX_SPANS]
    return Spans(lane, sorted(spans, key=lambda s: s.start_us))


def step_lane(run: RunAnalyses, steps: Sequence[StepAnalyses]) -> Spans:
    """The steps themselves as one lane."""
    return Spans("Steps", [span_of(run, s.step.row) for s in steps[:MAX_SPANS] if s.step.row is not None])


def gpu_lane(run: RunAnalyses, start_ns: int, end_ns: int) -> Spans:
    """The GPU events that overlap a time, the longest where there are too many."""
    gpu = run.recording.gpu
    inside = np.flatnonzero((gpu.end_ns > start_ns) & (gpu.start_ns < end_ns))
    longest = inside[np.argsort(-(gpu.end_ns - gpu.start_ns)[inside], kind="stable")][:MAX_SPANS]
    return Spans("GPU", [span_of(run, int(gpu.row[i])) for i in np.sort(longest)])


def averaged(run: RunAnalyses) -> Sequence[StepAnalyses]:
    """The steps that averages use."""
    return [run.steps[i] for i in run.averaged]


def steps_with_known_gpu(run: RunAnalyses) -> Sequence[StepAnalyses]:
    """The averaged steps whose GPU events were recorded; all of them where that is true of none.

    Raises:
        NotMeasured: the trace has no step.
    """
    steps = averaged(run)
    if not steps:
        raise NotMeasured("the file holds no events")
    return [s for s in steps if not s.gpu_is_unknown] or steps


def nearest(
    steps: Sequence[StepAnalyses], value: float, figure: Callable[[StepAnalyses], float]
) -> StepAnalyses:
    """The step that shows a typical value best; of two, the one with more of it."""
    return min(steps, key=lambda s: (abs(figure(s) - value), -figure(s)))


def numbers(steps: Sequence[StepAnalyses]) -> Sequence[int | None]:
    """The numbers of some steps."""
    return [s.step.number for s in steps]


def step_table(
    steps: Sequence[StepAnalyses], columns: Sequence[str], row: Callable[[StepAnalyses], Sequence[Cell]]
) -> Table:
    """One row a step, its number first."""
    return Table(["step", *columns], [[s.step.number, *row(s)] for s in steps])


def typical(values: Sequence[float]) -> float:
    """The median of a figure over steps, 0 over none."""
    return float(median(values)) if values else 0.0


def unit(run: RunAnalyses) -> str:
    """What the run is counted in: ``step``, or ``recording`` where it has no steps."""
    return "recording" if run.steps and run.steps[0].step.number is None else "step"


def the_unit(run: RunAnalyses) -> str:
    """How a sentence calls it: ``a typical step``, ``this step``, ``the recording``."""
    if unit(run) == "recording":
        return "the recording"
    return "this step" if len(run.averaged) == 1 else "a typical step"


def the_time(run: RunAnalyses) -> str:
    """What shares are of: a step; of a recording without steps only what lies around its GPU work."""
    if unit(run) == "recording":
        return "the time between its first and last event"
    return the_unit(run)


def need_fit(run: RunAnalyses) -> None:
    """Where a step lost more than it took, pace and windows are of different kinds of steps.

    Raises:
        NotMeasured: so little fits together that no share of a step means anything.
    """
    if run.bound is not None and run.bound.lost_ns > run.bound.base_ns:
        raise NotMeasured("the recorded steps are too few, and differ too much, to say what one costs")


def need_gpu(run: RunAnalyses) -> int:
    """The device that the headline judges.

    Raises:
        NotMeasured: no averaged step has a GPU event.
    """
    if run.busiest_device is None:
        raise NotMeasured("no GPU event of an averaged step was recorded")
    return run.busiest_device
