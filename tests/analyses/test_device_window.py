"""Device windows: from the end of the earlier steps' work to the end of the step's own."""

from __future__ import annotations

from tb_plugin_explain.analyses.device_window import DeviceWindow
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture))


def windows_of(picture: str) -> list[list[DeviceWindow]]:
    return [list(windows) for windows in run_of(picture).windows]


def edges(windows: list[list[DeviceWindow]], device: int = 0) -> list[tuple[float, float]]:
    return [(w.low_ns / 1000, w.high_ns / 1000) for step in windows for w in step if w.device == device]


def test_the_first_window_opens_with_the_step_and_the_others_where_the_last_closed() -> None:
    windows = windows_of("""
        us  :0    5    10   15   20   25
        step:[1      ][2      ][3      ]
        cpu :  [a]     [b]      [c]
        s7  :      [a ]    [b     ]  [c]
    """)
    assert edges(windows) == [(0, 10), (10, 22), (22, 27)]
    assert [w.period_ns for step in windows for w in step] == [None, 12_000, 5_000]


def test_the_first_window_opens_with_the_first_event_where_that_is_earlier() -> None:
    # The clocks of CPU and GPU disagree: the kernel starts before the step does.
    windows = windows_of("""
        us  :0    5    10   15
        step:      [1      ]
        cpu :       [a]
        s7  :   [a  ]
    """)
    assert edges(windows) == [(3, 8)]


def test_the_window_of_an_unnumbered_step_opens_with_its_first_event() -> None:
    windows = windows_of("""
        us  :0    5
        cpu :[a]
        s7  :     [a ]
    """)
    assert edges(windows) == [(5, 9)]
    assert windows[0][0].period_ns is None


def test_a_window_is_empty_where_earlier_work_ends_later() -> None:
    windows = windows_of("""
        us  :0    5    10   15   20   25
        step:[1      ][2      ][3       ]
        cpu :  [a]     [b]      [c]
        s7  :      [a              ]
        s8  :              [b ]      [c]
    """)
    assert edges(windows) == [(0, 23), (23, 18), (23, 27)]
    assert [w.period_ns for step in windows for w in step] == [None, 0, 4_000]


def test_the_latest_end_of_all_earlier_steps_counts_not_that_of_the_one_before() -> None:
    windows = windows_of("""
        us  :0    5    10   15   20   25
        step:[1   ][2   ][3            ]
        cpu :[a]   [b]   [c]
        s7  :   [a                ]
        s8  :        [b ]            [c]
    """)
    assert edges(windows)[2] == (22, 27)


def test_a_step_without_work_on_a_device_has_no_window_there() -> None:
    windows = windows_of("""
        us   :0    5    10   15   20
        step :[1   ][2   ][3       ]
        cpu  :[a]   [b]   [c]
        s7   :  [a]           [c]
        d1.s7:        [b]
    """)
    assert [len(step) for step in windows] == [1, 1, 1]
    assert edges(windows, 0) == [(0, 5), (5, 19)]
    assert edges(windows, 1) == [(6, 11)]


def test_steps_of_another_process_close_no_window() -> None:
    windows = windows_of("""
        us    :0    5    10   15   20
        step  :[1            ]
        q.step:      [7            ]
        cpu   :[a]
        q.cpu :         [b]
        s7    :   [a ]
        s8    :             [b]
    """)
    assert edges(windows) == [(0, 7), (6, 16)]
    assert [w.first for step in windows for w in step] == [True, True]


def test_other_work_is_time_when_only_other_work_ran() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25
        step:[1    ][2                  ]
        cpu :[a]     [b]      [c]
        cpu2:  [x]
        s7  :   [a ]      [b    ]  [c ]
        s8  :               [?       ]
        s9  :[?  ]    [?]
    """)
    second = run.steps[1].gpu[0]
    assert (second.window.low_ns, second.window.high_ns) == (7_000, 26_000)
    assert second.other_work_ns == 3_000 + 2_000


def test_idle_other_and_own_work_make_up_the_window() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25
        step:[1    ][2             ]
        cpu :[a]     [b]    [c]
        s7  :   [a ]      [b  ]  [c  ]
        s8  :          [?   ]   [?]
    """)
    gpu = run.steps[1].gpu[0]
    assert gpu.idle.idle_ns + gpu.other_work_ns + gpu.activity.busy_ns == gpu.window.period_ns
