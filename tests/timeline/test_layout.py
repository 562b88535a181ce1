"""Every event has its place: lanes in a sensible order, rows without overlaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin_explain.analyses.nesting import find_nesting
from tb_plugin_explain.timeline.layout import first_free_rows, lay_out
from tb_plugin_explain.trace.model import Category, Trace
from tests.timeline.windows import store_of
from tests.trace_drawing import Row, draw, trace_of

SEVERAL_LANES = """
    us      :0    5    10   15   20   25   30
    cpu2    :   [op   ]
    step    :[1                     ]
    cpu     :  [op        ] [sync     ]
    cpu     :   [a]  [b]
    s9      :                   [b ]
    s7      :         [a          ]
    overhead:              [prof ]
"""


def rows_of(trace: Trace) -> dict[str, list[tuple[str, int]]]:
    """(name, row) of the events of each kind of lane, in the order of the layout."""
    layout = lay_out(trace, find_nesting(trace))
    found: dict[str, list[tuple[str, int]]] = {}
    for lane in layout.lanes:
        names = [trace.name_of(row) for row in lane.rows.tolist()]
        found.setdefault(lane.kind, []).extend(zip(names, lane.depth.tolist(), strict=True))
    return found


def test_events_of_threads_stand_as_deep_as_they_are_nested() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :  [op     ]   [sync]
        cpu :    [a]
        s7  :       [a  ]
    """)
    assert rows_of(trace)["thread"] == [
        ("ProfilerStep#1", 0),
        ("aten::mm", 1),
        ("cudaLaunchKernel", 2),
        ("cudaDeviceSynchronize", 1),
    ]


def test_annotations_waits_and_work_of_a_stream_stand_below_each_other() -> None:
    rows = [
        Row(Category.KERNEL, "k1", 0, 4, device=0, stream="7"),
        Row(Category.KERNEL, "k2", 2, 4, device=0, stream="7"),
        Row(Category.KERNEL, "k3", 5, 1, device=0, stream="7"),
        Row(Category.GPU_ANNOTATION, "step", 0, 9, device=0, stream="7"),
        Row(Category.SYNC_ROW, "Stream Wait Event", 6, 2, device=0, stream="7"),
    ]
    assert sorted(rows_of(trace_of(rows))["stream"]) == [
        ("Stream Wait Event", 1),
        ("k1", 2),
        ("k2", 3),
        ("k3", 2),
        ("step", 0),
    ]


def test_lanes_stand_in_the_order_of_their_use(tmp_path: Path) -> None:
    store = store_of(draw(SEVERAL_LANES), tmp_path / "store")
    lanes = [(lane.kind, lane.label, lane.role, lane.rows) for lane in store.timeline.lanes]
    assert lanes == [
        ("thread", "Thread 1", "stepping", 3),
        ("thread", "Thread 2", None, 1),
        ("stream", "Stream 9", "compute", 1),
        ("stream", "Stream 7", "compute", 1),
        ("overhead", "Profiler and driver overhead", None, 1),
    ]
    assert [lane.id for lane in store.timeline.lanes] == [0, 1, 2, 3, 4]
    assert [lane.device for lane in store.timeline.lanes] == [None, None, 0, 0, None]


def test_streams_are_called_by_what_they_do(tmp_path: Path) -> None:
    names = {"a": "ncclDevKernel_AllReduce", "b": "Memcpy HtoD (Pinned -> Device)", "c": "gemm"}
    picture = """
        us :0    5    10   15   20
        cpu:[a][b][c]
        s5 :    [a    ]
        s6 :       [b      ]
        s8 :         [c  ]
    """
    store = store_of(draw(picture, names=names), tmp_path / "store")
    assert [(lane.stream, lane.role) for lane in store.timeline.lanes if lane.kind == "stream"] == [
        ("8", "compute"),
        ("5", "communication"),
        ("6", "copy"),
    ]


def test_what_has_no_place_is_counted(tmp_path: Path) -> None:
    rows = [
        Row(Category.CPU_OP, "op", 1, 2),
        Row(Category.INSTANT, "[memory]", 1, 0),
        Row(Category.KERNEL, "lost", 0, 0, device=0, stream="7"),
    ]
    timeline = store_of(trace_of(rows), tmp_path / "store").timeline
    assert (timeline.events, timeline.not_shown.instants, timeline.not_shown.lost) == (1, 1, 1)


def test_a_trace_without_events_has_a_timeline(tmp_path: Path) -> None:
    timeline = store_of(trace_of([Row(Category.INSTANT, "[memory]", 1, 0)]), tmp_path / "store").timeline
    assert (timeline.events, timeline.lanes, timeline.steps) == (0, [], [])


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)), max_size=40))
def test_events_of_one_row_do_not_overlap(events: list[tuple[int, int]]) -> None:
    ordered = sorted(events, key=lambda event: (event[0], -event[1]))
    start = np.array([begin for begin, _ in ordered], np.int64)
    end = start + np.array([length for _, length in ordered], np.int64)
    rows = first_free_rows(start, end)
    most = max((int(((start <= t) & (end > t)).sum()) for t in start.tolist()), default=0)
    # An event without length needs a row beside those that run.
    assert int(rows.max(initial=-1)) + 1 <= most + 1
    for row in set(rows.tolist()):
        mine = rows == row
        assert (start[mine][1:] >= end[mine][:-1]).all()
