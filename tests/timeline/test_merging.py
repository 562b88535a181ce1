"""Rectangles below a pixel become one; merging in steps is merging at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from tb_plugin_explain.timeline.merging import Rectangles, merge
from tb_plugin_explain.trace.model import Int64s, UInt8s


def events_as_rectangles(start: Int64s, length: Int64s, category: UInt8s, track: Int64s) -> Rectangles:
    numbers = np.arange(len(start))
    return Rectangles(start, start + length, length, length, numbers, np.ones_like(numbers), category, track)


def rectangles(*events: tuple[int, int], track: int = 0, category: int = 1) -> Rectangles:
    start, length = np.array(events, np.int64).reshape(-1, 2).T
    count = len(start)
    return events_as_rectangles(
        start, length, np.full(count, category, np.uint8), np.full(count, track, np.int64)
    )


@st.composite
def drawn(draw: st.DrawFn) -> Rectangles:
    """Events of a few tracks, in order and not overlapping."""
    starts, lengths, tracks = [], [], []
    for track in range(draw(st.integers(1, 3))):
        at = draw(st.integers(-50, 50))
        for gap, length in draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=30)):
            starts.append(at + gap)
            lengths.append(length)
            tracks.append(track)
            at += gap + length
    category = draw(st.lists(st.integers(0, 12), min_size=len(starts), max_size=len(starts)))
    return events_as_rectangles(
        np.array(starts, np.int64),
        np.array(lengths, np.int64),
        np.array(category, np.uint8),
        np.array(tracks, np.int64),
    )


def same(a: Rectangles, b: Rectangles) -> bool:
    return all(np.array_equal(asdict(a)[name], asdict(b)[name]) for name in asdict(a))


def test_short_neighbours_become_one() -> None:
    merged = merge(rectangles((0, 2), (3, 4), (8, 1), (30, 1)), 22)
    assert merged.start_ns.tolist() == [0]
    merged = merge(rectangles((0, 2), (3, 4), (8, 1), (30, 1)), 5)
    assert (merged.start_ns.tolist(), merged.end_ns.tolist()) == ([0, 30], [9, 31])
    assert (merged.count.tolist(), merged.longest_ns.tolist(), merged.covered_ns.tolist()) == (
        [3, 1],
        [4, 1],
        [7, 1],
    )


def test_an_event_of_a_pixel_stays_alone() -> None:
    assert merge(rectangles((0, 2), (2, 5), (7, 2)), 5).count.tolist() == [1, 1, 1]


def test_tracks_are_not_joined() -> None:
    a, b = rectangles((0, 1)), rectangles((2, 1), track=1)
    both = Rectangles(**{name: np.concatenate((asdict(a)[name], asdict(b)[name])) for name in asdict(a)})
    assert len(merge(both, 100)) == 2


def test_the_longest_gives_the_category() -> None:
    events = rectangles((0, 1), (1, 3), (4, 3))
    events.category[:] = [4, 5, 6]
    assert merge(events, 10).category.tolist() == [5]


@given(drawn(), st.integers(1, 30))
def test_all_events_are_kept_and_no_gap_is_hidden(events: Rectangles, pixel: int) -> None:
    merged = merge(events, pixel)
    assert merged.count.sum() == len(events)
    assert merged.covered_ns.sum() == events.covered_ns.sum()
    gaps = events.start_ns[1:] - events.end_ns[:-1]
    for first, count in zip(merged.first.tolist(), merged.count.tolist(), strict=True):
        assert (gaps[first : first + count - 1] < pixel).all()
        assert count == 1 or (events.longest_ns[first : first + count] < pixel).all()
        assert len(set(events.track[first : first + count].tolist())) == 1


@given(drawn(), st.integers(1, 30), st.integers(1, 4))
def test_merging_in_steps_is_merging_at_once(events: Rectangles, pixel: int, factor: int) -> None:
    assert same(merge(merge(events, pixel), pixel * factor), merge(events, pixel * factor))


@given(drawn(), st.integers(1, 30))
def test_neighbours_that_remain_can_be_told_apart(events: Rectangles, pixel: int) -> None:
    merged = merge(events, pixel)
    apart = merged.start_ns[1:] - merged.end_ns[:-1] >= pixel
    large = np.maximum(merged.longest_ns[1:], merged.longest_ns[:-1]) >= pixel
    assert (apart | large | (merged.track[1:] != merged.track[:-1])).all()
