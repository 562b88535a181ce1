"""Annotations: the GPU work launched inside them, once for each name."""

from __future__ import annotations

from tb_plugin_explain.analyses.annotation_times import AnnotationTimes
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.analyses.test_backward import numbered
from tests.analyses.test_modules import NODE, launched
from tests.trace_drawing import Row, trace_of


def note(name: str, start: float, length: float) -> Row:
    return Row(Category.ANNOTATION, name, start, length)


def by_name(trace: Trace) -> dict[str, AnnotationTimes]:
    return {row.name: row for row in RunAnalyses(trace).annotations.rows}


def test_an_event_counts_for_every_name_around_it_once() -> None:
    rows = by_name(
        trace_of(
            [
                note("ProfilerStep#1", 1, 99),
                note("outer", 2, 50),
                note("inner", 4, 20),
                note("inner", 5, 10),
                *launched(6, 1, 10),
                *launched(30, 2, 3),
                note("outer", 200, 5),
            ]
        )
    )
    assert set(rows) == {"outer", "inner"}
    assert (rows["outer"].device_ns, rows["outer"].kernels) == (13_000, 2)
    assert (rows["inner"].device_ns, rows["inner"].kernels) == (10_000, 1)
    # Of one inside another of the same name only the outer length counts.
    assert (rows["inner"].count, rows["inner"].cpu_total_ns) == (2, 20_000)
    assert (rows["outer"].count, rows["outer"].recorded_count) == (1, 2)


def test_backward_work_is_told_apart() -> None:
    rows = [
        note("ProfilerStep#1", 1, 99), note("loss", 2, 10), Row(Category.CPU_OP, "aten::mm", 3, 5),
        Row(Category.CPU_OP, NODE, 40, 10, thread="2"), *launched(45, 3, 20, "2"),
    ]  # fmt: skip
    (loss,) = by_name(numbered(trace_of(rows), {2: 4, 3: 4})).values()
    assert (loss.device_ns, loss.backward_ns) == (0, 20_000)


def test_steps_are_no_annotations() -> None:
    assert by_name(trace_of([note("ProfilerStep#1", 1, 99)])) == {}
