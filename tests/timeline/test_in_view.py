"""The figures of a window: exact at every zoom, and those of the report over a whole step."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.in_view import MOST_ROWS, find_in_view
from tb_plugin_explain.timeline.schema import InView
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.case_files import CASES
from tests.timeline.windows import see, store_of
from tests.trace_drawing import draw, rows_of, trace_of

DRAWN = """
    us      :0    5    10   15   20   25   30
    step    :[1                              ]
    cpu     :[a][sync        ]  [b]
    s7      :   [a   ]             [b]
    s8      :     [c   ]                  [a]
"""
NAMES = ("luatil__trace_05.json.gz", "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(draw(DRAWN), tmp_path / "store")


def test_work_that_is_cut_by_the_edges(store: Store) -> None:
    found = find_in_view(store, 6_000, 23_000)
    [device] = found.devices
    assert device.busy_us == 6.0
    assert sum(device.idle_us.values()) == 11.0
    assert [(w.name, w.category, w.count, w.time_us) for w in found.work] == [
        ("kernel_c", "kernel", 1, 5.0),
        ("kernel_a", "kernel", 1, 3.0),
        ("kernel_b", "kernel", 1, 1.0),
    ]
    assert (found.kernels, found.rest.names, found.gaps_count) == (3, 0, 1)


def test_work_of_seconds_around_the_first_step(tmp_path: Path) -> None:
    """Begin and end each fit into 32 bits of ns, and the time between does not."""
    drawn = draw(
        """
        us      :0    5    10   15   20   25   30
        step    :               [1             ]
        cpu     :[a]            [b]
        s7      :   [a                     ]
    """,
        us=150_000,
    )
    [kernel] = drawn.events.duration_ns[drawn.is_category(Category.KERNEL)].tolist()
    assert kernel > 2**31
    [device] = find_in_view(store_of(drawn, tmp_path / "store"), -3_000_000_000, 3_000_000_000).devices
    assert device.busy_us == kernel / 1000


def test_a_device_whose_work_takes_no_time(tmp_path: Path) -> None:
    drawn = draw("""
        us      :0    5    10
        step    :[1        ]
        cpu     :[a]
        s7      :   |a
    """)
    found = find_in_view(store_of(drawn, tmp_path / "store"), 0, 10_000)
    assert [device.busy_us for device in found.devices] == [0.0]
    assert (found.kernels, found.gaps_count, found.gaps) == (1, 0, [])


def test_one_call_that_launched_twice_counts_once(tmp_path: Path) -> None:
    drawn = draw("""
        us      :0    5    10
        step    :[1          ]
        cpu     :[a]  [b]
        s7      :   [a][a] [b]
    """)
    assert find_in_view(store_of(drawn, tmp_path / "store"), 0, 10_000).launches == 2


def test_work_of_negative_duration_is_drawn_and_not_counted(tmp_path: Path) -> None:
    rows = [row._replace(duration_us=-3) if row.start_us == 29 else row for row in rows_of(DRAWN)]
    store = store_of(trace_of(rows), tmp_path / "store")
    assert len(see(store, 29_000, 30_000).rectangles()) == 2, "a step and the kernel"
    assert find_in_view(store, 29_000, 30_000).work == []
    found = find_in_view(store, 0, 40_000)
    assert {w.name: w.count for w in found.work} == {"kernel_a": 1, "kernel_b": 1, "kernel_c": 1}
    assert found.kernels == 3


def test_the_case_of_negative_durations(tmp_path: Path) -> None:
    path = CASES / "B28-negative-durations.json"
    found = find_in_view(store_of(read_trace(str(path)), tmp_path / "store"), 0, 600_000)
    assert [(w.name, w.count, w.time_us) for w in found.work] == [("gemm_test_kernel", 1, 90.0)]


def test_gaps_are_told_whole_with_their_causes(store: Store) -> None:
    [gap] = find_in_view(store, 12_000, 15_000).gaps
    assert (gap.start_us, gap.duration_us, gap.in_view_us) == (11.0, 11.0, 3.0)
    assert sum(gap.causes.values()) == gap.duration_us
    assert find_in_view(store, 4_000, 5_000).gaps == []


def test_the_idle_time_before_the_first_work_is_a_gap(store: Store) -> None:
    [gap] = find_in_view(store, 1_000, 4_000).gaps
    assert (gap.start_us, gap.duration_us, gap.in_view_us) == (0.0, 3.0, 2.0)
    assert sum(gap.causes.values()) == 3.0


def test_waits_are_told_as_far_as_they_are_in_view(store: Store) -> None:
    [wait] = find_in_view(store, 5_000, 13_000).waits
    assert (wait.lane, wait.start_us, wait.in_view_us, wait.gpu_busy_us) == (0, 5.0, 8.0, 6.0)
    assert find_in_view(store, 20_000, 25_000).waits == []


def _often_negative(trace: Trace) -> Trace:
    """The trace with every fifth GPU event of a negative duration, as old profilers wrote some."""
    duration_ns = trace.events.duration_ns.copy()
    duration_ns[np.flatnonzero(trace.is_category(*GPU_WORK))[::5]] *= -1
    return replace(trace, events=replace(trace.events, duration_ns=duration_ns))


@pytest.fixture(scope="module", params=[(name, negative) for name in NAMES for negative in (False, True)])
def case(
    request: pytest.FixtureRequest, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Trace, Store]:
    name, negative = request.param
    trace = read_trace(str(shared_traces / name))
    if negative:
        trace = _often_negative(trace)
    return trace, store_of(trace, tmp_path_factory.mktemp("timeline") / "store")


def _windows(store: Store) -> list[tuple[int, int]]:
    begin, end = int(store.timeline.start_us * 1000), int(store.timeline.end_us * 1000) + 1
    choice = random.Random(1)
    ends = [sorted(choice.sample(range(begin, end), 2)) for _ in range(12)]
    return [(begin, end), *((a, b) for a, b in ends), (begin, begin + 1), (end, end + 5)]


def test_windows_of_real_traces_equal_a_plain_count(case: tuple[Trace, Store]) -> None:
    trace, store = case
    gpu, origin = RunAnalyses(trace).recording.gpu, RunAnalyses(trace).recording.origin_ns
    start, end = gpu.start_ns - origin, gpu.end_ns - origin
    for low, high in _windows(store):
        found = find_in_view(store, low, high)
        inside = np.maximum(np.minimum(end, high) - np.maximum(start, low), 0)
        overlaps = (start < high) & ((end > low) | ((start == end) & (start >= low)))
        kinds = Counter(gpu.kind[overlaps].tolist())
        assert found.kernels == kinds[int(Category.KERNEL)]
        listed = [sum(w.count for w in found.work), sum(w.time_us for w in found.work)]
        assert listed[0] + found.rest.count == sum(kinds.values())
        assert listed[1] + found.rest.time_us == pytest.approx(int(inside.sum()) / 1000)
        launch = gpu.launch_start_ns[gpu.linked] - origin
        calls = gpu.launch[gpu.linked][(launch >= low) & (launch < high)]
        assert found.launches == len(set(calls.tolist()))
        assert len(found.gaps) == min(found.gaps_count, MOST_ROWS)
        _check_devices(found, low, high)


def _check_devices(found: InView, low: int, high: int) -> None:
    for device in found.devices:
        idle_us = sum(device.idle_us.values())
        assert device.busy_us + idle_us <= (high - low) / 1000 + 1e-6
    for gap in found.gaps:
        assert 0 < gap.in_view_us <= gap.duration_us
        assert sum(gap.causes.values()) <= gap.duration_us + 1e-6


def test_the_window_of_a_step_has_the_figures_of_the_report(case: tuple[Trace, Store]) -> None:
    trace, store = case
    run = RunAnalyses(trace)
    for step in run.steps:
        for gpu in step.gpu:
            low, high = (time - run.recording.origin_ns for time in (gpu.window.low_ns, gpu.window.high_ns))
            found = find_in_view(store, low, high)
            [device] = [d for d in found.devices if d.device == gpu.device]
            assert sum(device.idle_us.values()) == pytest.approx(gpu.idle.idle_ns / 1000)
            assert device.busy_us == pytest.approx((high - low - gpu.idle.idle_ns) / 1000)
