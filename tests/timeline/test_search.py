"""Names are found by any part of them, in any case; events by their next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.timeline.search import search
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.model import Category
from tests.timeline.windows import store_of
from tests.trace_drawing import Row, trace_of

ROWS = [
    Row(Category.CPU_OP, "aten::addmm", 0, 5),
    Row(Category.CPU_OP, "aten::mm", 10, 5),
    Row(Category.CPU_OP, "aten::addmm", 20, 30),
    Row(Category.KERNEL, "GEMM_large", 30, 20, device=0, stream="7"),
    Row(Category.KERNEL, "gemm_small", 60, 1, device=0, stream="7"),
    Row(Category.CPU_OP, "Ünicode", 80, 1),
    Row(Category.INSTANT, "gemm instant", 90, 0),
]
ALWAYS = -(10**18)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(trace_of(ROWS), tmp_path / "store")


def test_names_by_a_part_in_any_case(store: Store) -> None:
    found = search(store, "GeMm", 10, ALWAYS)
    assert [(n.name, n.category, n.count, n.total_us, n.first.event) for n in found.names] == [
        ("GEMM_large", "kernel", 1, 20.0, 3),
        ("gemm_small", "kernel", 1, 1.0, 4),
    ]
    assert (found.names_found, found.events_found) == (2, 2)
    assert [event.event for event in search(store, "ü", 10, ALWAYS).events] == [5]


def test_the_next_events_after_a_time(store: Store) -> None:
    assert [e.event for e in search(store, "mm", 10, ALWAYS).events] == [0, 1, 2, 3, 4]
    assert [e.event for e in search(store, "mm", 2, 0).events] == [1, 2]
    assert [e.event for e in search(store, "mm", 10, 60_000).events] == []


def test_no_more_than_asked_for(store: Store) -> None:
    found = search(store, "m", 1, ALWAYS)
    assert (len(found.names), found.names_found, found.events_found) == (1, 4, 5)
    assert found.names[0].name == "aten::addmm"


def test_nothing_found(store: Store) -> None:
    found = search(store, "no such name", 10, ALWAYS)
    assert (found.names, found.events, found.names_found, found.events_found) == ([], [], 0, 0)
