"""Kernels by name and shape: counts, times, short ones, occupancy, spread."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin_explain.analyses.kernel_spread import find_spreads
from tb_plugin_explain.analyses.kernel_table import KernelTable
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.kernel_details import SHAPE, with_kernel_details
from tests.trace_drawing import draw


def table_of(trace: Trace) -> KernelTable:
    return RunAnalyses(trace).kernel_table


TWO_STEPS = draw(
    """
    us  :0    5    10   15   20   25   30
    step:[1           ][2             ]
    cpu :[a][copy c][b]  [d  ]  [e]
    s7  :    [a    ][c ][b]   [d]  [e   ][?]
    """,
    names={"a": "gemm", "b": "add", "d": "add", "e": "gemm"},
)


def test_times_of_each_name_sum_over_the_averaged_steps() -> None:
    gemm, add = table_of(TWO_STEPS).rows
    assert (gemm.name, gemm.count, gemm.time_ns) == ("gemm", 2, 13_000)
    assert (gemm.min_ns, gemm.median_ns, gemm.max_ns) == (6_000, 6_500, 7_000)
    assert (add.name, add.count, add.time_ns) == ("add", 2, 6_000)


def test_the_typical_step_is_the_lower_of_two() -> None:
    table = table_of(TWO_STEPS)
    # Step 1: 7 + 4 + 3, step 2: 3 + 6.
    assert table.work.typical == 1
    assert [(r.typical_count, r.typical_ns) for r in table.rows] == [(1, 6_000), (1, 3_000)]


def test_of_equal_steps_the_latest_is_typical() -> None:
    trace = draw("""
    us  :0    5    10   15   20
    step:[1    ][2    ][3    ]
    cpu :[a]    [b]    [c]
    s7  :  [a]     [b]    [c]
    """)
    assert table_of(trace).work.typical == 2


def test_a_kernel_is_short_if_its_call_took_longer() -> None:
    table = table_of(TWO_STEPS)
    short = table.short(table.all)
    # a: 7 > 3, b: 3 = 3, d: 3 < 5, e: 6 > 3.
    assert (short.judged, short.count, short.time_ns, short.call_ns) == (4, 1, 3_000, 5_000)


def test_kernels_that_share_a_launch_are_not_judged() -> None:
    table = table_of(
        draw("""
    us  :0    5    10   15   20
    step:[1                     ]
    cpu :[cudaGraphLaunch-g]  [a]
    s7  :  [g][g]               [a]
    """)
    )
    assert table.short(table.all).judged == 1
    assert table.in_graph.tolist() == [True, True, False]
    assert table.launch_calls(table.in_graph) == 1


def test_occupancy_is_weighted_with_time_and_zero_is_none() -> None:
    trace = draw(
        """
    us  :0    5    10   15   20
    step:[1                     ]
    cpu :[a][b][c]
    s7  :  [a     ][b ][c ]
    """,
        names={"a": "x", "b": "y", "c": "z"},
    )
    table = table_of(with_kernel_details(trace, occupancy={"x": 50.0, "y": 20.0, "z": 0.0}))
    occupied = table.occupied(table.all)
    assert occupied.percent == pytest.approx((50 * 8 + 20 * 4) / 12)
    assert occupied.known_ns == 12_000
    assert {r.name: r.occupancy.percent for r in table.rows} == {"x": 50.0, "y": 20.0, "z": None}


def test_no_occupancy_is_not_zero() -> None:
    table = table_of(TWO_STEPS)
    assert table.occupied(table.all).percent is None


def spread_of(durations: list[int], steps: list[int], has_shape: bool = True) -> tuple[float, float, int]:
    spreads = find_spreads(
        np.zeros(len(durations), np.int64), np.array(steps), np.array(durations), np.array([has_shape])
    )
    return float(spreads.within[0]), float(spreads.between[0]), int(spreads.slowest[0])


def test_spread_within_is_the_median_over_steps_of_the_tenths_apart() -> None:
    # Step 0: (18 - 10) / 14, as of 5 values the 90th percentile is the 5th and the 10th the 1st.
    # Step 1: 0. Step 2 has only four.
    durations = [10, 12, 14, 16, 18] + [20] * 5 + [1, 2, 3, 4]
    within, _, _ = spread_of(durations, [0] * 5 + [1] * 5 + [2] * 4)
    assert within == pytest.approx((8 / 14 + 0) / 2)


def test_four_launches_have_no_spread() -> None:
    assert np.isnan(spread_of([1, 2, 3, 4], [0] * 4)[0])


def test_spread_between_compares_the_means_of_steps() -> None:
    _, between, slowest = spread_of([10, 20, 40, 20, 40], [0, 0, 1, 2, 3])
    # Means 15, 40, 20, 40; their median is 30; step 1 is the first of the slowest.
    assert between == pytest.approx(25 / 30)
    assert slowest == 1


def test_two_steps_have_no_spread_between() -> None:
    assert np.isnan(spread_of([10, 20], [0, 1])[1])


def test_without_a_shape_there_is_no_spread() -> None:
    within, between, _ = spread_of([1, 2, 3, 4, 9] * 3, [0] * 5 + [1] * 5 + [2] * 5, has_shape=False)
    assert np.isnan(within)
    assert np.isnan(between)


def test_shapes_are_told_apart_from_those_not_recorded() -> None:
    plain, shaped = table_of(TWO_STEPS), table_of(with_kernel_details(TWO_STEPS))
    assert [s.shape for s in plain.rows[0].shapes] == [None]
    assert [(s.shape, s.count, s.time_ns) for s in shaped.rows[0].shapes] == [(SHAPE, 2, 13_000)]
