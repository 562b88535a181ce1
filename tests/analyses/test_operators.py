"""Operators by name: the CPU as key_averages() counts it, the device through launches."""

from __future__ import annotations

from tb_plugin_explain.analyses.operators import OperatorTimes
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def by_name(trace: Trace) -> dict[str, OperatorTimes]:
    return {row.name: row for row in RunAnalyses(trace).operators.rows}


def test_self_time_is_without_children_of_any_kind() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :  [aten::linear         ]
        cpu :   [aten::mm      ] [b]
        cpu :     [a]
        s7  :         [a   ]         [b]
    """)
    rows = by_name(trace)
    assert (rows["aten::linear"].cpu_total_ns, rows["aten::linear"].cpu_self_ns) == (23_000, 4_000)
    assert (rows["aten::mm"].cpu_total_ns, rows["aten::mm"].cpu_self_ns) == (16_000, 13_000)
    assert (rows["aten::linear"].device_self_ns, rows["aten::linear"].device_total_ns) == (3_000, 9_000)
    assert (rows["aten::mm"].device_self_ns, rows["aten::mm"].kernels) == (6_000, 1)


def test_an_only_child_of_the_same_name_is_no_call_of_its_own() -> None:
    trace = trace_of([Row(Category.CPU_OP, "aten::to", 1, 10), Row(Category.CPU_OP, "aten::to", 2, 6)])
    (row,) = by_name(trace).values()
    assert (row.recorded_calls, row.recorded_total_ns, row.recorded_self_ns) == (1, 10_000, 10_000)


def test_one_child_of_several_counts_in_both() -> None:
    trace = trace_of([
        Row(Category.CPU_OP, "aten::to", 1, 10), Row(Category.CPU_OP, "aten::to", 2, 6),
        Row(Category.CPU_OP, "aten::empty", 9, 1),
    ])  # fmt: skip
    row = by_name(trace)["aten::to"]
    assert (row.recorded_calls, row.recorded_total_ns, row.recorded_self_ns) == (2, 16_000, 9_000)


def test_frames_and_ignored_operators_are_no_children() -> None:
    trace = trace_of([
        Row(Category.CPU_OP, "aten::add", 1, 10), Row(Category.PYTHON, "train.py(1): f", 2, 7),
        Row(Category.CPU_OP, "aten::is_leaf", 3, 4), Row(Category.CPU_OP, "aten::mul", 4, 1),
    ])  # fmt: skip
    rows = by_name(trace)
    assert set(rows) == {"aten::add", "aten::mul"}
    assert rows["aten::add"].recorded_self_ns == 9_000


def test_a_graph_launch_brings_all_its_events() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :  [graph             ] [x]
        cpu :     [cudaGraphLaunch g]
        s7  :           [g ][g ][g ]   [x]
    """)
    run = RunAnalyses(trace)
    rows = {row.name: row for row in run.operators.rows}
    assert (rows["graph"].device_self_ns, rows["graph"].kernels) == (12_000, 3)
    # The other launch has no operator above it.
    assert run.operators.unattributed_ns == 3_000


def test_only_averaged_steps_beside_the_recording() -> None:
    rows = [Row(Category.ANNOTATION, f"ProfilerStep#{i}", 100 * i, 100) for i in range(1, 6)]
    rows += [Row(Category.CPU_OP, "aten::mm", 100 * i + 5, 10) for i in range(1, 6)]
    rows += [Row(Category.CPU_OP, "outside", 700, 10)]
    found = by_name(trace_of(rows))
    assert (found["aten::mm"].recorded_calls, found["aten::mm"].calls) == (5, 5)
    assert (found["outside"].recorded_calls, found["outside"].calls) == (1, 0)
