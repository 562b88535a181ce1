"""Which operator of a thread ran at an instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin_explain.analyses.operator_at import operators_at
from tb_plugin_explain.trace.model import Category
from tests.trace_drawing import Row, draw, trace_of

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8)), max_size=8)


def test_the_innermost_operator_of_the_same_thread() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        cpu :[outer              ]
        cpu :  [inner]
        cpu2:[other              ]
        cpu :      |c    |d       |e
    """)
    rows = np.array([i for i in range(len(trace.events)) if trace.name_of(i) == "cudaLaunchKernel"])
    found = operators_at(trace, rows)
    assert [trace.name_of(row) if row >= 0 else None for row in found.tolist()] == ["inner", "outer", None]


def test_an_operator_that_has_just_ended_did_not_ask_for_it() -> None:
    rows = [Row(Category.CPU_OP, "a", 0, 5), Row(Category.INSTANT, "[memory]", 5, 0)]
    assert operators_at(trace_of(rows), np.array([1])).tolist() == [-1]


def test_a_step_is_no_operator() -> None:
    rows = [Row(Category.CPU_OP, "ProfilerStep#1", 0, 9), Row(Category.INSTANT, "[memory]", 5, 0)]
    assert operators_at(trace_of(rows), np.array([1])).tolist() == [-1]


@given(SPANS, st.lists(st.integers(0, 20), min_size=1, max_size=6))
def test_as_the_definition_says_also_where_operators_cross(
    spans: list[tuple[int, int]], times: list[int]
) -> None:
    rows = [Row(Category.CPU_OP, f"op{i}", start, length) for i, (start, length) in enumerate(spans)]
    rows += [Row(Category.INSTANT, "[memory]", time, 0) for time in times]
    found = operators_at(trace_of(rows), np.arange(len(spans), len(rows)))
    for time, row in zip(times, found.tolist(), strict=True):
        covering = [i for i, (start, length) in enumerate(spans) if start <= time < start + length]
        wanted = max(covering, key=lambda i: (spans[i][0], -spans[i][1], i), default=-1)
        assert row == wanted
