"""The queue in the window of a step, as docs/definitions/queue.md has it."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin_explain.analyses import step_queue
from tb_plugin_explain.analyses.step_queue import FallingBehind, falls_behind
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.trace_drawing import draw


def gpu_of(trace: Trace, step: int = 0) -> GpuStepAnalyses:
    (gpu,) = RunAnalyses(trace).steps[step].gpu
    return gpu


def cut(late: str) -> FallingBehind:
    """Launches at 0, 1, 2 … ns; ``x`` is late."""
    return falls_behind(range(len(late)), np.array([letter == "x" for letter in late], np.bool_))


def test_idle_time_is_split_by_what_stood_in_the_queue() -> None:
    queue = gpu_of(
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]        [b  ]
        s7  :   [a ]             [b ]
    """)
    ).queue
    # Idle: 0–3 launching, 7–11 empty, 11–16 launching, 16–20 handed over.
    assert queue.idle_launching_ns == 3_000 + 5_000
    assert queue.idle_empty_ns == 4_000
    assert queue.idle_queued_ns == 4_000
    assert (queue.launches, queue.late, queue.highest) == (2, 2, 1)
    assert queue.mean == (3 + 9) / 24


def test_a_queue_is_measured_over_the_device_window_whatever_step_launched() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1     ][2      ]
        cpu :[a][b]   [c]
        s7  :   [a       ][b   ]  [c  ]
    """)
    first, second = gpu_of(trace, 0).queue, gpu_of(trace, 1).queue
    assert (first.launches, first.highest) == (2, 2)
    # c waits from 9 to 19; the second window begins at 17, where b ends.
    assert (second.launches, second.highest) == (1, 1)


@pytest.mark.parametrize(
    ("late", "after", "before"),
    [
        ("", 0, 0),
        ("...", 3, 0),
        ("xxx", 0, 0),
        ("...xxx", 3, 0),
        (".x..xx.x", 4, 1),
        # One launch in time after the moment is no return.
        ("....xxx.xxx", 4, 0),
        # A tie goes to the earliest moment.
        (".x.x", 1, 0),
        ("xxx....", 7, 3),
    ],
)
def test_the_moment_parts_launches_in_time_from_late_ones(late: str, after: int, before: int) -> None:
    found = cut(late)
    assert (found.after, found.late_before) == (after, before)
    assert found.at_ns == (after if after < len(late) else None)
    assert found.late_before + found.late_after == late.count("x")


def test_the_series_keeps_the_integral_of_the_depth() -> None:
    gpu = gpu_of(
        draw(
            """
        us  :0    5    10   15   20   25
        step:[1                          ]
        cpu :[a][b][c]
        s7  :    [a    ][b    ][c    ]
    """,
            us=100,
        )
    )
    queue = RunAnalyses(gpu._run.trace).queues[0]
    points = step_queue.series(queue, gpu.window)
    assert points is not None
    assert len(points) == step_queue.SERIES_POINTS
    assert sum(points) / len(points) == pytest.approx(gpu.queue.mean or 0, abs=0.005)


def test_streams_are_listed_by_depth() -> None:
    queue = gpu_of(
        draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :[a][b][c]
        s7  :    [a ]
        s8  :         [b ][c ]
    """)
    ).queue
    assert [(s.launches, s.highest) for s in queue.streams] == [(2, 2), (1, 1)]
