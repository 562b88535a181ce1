"""Drawings: a picture gives the rows that it shows."""

from __future__ import annotations

import pytest

from tb_plugin_explain.trace.model import Category, Lane, Stream
from tests.trace_drawing import draw, rows_of


def test_the_blocks_of_a_picture_are_its_rows() -> None:
    rows = rows_of("""
        us      :0    5    10
        step    :[1        ]
        cpu     : [a]  [copy c]
        q.cpu2  :     [cudaEventQuery]
        overhead:  [prof]
        s7      :      [a ] |b x
        d1.s8   :        [c]
    """)
    shown = [(r.category, r.name, r.start_us, r.duration_us, r.correlation) for r in rows]
    assert shown == [
        (Category.ANNOTATION, "ProfilerStep#1", 0, 11, 0),
        (Category.RUNTIME, "cudaLaunchKernel", 1, 3, ord("a")),
        (Category.RUNTIME, "cudaMemcpyAsync", 6, 8, ord("c")),
        (Category.RUNTIME, "cudaEventQuery", 5, 16, 0),
        (Category.OVERHEAD, "Activity Buffer Request", 2, 6, 0),
        (Category.KERNEL, "kernel_a", 6, 4, ord("a")),
        (Category.KERNEL, "kernel_b", 11, 0, ord("b")),
        (Category.KERNEL, "kernel_x", 14, 1, ord("x")),
        (Category.MEMCPY, "Memcpy HtoD (Pinned -> Device)", 8, 3, ord("c")),
    ]
    assert [(r.process, r.thread) for r in rows[2:5]] == [("main", "1"), ("q", "2"), ("overhead", "0")]


def test_lanes_and_streams_are_those_of_the_picture() -> None:
    trace = draw("""
        step :[1   ]
        cpu  :[a]
        s7   :   [a]
        d1.s7:    [?]
    """)
    assert trace.lanes == (Lane("main", "1"), Lane("0", "7"), Lane("1", "7"))
    assert trace.streams == (Stream(0, "7"), Stream(1, "7"))
    assert trace.events.device.tolist() == [-1, -1, 0, 1]


def test_a_character_may_be_longer_than_a_microsecond() -> None:
    (row,) = rows_of("cpu: [op]", us=10)
    assert (row.start_us, row.duration_us) == (10, 40)


@pytest.mark.parametrize("picture", ["cpu :[a]\ns7:[a]", "gpu7:[a]"])
def test_a_picture_that_cannot_be_read_is_refused(picture: str) -> None:
    with pytest.raises(ValueError, match=r"colons|lane"):
        draw(picture)
