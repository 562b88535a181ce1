"""Why a device idled: the causes of each gap, in their order."""

from __future__ import annotations

from tb_plugin_explain.analyses.gpu_idle import GpuIdle
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw, in_us


def idle_of(picture: str, step: int = 0, device: int = 0, us: int = 1) -> GpuIdle:
    gpus = RunAnalyses(draw(picture, us)).steps[step].gpu
    idle = next(g.idle for g in gpus if g.device == device)
    assert sum(idle.by_cause.values()) == idle.idle_ns
    assert sum(idle.host_by.values()) == idle.by_cause["host"]
    return idle


def causes_of(picture: str, step: int = 0, us: int = 1) -> dict[str, float]:
    return in_us(idle_of(picture, step, us=us).by_cause)


def test_before_the_launch_and_inside_its_call_the_host_is_the_cause_then_the_launch() -> None:
    idle = idle_of("""
        us  :0    5    10   15   20
        step:[1                   ]
        cpu :   [op ] [a  ]
        s7  :               [a]
    """)
    assert in_us(idle.by_cause) == {"host": 14, "launch": 1}
    assert in_us(idle.host_by) == {"python": 4, "op_dispatch": 5, "launch_call": 5}


def test_idle_time_is_counted_from_the_end_of_the_step_before() -> None:
    causes = causes_of(
        """
        us  :0    5    10   15   20
        step:[1    ][2           ]
        cpu :[a]      [b]
        s7  :   [a   ]       [b]
    """,
        step=1,
    )
    assert causes == {"host": 3, "launch": 4}


def test_the_profiler_comes_before_the_bubble_and_the_bubble_before_the_host() -> None:
    causes = causes_of("""
        us      :0    5    10   15   20   25   30   35
        step    :[1                                 ]
        cpu     :[a] [wait       ]       [b]
        overhead:            [prof ]
        s7      :    [a      ]               [b]
    """)
    assert causes == {"host": 4, "profiler": 6, "sync_bubble": 7, "launch": 2}


def test_before_an_event_without_launch_the_cause_is_unknown() -> None:
    causes = causes_of("""
        us      :0    5    10   15   20   25
        step    :[1                        ]
        cpu     :[a]            [b]
        overhead:         [prof]
        s7      :   [a   ]       [?]  [b]
    """)
    assert causes == {"host": 3, "profiler": 6, "unknown": 1, "launch": 2}


def test_input_is_the_data_loader_before_the_launch() -> None:
    idle = idle_of("""
        us  :0    5    10   15   20   25
        step:[1                      ]
        cpu :[data     ] [op ][a  ]
        cpu :    [malloc]
        s7  :                    [a]
    """)
    assert in_us(idle.by_cause) == {"input": 11, "host": 9}


def test_inside_the_launch_call_there_is_no_input() -> None:
    causes = causes_of("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[data       ]
        cpu :   [a     ]
        s7  :             [a]
    """)
    assert causes == {"input": 3, "host": 8, "launch": 2}


def test_a_call_that_the_kernel_did_not_wait_for_is_no_cause() -> None:
    causes = causes_of("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[a          ]
        s7  :       [a ]
    """)
    assert causes == {"host": 7}


def test_only_the_earliest_event_of_a_launch_waits_for_the_end_of_its_call() -> None:
    causes = causes_of("""
        us  :0    5    10   15
        step:[1                ]
        cpu :[g           ]
        s7  :  [g]     [g]
    """)
    assert causes == {"host": 2, "launch": 5}


def test_what_remains_is_unknown_beyond_100_us() -> None:
    picture = """
        step:[1                  ]
        cpu :[a]
        s7  :             {gap}[a]
    """
    assert causes_of(picture.format(gap=""), us=10) == {"host": 30, "launch": 100}
    assert causes_of(picture.format(gap=" "), us=10) == {"host": 30, "unknown": 110}


def test_what_other_causes_took_does_not_count_towards_the_100_us() -> None:
    causes = causes_of(
        """
        step    :[1                  ]
        cpu     :[a]
        overhead:     [prof]
        s7      :                  [a]
    """,
        us=10,
    )
    assert causes == {"host": 30, "profiler": 60, "launch": 90}


def test_queued_work_that_starts_after_another_stream_ended_depended_on_it() -> None:
    picture = """
        step:[1                   ]
        cpu :[a][b {call}]
        s7  :   [a       ]
        s{b}  :               [b]
    """
    assert causes_of(picture.format(b=8, call=" ")) == {"host": 3, "dependency": 2}
    assert causes_of(picture.format(b=7, call=" ")) == {"host": 3, "launch": 2}
    # The launch returned only after the gap began.
    assert causes_of(picture.format(b=8, call="       ")) == {"host": 4, "launch": 1}


def test_a_gap_cut_by_the_first_step_began_with_no_event() -> None:
    # The work before the recording's first step ended on stream 8 long before the window opens.
    causes = causes_of("""
        us  :0    5    10   15   20
        cpu :[x][b]
        s8  :   [x]
        step:          [1           ]
        cpu2:           [a]
        s7  :             [b]
        s9  :                [a]
    """)
    assert causes == {"launch": 3}


def test_each_gap_is_judged_by_its_own_next_event() -> None:
    causes = causes_of("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [b]            [c]
        s7  :   [a]      [b]  [?]     [c]
    """)
    assert causes == {"host": 3 + 2 + 3, "launch": 4 + 2, "unknown": 2}


def test_a_step_whose_window_is_empty_idled_not_at_all() -> None:
    idle = idle_of(
        """
        us  :0    5    10   15   20
        step:[1      ][2      ]
        cpu :  [a]     [b]
        s7  :      [a              ]
        s8  :              [b ]
    """,
        step=1,
    )
    assert (idle.idle_ns, sum(idle.by_cause.values())) == (0, 0)


def test_every_device_has_its_own_idle_time() -> None:
    picture = """
        us   :0    5    10   15
        step :[1             ]
        cpu  :[a][b]
        s7   :   [a]   [a]
        d1.s7:       [b]
    """
    assert idle_of(picture, device=0).idle_ns == 3000 + 3000
    assert idle_of(picture, device=1).idle_ns == 7000
