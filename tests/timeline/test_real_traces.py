"""Timelines of real traces: nothing is lost, nothing overlaps, windows stay small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.timeline.window import LIMIT_BYTES
from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.timeline.windows import see, store_of

NAMES = (
    "luatil__trace_04.json.gz",
    "hta__negative_queue_length_values_check_rank0.json.gz",
    "hta__mtia_inference_trace_mtia_inference_rank_0.json.gz",
    "hta__cpu_only_rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
    "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz",
)


@pytest.fixture(scope="module", params=NAMES)
def case(
    request: pytest.FixtureRequest, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Trace, Store]:
    trace = read_trace(str(shared_traces / request.param))
    return trace, store_of(trace, tmp_path_factory.mktemp("timeline") / "store")


def test_every_event_with_a_time_is_shown_once(case: tuple[Trace, Store]) -> None:
    trace, store = case
    shown = ~trace.lost & ~trace.is_category(Category.INSTANT)
    assert np.array_equal(np.sort(store.columns["ordinal"]), trace.events.ordinal[shown])
    by_ordinal = store.columns["by_ordinal"][trace.events.ordinal[shown]]
    start = store.events.start_ns[by_ordinal].astype(np.int64) + RunAnalyses(trace).recording.origin_ns
    assert np.array_equal(start, trace.events.start_ns[shown])


def test_events_of_one_row_do_not_overlap(case: tuple[Trace, Store]) -> None:
    _, store = case
    start = store.events.start_ns.astype(np.int64)
    end = start + store.events.duration_ns
    track = np.searchsorted(store.events.offsets, np.arange(len(start)), side="right") - 1
    same = track[1:] == track[:-1]
    assert (start[1:] >= end[:-1])[same].all()


def test_windows_hold_all_events_in_few_bytes(case: tuple[Trace, Store]) -> None:
    _, store = case
    begin, end = int(store.timeline.start_us * 1000), int(store.timeline.end_us * 1000) + 1
    block = see(store, begin, end, 1400)
    assert int(np.where(block.ref < 0, -block.ref, 1).sum()) == store.timeline.events
    for zoom in (1, 3, 30, 300):
        length = (end - begin) // zoom + 1
        for part in range(3):
            at = begin + (end - begin - length) * part // 2
            assert see(store, at, at + length, 2500).bytes <= LIMIT_BYTES


def test_levels_are_no_larger_than_the_events(case: tuple[Trace, Store]) -> None:
    _, store = case
    for tracks in (store.events, store.shades):
        assert sum(len(level.start_ns) for level in tracks.levels) <= len(tracks.start_ns)


def test_call_outs_point_at_events(case: tuple[Trace, Store]) -> None:
    trace, store = case
    on_stream = trace.is_category(
        Category.KERNEL, Category.MEMCPY, Category.MEMSET, Category.SYNC_ROW, Category.GPU_ANNOTATION
    )
    for span in (span for call_out in store.timeline.call_outs for span in call_out.spans):
        number = int(store.columns["by_ordinal"][span.event])
        assert store.events.start_ns[number] / 1000 == pytest.approx(span.start_us, abs=0.001)
        row = int(np.searchsorted(trace.events.ordinal, span.event))
        assert (store.timeline.lanes[span.lane].kind == "stream") == bool(on_stream[row])
