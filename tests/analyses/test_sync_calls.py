"""Waits: which they are, whose step they are in, and what the device did meanwhile."""

from __future__ import annotations

from tb_plugin_explain.analyses.sync_calls import StepSync, WaitSplit
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, rows_of, trace_of


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture))


def sync_of(trace: Trace, step: int = 0) -> StepSync:
    return RunAnalyses(trace).steps[step].sync


def in_us(split: WaitSplit) -> tuple[float, float, float, float]:
    """Total, device busy, profiler, device idle."""
    parts = (split.total_ns, split.gpu_busy_ns, split.profiler_ns, split.gpu_idle_ns)
    return tuple(p / 1000 for p in parts)  # type: ignore[return-value]


def test_a_wait_is_split_into_device_work_profiler_and_idle() -> None:
    trace = draw("""
        us      :0    5    10   15   20   25   30
        step    :[1                            ]
        cpu     :  [a]  [wait                ]
        s7      :     [a      ]    [a]
        overhead:             [prof]
    """)
    sync = sync_of(trace)
    assert sync.calls == 1
    assert in_us(sync.explicit) == (22, 10, 4, 8)
    assert in_us(sync.implicit) == (0, 0, 0, 0)


def test_the_device_decides_before_the_profiler_where_both_match() -> None:
    trace = draw("""
        us      :0    5    10   15
        step    :[1             ]
        cpu     :  [a] [wait  ]
        s7      :     [a ]
        overhead:      [prof  ]
    """)
    sync = sync_of(trace)
    assert in_us(sync.explicit) == (8, 3, 5, 0)


def test_work_of_another_process_is_not_waited_for_but_unlinked_work_is() -> None:
    trace = draw("""
        us     :0    5    10   15   20
        step   :[1                 ]
        cpu    : [a] [wait       ]
        q.cpu  : [b]
        s7     :    [a]    [?]
        d1.s7  :       [b        ]
    """)
    sync = sync_of(trace)
    assert in_us(sync.explicit) == (13, 5, 0, 8)


def test_nested_waits_count_once_a_thread_and_every_call_counts() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :  [sync     ]  [wait]
        cpu :    [cuCtxSynchronize]
        cpu :    [wait]
    """)
    sync = sync_of(trace)
    assert sync.calls == 4
    assert in_us(sync.explicit)[0] == 20  # 2..22, of which one call reaches out of another


def test_waits_of_two_threads_are_summed() -> None:
    trace = draw("""
        us  :0    5    10
        step:[1           ]
        cpu :  [sync  ]
        cpu2:    [wait  ]
    """)
    sync = sync_of(trace)
    assert sync.calls == 2
    assert in_us(sync.explicit) == (16, 0, 0, 16)


def test_a_wait_belongs_whole_to_the_step_in_which_it_begins() -> None:
    trace = draw("""
        us  :0    5    10   15
        step:[1      ][2       ]
        cpu :   [wait     ]
    """)
    assert in_us(sync_of(trace, 0).explicit)[0] == 11
    assert sync_of(trace, 1).calls == 0


def test_sync_rows_of_gpu_lanes_are_not_added() -> None:
    rows = rows_of("""
        us  :0    5    10   15
        step:[1             ]
        cpu :  [a] [wait  ]
        s7  :     [a  ]
    """)
    rows.append(Row(Category.SYNC_ROW, "Stream Synchronize", 4, 8, device=0, stream="7"))
    assert in_us(sync_of(trace_of(rows)).explicit)[0] == 8


def test_implicit_waits_are_shown_beside_explicit_ones() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                           ]
        cpu : [malloc] [module  ] [wait ]
    """)
    sync = sync_of(trace)
    assert sync.calls == 1
    assert in_us(sync.explicit)[0] == 7
    assert in_us(sync.implicit)[0] == 8 + 10


def test_implicit_time_inside_an_explicit_wait_counts_once() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                  ]
        cpu : [cudaMemcpy   ]
        cpu :   [cudaFree       ]
    """)
    sync = sync_of(trace)
    assert in_us(sync.explicit)[0] == 15
    assert in_us(sync.implicit)[0] == 4


def test_an_asynchronous_copy_waits_only_where_its_own_copy_is_pageable() -> None:
    picture = """
        us  :0    5    10   15
        step:[1               ]
        cpu : [copy a] [copy b]
        s7  :     [a ]    [b ]
    """
    names = {"a": "Memcpy HtoD (Pageable -> Device)"}
    assert in_us(sync_of(draw(picture, names=names)).implicit) == (8, 4, 0, 4)


def test_hip_memcpy_with_stream_is_an_implicit_wait() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                      ]
        cpu : [hipMemcpyWithStream]
    """)
    sync = sync_of(trace)
    assert (sync.calls, in_us(sync.implicit)[0]) == (0, 21)


CLOSING = """
    us  :0    5    10   15   20   25   30   35   40   45   50
    step:[1      ][2       ]
    cpu :   [sync]   [sync ]  [sync  ] [wait] [sync ]
    cpu2:                                            [sync]
    s7  :                                      [?]
"""


def test_the_last_device_wide_wait_after_the_last_step_is_the_profilers() -> None:
    run = RunAnalyses(draw(CLOSING))
    assert run.closing_wait is not None
    name, split = run.closing_wait
    assert name == "cudaDeviceSynchronize"
    assert in_us(split) == (7, 3, 0, 4)
    # Only that one; the earlier ones after the step stay waits outside the steps.
    assert run.waits.step.tolist() == [0, 1, -1, -1, -1]


def test_a_device_wide_wait_inside_the_last_step_is_the_users() -> None:
    run = run_of("""
        us  :0    5    10
        step:[1      ]
        cpu :   [sync    ]
    """)
    assert run.closing_wait is None
    assert run.steps[0].sync.calls == 1


STOPPING = """
    us  :0    5    10   15   20   25   30
    cpu : [a] [sync]  [stop              ]
    cpu :               [sync] [sync]
    s7  :   [a]
"""


def test_without_steps_the_closing_wait_lies_in_the_frame_that_stops_the_profiler() -> None:
    names = {"stop": "torch/profiler/profiler.py(213): stop_trace"}
    run = RunAnalyses(_python(STOPPING, names))
    assert run.closing_wait is not None
    assert run.waits.closing_row == 4
    assert run.steps[0].sync.calls == 2


def test_without_steps_and_frames_no_wait_is_the_profilers() -> None:
    run = run_of("""
        us  :0    5    10
        cpu : [a] [sync]
        s7  :   [a]
    """)
    assert run.closing_wait is None
    assert run.steps[0].sync.calls == 1


def _python(picture: str, names: dict[str, str]) -> Trace:
    """A drawing whose replaced names are Python frames."""
    rows = rows_of(picture, names=names)
    return trace_of([r._replace(category=Category.PYTHON) if r.name in names.values() else r for r in rows])


def test_an_implicit_wait_inside_an_explicit_one_of_the_step_before_counts_once() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1      ][2             ]
        cpu :   [wait         ]
        cpu :           [malloc ]
    """)
    assert in_us(sync_of(trace, 0).explicit)[0] == 15
    assert in_us(sync_of(trace, 1).implicit)[0] == 2
