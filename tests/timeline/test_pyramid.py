"""Windows of the pyramid are windows of the events, at a bounded size."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.timeline.merging import Rectangles, merge
from tb_plugin_explain.timeline.pyramid import (
    Column,
    Tracks,
    build_tracks,
    find_rectangles,
    from_columns,
    narrowed,
    place_in,
    to_columns,
)
from tests.timeline.test_merging import drawn, same

SCALE_NS = 400


def tracks_of(events: Rectangles) -> Tracks:
    """The events as tracks, stretched so that the finest levels matter."""
    count = int(events.track.max(initial=0)) + 1
    kind = events.category.astype(np.int64)
    length = events.end_ns - events.start_ns
    categories = np.arange(13).astype(np.uint8)
    offsets = np.searchsorted(events.track, np.arange(count + 1))
    built = build_tracks(offsets, events.start_ns * SCALE_NS, length * SCALE_NS, kind, categories)
    columns = {name: narrowed(column) for name, column in to_columns(built, "x").items()}
    return from_columns(columns, "x")


def directly(tracks: Tracks, from_ns: int, to_ns: int, pixel_ns: float) -> Rectangles | None:
    """The same window without levels."""
    flat = Tracks(tracks.offsets, tracks.start_ns, tracks.duration_ns, tracks.kind, tracks.categories, [])
    return find_rectangles(flat, range(len(flat)), from_ns, to_ns, pixel_ns)


@settings(deadline=None)
@given(drawn(), st.integers(-100, 1500), st.integers(1, 1500), st.integers(1, 400))
def test_a_window_is_the_same_from_the_pyramid(
    events: Rectangles, begin: int, length: int, pixels: int
) -> None:
    tracks = tracks_of(events)
    from_ns, to_ns = begin * SCALE_NS, (begin + length) * SCALE_NS
    pixel_ns = (to_ns - from_ns) / pixels
    found = find_rectangles(tracks, range(len(tracks)), from_ns, to_ns, pixel_ns)
    expected = directly(tracks, from_ns, to_ns, pixel_ns)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert same(found, expected)


@settings(deadline=None)
@given(drawn(), st.integers(-100, 1500), st.integers(1, 1500))
def test_a_window_holds_what_overlaps_it(events: Rectangles, begin: int, length: int) -> None:
    tracks = tracks_of(events)
    from_ns, to_ns = begin * SCALE_NS, (begin + length) * SCALE_NS
    start, end = events.start_ns * SCALE_NS, events.end_ns * SCALE_NS
    overlaps = (start < to_ns) & ((end > from_ns) | (start >= from_ns))
    found = find_rectangles(tracks, range(len(tracks)), from_ns, to_ns, 1.0)
    assert (0 if found is None else int(found.count.sum())) == int(overlaps.sum())


@pytest.mark.parametrize("dense", [True, False])
def test_levels_are_no_larger_than_the_events(dense: bool) -> None:
    count = 50_000
    generator = np.random.default_rng(7)
    length = generator.integers(100, 900, count)
    gap = generator.integers(0, 50 if dense else 100_000, count)
    start = np.cumsum(length + gap) - length
    none = np.zeros(count, np.int64)
    tracks = build_tracks(np.array([0, count]), start, length, none, np.zeros(1, np.uint8))
    sizes = [len(level.start_ns) for level in tracks.levels]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) <= count
    whole = find_rectangles(tracks, [0], 0, int(start[-1] + length[-1]), (start[-1] + 1) / 1400)
    assert whole is not None
    assert whole.count.sum() == count
    assert len(whole) <= 2 * 1400


def test_a_window_reads_little_of_a_long_track() -> None:
    count = 1_500_000
    start = np.arange(count) * 2000
    none = np.zeros(count, np.int64)
    tracks = build_tracks(np.array([0, count]), start, none + 1500, none, np.zeros(1, np.uint8))
    pieces = list(tracks.pieces(0, 1000, count - 1000, 1.4e6))
    assert sum(map(len, pieces)) < 5000
    assert sum(int(piece.count.sum()) for piece in pieces) == count - 2000


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.uint32, np.int64])
@pytest.mark.parametrize("value", [-(2**40), -1, 0, 3, 4, 200, 2**40])
def test_places_in_columns_of_any_type(dtype: type, value: int) -> None:
    column: Column = np.array([0, 3, 3, 7, 200]).astype(dtype)
    sides: tuple[Literal["left", "right"], ...] = ("left", "right")
    for side in sides:
        expected = int(np.searchsorted(column.astype(np.int64), value, side=side))
        assert place_in(column, value, side) == expected


def test_merge_of_nothing() -> None:
    none = np.zeros(0, np.int64)
    tracks = build_tracks(np.zeros(1, np.int64), none, none, none, np.zeros(0, np.uint8))
    assert find_rectangles(tracks, [], 0, 10, 1.0) is None
    assert len(tracks) == 0
    empty = Rectangles(none, none, none, none, none, none, none.astype(np.uint8), none)
    assert len(merge(empty, 5)) == 0
