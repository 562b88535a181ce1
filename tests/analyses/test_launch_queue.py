"""Entries, depth and late launches, as docs/definitions/queue.md has them."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.analyses.launch_queue import DeviceQueue
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of

AHEAD = draw("""
    us  :0    5    10   15   20   25
    step:[1                          ]
    cpu :[a][b][c]
    s7  :    [a    ][b    ][c    ]
""")


def queue_of(trace: Trace, device: int = 0) -> DeviceQueue:
    return RunAnalyses(trace).queues[device]


def depths_us(queue: DeviceQueue, *times_us: int) -> list[int]:
    """The depth in the microsecond that begins at each time."""
    edges = np.array([[t, t + 1] for t in times_us]) * 1000
    return [int(n) // 1000 for n in np.diff(queue.depth.integral(edges.ravel()))[::2]]


def test_an_entry_waits_from_the_start_of_its_call_to_the_start_of_its_event() -> None:
    assert depths_us(queue_of(AHEAD), 0, 2, 3, 4, 6, 10, 11, 17, 18, 25) == [1, 1, 2, 1, 2, 2, 1, 1, 0, 0]


def test_highest_and_mean_depth_of_a_time() -> None:
    depth = queue_of(AHEAD).depth
    assert depth.highest(0, 30_000) == 2
    assert depth.highest(11_000, 30_000) == 1
    assert depth.highest(5_000, 5_000) == 0
    # a waits 4 µs, b 8 and c 12.
    assert depth.mean(0, 30_000) == 24 / 30
    assert depth.mean(5_000, 5_000) is None
    assert depth.mean(-5_000, 0) == 0


def test_a_launch_of_a_graph_waits_once_on_each_stream() -> None:
    queue = queue_of(
        draw("""
        us  :0    5    10   15
        step:[1               ]
        cpu :[a]
        s7  :    [a][a][a]
        s8  :        [a]
    """)
    )
    assert len(queue.entries.launch) == 2
    assert depths_us(queue, 0, 5, 9) == [2, 1, 0]
    streams = np.unique(queue.entries.stream).tolist()
    assert [queue.depth_of_stream(s).highest(0, 20_000) for s in streams] == [1, 1]


def test_an_event_that_seems_to_start_before_its_call_never_waits() -> None:
    queue = queue_of(
        draw("""
        us  :0    5    10
        step:[1          ]
        cpu :     [a]
        s7  :  [a  ]
    """)
    )
    assert queue.depth.highest(0, 20_000) == 0
    assert not len(queue.waiting)


def test_handed_over_is_what_waits_after_its_call_has_returned() -> None:
    queue = queue_of(AHEAD)
    assert (queue.waiting.start_ns.tolist(), queue.waiting.end_ns.tolist()) == ([0], [18_000])
    assert (queue.handed_over.start_ns.tolist(), queue.handed_over.end_ns.tolist()) == (
        [3_000, 6_000],
        [4_000, 18_000],
    )


def test_a_late_launch_finds_nothing_running_and_nothing_queued() -> None:
    queue = queue_of(
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a][b]            [c]      [d]
        s7  :    [a  ][b         ][c  ]    [d]
    """)
    )
    assert queue.launches.late.tolist() == [True, False, False, True]


def test_work_without_a_launch_keeps_the_device_from_being_idle() -> None:
    trace = trace_of(
        [
            Row(Category.RUNTIME, "cudaLaunchKernel", 10, 2, correlation=1),
            Row(Category.KERNEL, "left", 0, 20, device=0, stream="7"),
            Row(Category.KERNEL, "a", 20, 5, correlation=1, device=0, stream="7"),
        ]
    )
    assert queue_of(trace).launches.late.tolist() == [False]


def test_each_device_has_its_own_queue() -> None:
    trace = draw("""
        us   :0    5    10   15   20
        step :[1                   ]
        cpu  :[a][b]
        s7   :    [a           ]
        d1.s7:        [b]
    """)
    assert [len(queue_of(trace, d).entries.launch) for d in (0, 1)] == [1, 1]
    assert queue_of(trace, 1).launches.late.tolist() == [True]
