"""The tree of a thread: who made what, also where events cross."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.analyses.nesting import ROUNDING_NS, Nesting, begun_in, find_nesting, sweep_lists
from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.native import native_sweep
from tests.trace_drawing import Row, trace_of

OP, NOTE, FRAME, CALL = Category.CPU_OP, Category.ANNOTATION, Category.PYTHON, Category.RUNTIME


def parents(trace: Trace) -> dict[str, str | None]:
    """The parent of each event by name."""
    nesting = find_nesting(trace)
    return {
        trace.name_of(row): trace.name_of(up) if (up := int(nesting.parent[row])) >= 0 else None
        for row in range(len(trace.events))
    }


def lengths(trace: Trace) -> dict[str, float]:
    nesting = find_nesting(trace)
    return {trace.name_of(row): int(nesting.length_ns[row]) / 1000 for row in range(len(trace.events))}


def test_what_begins_inside_is_a_child() -> None:
    trace = trace_of([
        Row(OP, "inner", 2, 3), Row(CALL, "call", 3, 1), Row(OP, "outer", 0, 10), Row(OP, "next", 10, 5),
    ])  # fmt: skip
    assert parents(trace) == {"outer": None, "inner": "outer", "call": "inner", "next": None}


def test_depth_counts_the_ancestors() -> None:
    trace = trace_of([
        Row(OP, "inner", 2, 3), Row(CALL, "call", 3, 1), Row(OP, "outer", 0, 10), Row(OP, "next", 10, 5),
        Row(Category.KERNEL, "kernel", 0, 1, device=0, stream="7"), Row(OP, "elsewhere", 1, 2, thread="2"),
    ])  # fmt: skip
    assert find_nesting(trace).depth.tolist() == [1, 2, 0, 0, 0, 0]


def test_threads_and_processes_have_trees_of_their_own() -> None:
    trace = trace_of([
        Row(OP, "a", 0, 10), Row(OP, "other thread", 2, 2, thread="2"), Row(OP, "q", 3, 2, process="q"),
    ])  # fmt: skip
    assert parents(trace) == {"a": None, "other thread": None, "q": None}


def test_equal_spans_nest_in_the_order_of_the_file_and_calls_come_last() -> None:
    trace = trace_of([
        Row(Category.DRIVER, "driver", 0, 5), Row(CALL, "runtime", 0, 5),
        Row(OP, "a", 0, 5), Row(OP, "b", 0, 5),
    ])  # fmt: skip
    assert parents(trace) == {"a": None, "b": "a", "runtime": "b", "driver": "runtime"}


def test_an_annotation_outlasts_the_frame_it_begins_in() -> None:
    trace = trace_of([
        Row(FRAME, "main", 0, 100), Row(FRAME, "enter", 10, 5), Row(NOTE, "batch", 12, 50),
        Row(OP, "mm", 20, 5), Row(FRAME, "exit", 60, 8), Row(OP, "late", 64, 2),
    ])  # fmt: skip
    assert parents(trace) == {
        "main": None, "enter": "main", "batch": "main", "mm": "batch", "exit": "batch", "late": "main",
    }  # fmt: skip
    # The frame of enter is cut where the annotation begins, that of exit where it ends.
    assert lengths(trace)["enter"] == 2
    assert lengths(trace)["exit"] == 2


def test_an_operator_outlasts_the_annotation_it_begins_in() -> None:
    trace = trace_of([Row(NOTE, "async", 0, 20), Row(OP, "mm", 10, 30), Row(CALL, "launch", 25, 2)])
    assert parents(trace) == {"async": None, "mm": None, "launch": "mm"}
    assert lengths(trace)["async"] == 10


def test_an_annotation_that_outlasts_an_operator_is_cut() -> None:
    trace = trace_of([Row(OP, "mm", 0, 20), Row(NOTE, "async", 10, 30), Row(CALL, "launch", 25, 2)])
    assert parents(trace) == {"mm": None, "async": "mm", "launch": None}
    assert lengths(trace)["async"] == 10


def test_a_call_that_rounding_made_too_long_stays_a_child() -> None:
    trace = trace_of([Row(OP, "mm", 0, 20), Row(CALL, "launch", 15, 6), Row(OP, "next", 20, 5)])
    assert parents(trace) == {"mm": None, "launch": "mm", "next": None}


def test_lost_events_have_no_place() -> None:
    assert parents(trace_of([Row(OP, "lost", 0, 0), Row(OP, "a", 1, 5)])) == {"lost": None, "a": None}


def test_the_innermost_and_the_outermost_ancestor() -> None:
    trace = trace_of([
        Row(NOTE, "x", 0, 100), Row(OP, "top", 5, 50), Row(OP, "mid", 6, 40), Row(CALL, "call", 7, 3),
        Row(CALL, "alone", 80, 3), Row(CALL, "outside", 200, 3),
    ])  # fmt: skip
    nesting = find_nesting(trace)
    operators = trace.is_category(OP)
    calls = np.array([3, 4, 5])
    assert nesting.nearest(calls, operators).tolist() == [2, -1, -1]
    assert nesting.outermost(calls, operators).tolist() == [1, -1, -1]
    assert nesting.top_of_run(np.array([2, -1]), operators).tolist() == [1, -1]
    assert nesting.inside(trace.is_category(NOTE)).tolist() == [False, True, True, True, True, False]


def slow_inside(nesting: Nesting, row: int, members: set[int]) -> bool:
    up = int(nesting.parent[row])
    while up >= 0:
        if up in members:
            return True
        up = int(nesting.parent[up])
    return False


rows_drawn = st.lists(
    st.tuples(
        st.sampled_from([OP, NOTE, FRAME, CALL]),
        st.integers(0, 40), st.integers(0, 30), st.sampled_from(["1", "2"]),
    ),
    min_size=1, max_size=25,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(rows_drawn)
def test_children_never_overlap_and_fit_into_their_parent(
    drawn: list[tuple[Category, int, int, str]],
) -> None:
    rows = [Row(c, f"{i}", s + 1, d, thread=t) for i, (c, s, d, t) in enumerate(drawn)]
    trace = trace_of(rows)
    nesting, start = find_nesting(trace), trace.events.start_ns
    for up in range(-1, len(rows)):
        children = [r for r in nesting.order.tolist() if nesting.parent[r] == up]
        for lane in {int(trace.events.lane[r]) for r in children}:
            mine = sorted(
                (int(start[r]), int(nesting.length_ns[r])) for r in children if trace.events.lane[r] == lane
            )
            assert all(a + length <= b for (a, length), (b, _) in pairwise(mine))
        if up >= 0:
            end = start[up] + nesting.length_ns[up]
            assert all(start[up] <= start[r] and start[r] + nesting.length_ns[r] <= end for r in children)
    members = trace.is_category(NOTE)
    chosen = set(np.flatnonzero(members).tolist())
    assert nesting.inside(members).tolist() == [slow_inside(nesting, r, chosen) for r in range(len(rows))]


@pytest.mark.skipif(native_sweep() is None, reason="the scanner in C was not built")
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(-2, 60), st.integers(0, 2)), max_size=40).map(sorted),
    st.sampled_from([100, 600, 1000, 5000]),
)
def test_both_sweeps_give_the_same(drawn: list[tuple[int, int, int]], unit_ns: int) -> None:
    start = np.array([start for start, _, _ in drawn], np.int64) * unit_ns
    end = start + np.array([length for _, length, _ in drawn], np.int64) * unit_ns
    rank = np.array([rank for _, _, rank in drawn], np.uint8)
    expected = sweep_lists(start.tolist(), end.tolist(), rank.tobytes())
    parent, beyond = np.empty_like(start), np.empty_like(start)
    sweep = native_sweep()
    assert sweep is not None
    sweep(start, end, rank, ROUNDING_NS, parent, beyond)
    assert (parent.tolist(), end.tolist(), beyond.tolist()) == expected


@settings(max_examples=100, deadline=None)
@given(rows_drawn, st.integers(0, 45), st.integers(-5, 45))
def test_what_began_in_a_time_is_found_without_a_pass(
    drawn: list[tuple[Category, int, int, str]], begin_us: int, length_us: int
) -> None:
    trace = trace_of([Row(c, f"{i}", s + 1, d, thread=t) for i, (c, s, d, t) in enumerate(drawn)])
    nesting, events = find_nesting(trace), trace.events
    begin, end = begin_us * 1000, (begin_us + length_us) * 1000
    for lane in set(events.lane.tolist()):
        mine = [r for r in nesting.order.tolist() if events.lane[r] == lane]
        expected = [r for r in mine if begin <= events.start_ns[r] < end]
        assert begun_in(trace, nesting, lane, begin, end).tolist() == expected
