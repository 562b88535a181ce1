"""Copies and memsets: what names say, bytes, bandwidth, exposed time, blocking calls."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.copy_table import CopyName, CopyTable, read_copy_name
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.kernel_details import with_bytes
from tests.trace_drawing import draw


@pytest.mark.parametrize(
    ("name", "said", "pinned"),
    [
        ("Memcpy HtoD (Pageable -> Device)", CopyName("HtoD", "pageable", "device"), False),
        ("Memcpy DtoH (Device -> Pinned)", CopyName("DtoH", "device", "pinned"), True),
        ("Memcpy DtoD (Device -> Device)", CopyName("DtoD", "device", "device"), None),
        ("Memcpy PtoP (Device -> Device)", CopyName("PtoP", "device", "device"), None),
        ("Memcpy HtoD (Host -> Device)", CopyName("HtoD", None, "device"), None),
        ("Memcpy HtoA (Pinned -> Array)", CopyName("HtoD", "pinned", "array"), True),
        ("Memcpy HtoD (Unknown -> Unknown)", CopyName("HtoD", None, None), None),
        ("CopyHostToDevice", CopyName("HtoD", None, None), None),
        ("Memset (Device)", CopyName(None, None, "device"), None),
        ("dma_request", CopyName(None, None, None), None),
    ],
)
def test_what_a_name_tells(name: str, said: CopyName, pinned: bool | None) -> None:
    assert read_copy_name(name) == said
    assert read_copy_name(name).pinned is pinned


def table_of(trace: Trace) -> CopyTable:
    return RunAnalyses(trace).copy_table


COPIES = draw(
    """
    us  :0    5    10   15   20   25   30   35   40   45
    step:[1                                           ]
    cpu :[copy a][copy b][k][cudaMemcpy-c][set-m]
    s7  :       [a         ]    [k    ]
    s8  :            [b         ]     [c ]       [m]
    """,
    names={
        "a": "Memcpy HtoD (Pageable -> Device)",
        "b": "Memcpy HtoD (Pinned -> Device)",
        "c": "Memcpy DtoH (Device -> Pinned)",
    },
)


def test_bytes_and_bandwidth() -> None:
    copies = table_of(with_bytes(COPIES, 32_000)).copies
    assert (copies.count, copies.time_ns, copies.bytes) == (3, 28_000, 96_000)
    assert (copies.timed_bytes, copies.timed_ns, copies.small_count) == (96_000, 28_000, 3)


def test_without_bytes_nothing_is_known() -> None:
    copies = table_of(COPIES).copies
    assert (copies.bytes, copies.sized_count, copies.timed_ns, copies.small_count) == (None, 0, 0, 0)


def test_exposed_time_belongs_to_the_copy_that_began_first() -> None:
    exposed = {r.name: r.figures.exposed_ns for r in table_of(COPIES).rows if r.kind == "copy"}
    # a covers [7, 19). b covers [12, 24), and [19, 24) of it first. c covers [29, 33), the kernel [23, 30).
    assert exposed == {
        "Memcpy HtoD (Pageable -> Device)": 12_000,
        "Memcpy HtoD (Pinned -> Device)": 4_000,
        "Memcpy DtoH (Device -> Pinned)": 3_000,
    }
    assert table_of(COPIES).copies.exposed_ns == 19_000


def test_blocking_copies_are_those_whose_call_waits() -> None:
    table = table_of(COPIES)
    blocking = {r.name: (r.figures.blocking_count, r.figures.blocking_ns) for r in table.rows}
    assert blocking == {
        "Memcpy HtoD (Pageable -> Device)": (1, 8_000),
        "Memcpy HtoD (Pinned -> Device)": (0, 0),
        "Memcpy DtoH (Device -> Pinned)": (1, 14_000),
        "Memset (Device)": (0, 0),
    }


def test_memsets_are_counted_apart() -> None:
    table = table_of(COPIES)
    assert (table.memsets.count, table.memsets.time_ns, table.memsets.exposed_ns) == (1, 3_000, 3_000)


def test_a_copy_beside_the_work_of_another_step_is_exposed_but_not_alone() -> None:
    copies = table_of(
        draw("""
    us  :0    5    10   15   20   25   30
    step:[1    ][2             ]
    cpu :[a]    [copy b][c]
    s7  :  [a                ]   [c]
    s8  :             [b       ]
    """)
    ).copies
    assert (copies.exposed_ns, copies.alone_ns) == (10_000, 2_000)


def test_directions_can_be_asked_for() -> None:
    table = table_of(COPIES)
    assert table.towards("HtoD").count == 2
    assert table.towards("HtoD", "DtoH").count == 3
    assert table.towards("DtoD").count == 0
