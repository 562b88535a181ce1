"""A window's block: every event of the window once, known times, bounded size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.timeline.window import LIMIT_BYTES, NO_NAME
from tb_plugin_explain.trace.model import Category
from tests.timeline.windows import Block, see, store_of
from tests.trace_drawing import Row, draw, trace_of

PICTURE = """
    us  :0    5    10   15   20   25   30
    step:[1                     ]
    cpu :  [op     ]   [sync]
    cpu :    [a] [b]
    s7  :         [a ][b    ]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return store_of(draw(PICTURE), tmp_path_factory.mktemp("timeline") / "store")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """40,000 events of different lengths and names, on three threads and two streams."""
    generator = np.random.default_rng(3)
    rows = []
    for thread in range(3):
        at = 0.0
        for i in range(10_000):
            at += float(generator.exponential(2.0))
            length = float(generator.exponential(3.0))
            rows.append(Row(Category.CPU_OP, f"operator {i} of {thread}", at, length, thread=str(thread)))
            at += length
    for stream in "78":
        at = 0.0
        for i in range(5_000):
            at += float(generator.exponential(3.0))
            length = float(generator.exponential(6.0))
            rows.append(Row(Category.KERNEL, f"kernel_{i % 70}", at, length, device=0, stream=stream))
            at += length
    return store_of(trace_of(rows), tmp_path_factory.mktemp("timeline") / "store")


def test_a_window_of_few_events_holds_each(store: Store) -> None:
    block = see(store, 0, 30_000)
    assert block.rectangles() == [
        (0, 0, 0.0, 24.0, 0, "ProfilerStep#1"),
        (0, 1, 2.0, 11.0, 1, "aten::mm"),
        (0, 1, 14.0, 20.0, 2, "cudaDeviceSynchronize"),
        (0, 2, 4.0, 7.0, 3, "cudaLaunchKernel"),
        (0, 2, 8.0, 11.0, 4, "cudaLaunchKernel"),
        (1, 0, 9.0, 13.0, 5, "kernel_a"),
        (1, 0, 13.0, 20.0, 6, "kernel_b"),
    ]
    assert (block.from_us, block.to_us, block.pixel_us) == (0.0, 30.0, 0.03)
    assert block.category.tolist() == [
        Category.ANNOTATION,
        Category.CPU_OP,
        Category.RUNTIME,
        Category.RUNTIME,
        Category.RUNTIME,
        Category.KERNEL,
        Category.KERNEL,
    ]
    assert set(block.fill.tolist()) == {255}


def test_what_is_smaller_than_a_pixel_is_merged(store: Store) -> None:
    block = see(store, 0, 30_000, pixels=4)
    merged = [r for r in block.rectangles() if r[4] < 0]
    assert merged == [
        (0, 2, 4.0, 11.0, -2, None),
        (1, 0, 9.0, 20.0, -2, None),
    ]
    calls = block.fill[[r[4] == -2 and r[1] == 2 for r in block.rectangles()]]
    assert calls.tolist() == [round(6 / 7 * 255 + 0.5)]


def test_only_the_lanes_asked_for(store: Store) -> None:
    assert {r[0] for r in see(store, 0, 30_000, lanes=[1]).rectangles()} == {1}
    assert see(store, 0, 30_000, lanes=[7, 99]).rectangles() == []


def test_a_window_beside_the_trace_is_empty(store: Store) -> None:
    assert see(store, 10**9, 2 * 10**9).rectangles() == []
    assert see(store, -(10**18), -(10**17)).rectangles() == []


def test_times_far_outside_are_cut(store: Store) -> None:
    [step] = [r for r in see(store, 16_000, 16_010).rectangles() if r[5] == "ProfilerStep#1"]
    assert (step[2], step[3]) == (-0.01, 0.02)


def shown(block: Block) -> int:
    return int(np.where(block.ref < 0, -block.ref, 1).sum())


def truth(store: Store, from_ns: int, to_ns: int) -> int:
    start = store.events.start_ns.astype(np.int64)
    end = start + store.events.duration_ns
    return int(((start < to_ns) & ((end > from_ns) | (start >= from_ns))).sum())


@settings(deadline=None, max_examples=60)
@given(st.integers(-100_000, 60_000_000), st.integers(1, 70_000_000), st.integers(1, 4000))
def test_every_event_of_a_window_is_in_one_rectangle(
    crowd: Store, from_ns: int, length: int, pixels: int
) -> None:
    block = see(crowd, from_ns, from_ns + length, pixels)
    assert shown(block) == truth(crowd, from_ns, from_ns + length)
    singles = Counter(block.ref[block.ref >= 0].tolist())
    assert all(count == 1 for count in singles.values())
    assert block.bytes <= LIMIT_BYTES


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 50_000_000), st.integers(1000, 70_000_000), st.integers(100, 4000))
def test_no_rectangle_spans_a_gap_of_a_pixel(crowd: Store, from_ns: int, length: int, pixels: int) -> None:
    block = see(crowd, from_ns, from_ns + length, pixels)
    assert block.pixel_us * 1000 >= length / pixels * 0.999
    start = crowd.events.start_ns.astype(np.int64)
    end = start + crowd.events.duration_ns
    places = list(zip(block.lane.tolist(), block.row.tolist(), strict=True))
    first_track = crowd.columns["first_track"]
    for i in np.flatnonzero(block.ref < 0)[:50].tolist():
        track = int(first_track[places[i][0]]) + places[i][1]
        low, high = crowd.events.offsets[track : track + 2].tolist()
        inside = slice(low, high)
        mine = (start[inside] >= from_ns + block.start_us[i] * 1000 - 50) & (
            end[inside] <= from_ns + block.end_us[i] * 1000 + 50
        )
        gaps = start[inside][mine][1:] - end[inside][mine][:-1]
        assert (gaps < block.pixel_us * 1000 + 1).all()


def test_names_have_their_share_of_the_block(tmp_path: Path) -> None:
    long = [f"{i}" + "é" * 10_000 for i in range(900)]
    rows = [Row(Category.CPU_OP, name, 10.0 * i, 5 + i / 300) for i, name in enumerate(long)]
    store = store_of(trace_of(rows), tmp_path / "store")
    block = see(store, 0, 10_000_000, 9000)
    assert block.bytes <= LIMIT_BYTES
    named = [name for name in block.name if name is not None]
    assert 0 < len(named) < len(long)
    assert all(len(name) == 256 for name in named)
    assert block.name[-1] == long[-1][:256]
    assert NO_NAME == 0xFFFF


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "\u202eevil", "🔥", "half \ud800"])
def test_names_stay_text(tmp_path: Path, name: str) -> None:
    store = store_of(trace_of([Row(Category.CPU_OP, name, 1, 2)]), tmp_path / "store")
    assert see(store, 0, 10_000).name == [name.encode("utf-8", "replace").decode()]
