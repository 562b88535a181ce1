"""Sets of time against plain sets of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.trace.spans import (
    Spans,
    complement,
    intersect,
    interval,
    nothing,
    subtract,
    union,
    unite,
    within,
)

Pairs = list[tuple[int, int]]

INSTANTS = range(-3, 34)
PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8)
EDGES = st.tuples(st.integers(-3, 33), st.integers(-3, 33))


def spans_of(pairs: Pairs) -> Spans:
    starts, ends = zip(*pairs, strict=True) if pairs else ((), ())
    return union(np.array(starts, np.int64), np.array(ends, np.int64))


def instants_of(pairs: Pairs) -> set[int]:
    return {t for start, end in pairs for t in range(start, end)}


def covered_by(spans: Spans) -> set[int]:
    """The instants of a set, after a check that it has its promised form."""
    edges = np.stack((spans.start_ns, spans.end_ns), axis=1)
    assert (np.diff(edges.ravel()) > 0).all(), "intervals must be sorted, disjoint, not touching, not empty"
    assert edges.dtype == np.int64
    return {t for start, end in edges.tolist() for t in range(start, end)}


@given(PAIRS)
@settings(deadline=None)
def test_union_covers_what_any_interval_covers(pairs: Pairs) -> None:
    spans = spans_of(pairs)
    assert covered_by(spans) == instants_of(pairs)
    assert spans.length_ns == len(instants_of(pairs))


@given(PAIRS, PAIRS, PAIRS)
@settings(deadline=None)
def test_unite_joins_several_sets(a: Pairs, b: Pairs, c: Pairs) -> None:
    united = unite(spans_of(a), spans_of(b), spans_of(c))
    assert covered_by(united) == instants_of(a) | instants_of(b) | instants_of(c)


@given(PAIRS, PAIRS)
@settings(deadline=None)
def test_intersect_keeps_what_both_cover(a: Pairs, b: Pairs) -> None:
    assert covered_by(intersect(spans_of(a), spans_of(b))) == instants_of(a) & instants_of(b)


@given(PAIRS, PAIRS)
@settings(deadline=None)
def test_subtract_keeps_what_only_the_first_covers(a: Pairs, b: Pairs) -> None:
    assert covered_by(subtract(spans_of(a), spans_of(b))) == instants_of(a) - instants_of(b)


@given(PAIRS, EDGES)
@settings(deadline=None)
def test_within_and_complement_split_an_interval(pairs: Pairs, edges: tuple[int, int]) -> None:
    spans, window = spans_of(pairs), set(range(*edges))
    assert covered_by(within(spans, *edges)) == instants_of(pairs) & window
    assert covered_by(complement(spans, *edges)) == window - instants_of(pairs)


@given(PAIRS, st.lists(EDGES, max_size=5))
@settings(deadline=None)
def test_covered_measures_each_interval(pairs: Pairs, asked: Pairs) -> None:
    starts = np.array([s for s, _ in asked], np.int64)
    ends = np.array([e for _, e in asked], np.int64)
    expected = [len(instants_of(pairs) & set(range(s, e))) for s, e in asked]
    assert spans_of(pairs).covered(starts, ends).tolist() == expected


@given(PAIRS)
@settings(deadline=None)
def test_length_before_at_every_instant(pairs: Pairs) -> None:
    spans, instants = spans_of(pairs), instants_of(pairs)
    assert spans.length_before(list(INSTANTS)).tolist() == [sum(i < t for i in instants) for t in INSTANTS]


def test_touching_intervals_are_one() -> None:
    spans = spans_of([(5, 7), (3, 5)])
    assert (spans.start_ns.tolist(), spans.end_ns.tolist()) == ([3], [7])


def test_empty_and_reversed_intervals_add_nothing() -> None:
    assert len(spans_of([(4, 4), (9, 2)])) == 0
    assert len(interval(4, 4)) == len(interval(5, 4)) == len(nothing()) == len(unite()) == 0


def test_one_instant_may_be_asked_alone() -> None:
    spans = spans_of([(2, 6)])
    assert int(spans.length_before(4)) == 2
    assert int(spans.covered(0, 3)) == 1
