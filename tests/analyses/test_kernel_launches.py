"""Kernel launches, and those whose GPU events are missing."""

from __future__ import annotations

from tb_plugin_explain.analyses.kernel_launches import KernelLaunches
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw


def launches_of(picture: str) -> KernelLaunches:
    return RunAnalyses(draw(picture)).launches


def test_launches_of_each_step_and_how_many_own_nothing() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20
        step:[1          ][2    ]
        cpu :[a][b] [copy]  [c]   [d]
        s7  :   [a]            [c]
    """)
    assert [launches.of_step(i) for i in (0, 1)] == [(2, 1), (1, 0)]
    assert launches.step.tolist() == [0, 0, 1, -1]


def test_a_driver_launch_inside_a_runtime_launch_is_the_same_launch() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1                                  ]
        cpu :[cudaLaunchKernelExC ] [a]
        cpu : [cuLaunchKernelEx b]
        s7  :                      [b] [a]
    """)
    assert launches.row.tolist() == [1, 2]
    assert launches.owns.tolist() == [True, True]


def test_a_launch_of_another_thread_at_the_same_time_is_its_own() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1                                  ]
        cpu :[cudaLaunchKernelExC ]
        cpu2: [a]
        s7  :     [a]
    """)
    assert sorted(launches.owns.tolist()) == [False, True]


def test_after_an_inner_launch_the_outer_one_still_holds_the_next() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20   25   30
        cpu :[cudaGraphLaunch          ] [d]
        cpu : [a] [b]
    """)
    assert len(launches.row) == 2


def test_launches_during_graph_capture_can_own_nothing() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55
        cpu :[a][cudaStreamBeginCapture][b][cudaStreamEndCapture][c]
        cpu2:                           [d]
    """)
    by_start = dict(zip(launches.row.tolist(), launches.captured.tolist(), strict=True))
    assert [by_start[row] for row in (0, 2, 4, 5)] == [False, True, False, False]


def test_a_launch_of_a_graph_owns_its_kernels() -> None:
    launches = launches_of("""
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :[cudaGraphLaunch g]
        s7  :              [g] [g]
    """)
    assert launches.of_step(0) == (1, 0)
