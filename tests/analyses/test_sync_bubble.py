"""The refill bubble: idle time that a wait caused, and no more."""

from __future__ import annotations

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.trace_drawing import draw


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture))


def bubbles_of(trace: Trace, device: int = 0) -> list[tuple[float, float]]:
    spans = RunAnalyses(trace).bubbles[device]
    return [(s / 1000, e / 1000) for s, e in zip(spans.start_ns.tolist(), spans.end_ns.tolist(), strict=True)]


def test_the_bubble_reaches_from_the_last_end_to_the_next_start() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                       ]
        cpu : [a]  [wait     ] [b]
        s7  :     [a       ]      [b]
    """)
    assert bubbles_of(trace) == [(15, 21)]


def test_the_bubble_is_at_most_as_long_as_the_wait() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30   35
        step:[1                                ]
        cpu : [a]  [wait]               [b]
        s7  :     [a   ]                  [b]
    """)
    assert bubbles_of(trace) == [(11, 17)]  # the wait lasted 6


def test_the_last_work_may_end_after_the_wait_up_to_the_tolerance_of_the_clocks() -> None:
    picture = """
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                    ]
        cpu : [a]  [wait] [b]
        s7  :         [a                  {end}       [b]
    """
    at_limit, beyond = picture.format(end="  ]"), picture.format(end="   ]")
    # The wait ends at 12; 20 us later is 32.
    assert bubbles_of(draw(at_limit)) == [(32, 38)]
    assert bubbles_of(draw(beyond)) == []


def test_a_wait_after_the_device_was_done_makes_no_bubble() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                       ]
        cpu : [a]       [wait] [b]
        s7  :     [a   ]          [b]
    """)
    assert bubbles_of(trace) == []


def test_work_that_ends_exactly_where_the_wait_begins_is_not_waited_for() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                       ]
        cpu : [a]        [wait]  [b]
        s7  :     [a    ]            [b]
    """)
    assert bubbles_of(trace) == []


def test_without_work_after_the_wait_there_is_no_bubble() -> None:
    trace = draw("""
        us  :0    5    10   15
        step:[1                ]
        cpu : [a]  [wait     ]
        s7  :     [a       ]
    """)
    assert bubbles_of(trace) == []


def test_work_launched_before_the_return_does_not_refill() -> None:
    # b is launched by another thread while the first one waits: the wait did not hold it back.
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu : [a]  [wait         ]
        cpu2:           [b]        [c]
        s7  :     [a   ]    [b ]     [c]
    """)
    assert bubbles_of(trace) == [(19, 24)]


def test_work_on_another_stream_that_runs_before_the_last_end_leaves_no_bubble() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                            ]
        cpu : [a]  [wait] [b]
        s7  :     [a                   ]
        s8  :                [b]
    """)
    assert bubbles_of(trace) == []


def test_unlinked_work_counts_among_the_last_but_never_as_the_next() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu : [a]  [wait     ]     [b]
        s7  :     [a ] [?    ]   [?]  [b]
    """)
    assert bubbles_of(trace) == [(17, 25)]


def test_each_process_waits_for_its_own_work() -> None:
    trace = draw("""
        us    :0    5    10   15   20   25
        step  :[1                       ]
        cpu   : [a]              [c]
        q.cpu :     [wait     ]
        s7    :     [a       ]       [c]
    """)
    assert bubbles_of(trace) == []


def test_each_device_has_its_own_bubble() -> None:
    trace = draw("""
        us    :0    5    10   15   20   25   30
        step  :[1                           ]
        cpu   : [a][b] [sync    ] [c][d]
        s7    :    [a       ]       [c]
        d1.s7 :       [b  ]             [d]
    """)
    assert bubbles_of(trace, 0) == [(14, 21)]
    assert bubbles_of(trace, 1) == [(12, 22)]  # 10 us of waiting at most


@pytest.mark.parametrize("call", ["malloc  ", "module  ", "cudaFree"])
def test_implicit_waits_make_bubbles_too(call: str) -> None:
    trace = draw(f"""
        us  :0    5    10   15   20   25
        step:[1                       ]
        cpu : [a]  [{call}] [b]
        s7  :     [a     ]      [b]
    """)
    assert bubbles_of(trace) == [(13, 19)]


def test_the_profilers_own_wait_makes_no_bubble() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1   ]
        cpu : [a]  [sync     ] [b]
        s7  :     [a       ]      [b]
    """)
    assert bubbles_of(trace) == []


def test_the_bubbles_of_nested_waits_are_one() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                       ]
        cpu : [a]  [sync     ] [b]
        cpu :       [wait   ]
        s7  :     [a       ]      [b]
    """)
    assert bubbles_of(trace) == [(15, 21)]


def test_the_bubble_belongs_to_the_step_in_which_the_device_idled() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        step:[1               ][2             ]
        cpu : [a]  [wait     ]   [b]
        s7  :     [a       ]        [b]
    """)
    assert [step.bubble_ns for step in run.steps] == [0, 8000]
    assert [step.sync.calls for step in run.steps] == [1, 0]


def test_where_other_work_ran_in_a_bubble_the_device_was_not_idle() -> None:
    # The bubble is [15, 21); work of another process runs in [17, 20).
    run = run_of("""
        us   :0    5    10   15   20   25
        step :[1                       ]
        cpu  : [a]  [wait     ] [b]
        q.cpu: [c]
        s7   :     [a       ]      [b]
        s8   :                 [c]
    """)
    assert run.steps[0].bubble_ns == 6000 - 3000
