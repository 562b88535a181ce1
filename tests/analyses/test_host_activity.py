"""What the host did while the device waited for it."""

from __future__ import annotations

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw, in_us


def idle_parts(picture: str, step: int = 0) -> tuple[dict[str, float], dict[str, float]]:
    """The causes and, for the host's part, what it did."""
    idle = RunAnalyses(draw(picture)).steps[step].gpu[0].idle
    return in_us(idle.by_cause), in_us(idle.host_by)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("module", "loading"),
        ("malloc", "allocator"),
        ("sync  ", "wait"),
        ("cudaMemcpy", "wait"),
        ("hipMemcpyWithStream", "wait"),
        ("call  ", "launch_call"),
        ("copy  ", "launch_call"),
        ("cuLaunchKernel", "launch_call"),
        ("lookup", "compile_lookup"),
        ("opt   ", "optimizer"),
        ("op    ", "op_dispatch"),
        ("py    ", "python"),
    ],
)
def test_every_kind_of_event_has_its_class(word: str, kind: str) -> None:
    width = len(word)
    causes, host_by = idle_parts(f"""
        us  :0    5    10   15   20   25   30   35
        step:[1                                    ]
        cpu :[{word}]{" " * (25 - width)}[a]
        s7  :                              [a]
    """)
    expected = {"python": 25 - width, "launch_call": 3}
    expected[kind] = expected.get(kind, 0) + width + 2
    assert causes == {"host": 30}
    assert host_by == {name: us for name, us in expected.items() if us}


def test_a_pageable_copy_waits() -> None:
    trace = draw(
        """
        us   :0    5    10   15
        step :[1               ]
        cpu  :[copy c  ] [a]
        d1.s8:    [c ]
        s7   :               [a]
    """,
        names={"c": "Memcpy HtoD (Pageable -> Device)"},
    )
    idle = RunAnalyses(trace).steps[0].gpu[0].idle
    assert in_us(idle.host_by) == {"wait": 10, "python": 1, "launch_call": 3}


def test_of_nested_events_the_class_named_first_counts() -> None:
    _, host_by = idle_parts("""
        us  :0    5    10   15   20   25   30   35
        step:[1                               ]
        cpu :[opt                       ] [a]
        cpu : [op                      ]
        cpu :  [lookup                ]
        cpu :   [call                ]
        cpu :    [sync              ]
        cpu :     [malloc          ]
        cpu :      [module  ]
        s7  :                                [a]
    """)
    assert host_by == {
        "loading": 10,
        "allocator": 8,
        "wait": 2,
        "launch_call": 2 + 3,
        "compile_lookup": 2,
        "optimizer": 4,
        "python": 1,
    }


def test_a_step_is_no_operator() -> None:
    _, host_by = idle_parts("""
        us  :0    5    10   15   20
        cpu :[ProfilerStep#1       ]
        cpu :         [a]
        s7  :            [a]
    """)
    assert host_by == {"launch_call": 3, "python": 9}


def test_the_launching_thread_decides_not_the_stepping_one() -> None:
    causes, host_by = idle_parts("""
        us   :0    5    10   15   20   25
        step :[1                       ]
        cpu  :[data           ]
        cpu2 :[op     ][py  ][a]
        s7   :                 [a]
    """)
    assert causes == {"host": 17}
    assert host_by == {"op_dispatch": 9, "python": 6, "launch_call": 2}


def test_where_no_event_covers_the_launching_thread_the_stepping_one_decides() -> None:
    causes, host_by = idle_parts("""
        us   :0    5    10   15   20   25   30
        step :[1                               ]
        cpu  :[data   ] [sync   ]
        cpu2 :      [op       ]       [a]
        s7   :                           [a]
    """)
    assert causes == {"input": 6, "host": 21}
    assert host_by == {"op_dispatch": 11, "wait": 2, "python": 5, "launch_call": 3}


def test_from_the_launch_on_it_is_loading_or_else_the_call() -> None:
    causes, host_by = idle_parts("""
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :[a                ]
        cpu :  [op   ] [module]
        s7  :                   [a]
    """)
    assert causes == {"host": 19}
    assert host_by == {"loading": 8, "launch_call": 11}


def test_loading_inside_a_launch_call_counts_in_the_data_loader_too() -> None:
    causes, host_by = idle_parts("""
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :[data                ]
        cpu :  [a             ]
        cpu :      [module]
        s7  :                   [a]
    """)
    assert causes == {"input": 2, "host": 16, "launch": 1}
    assert host_by == {"loading": 8, "launch_call": 8}


def test_loading_on_another_thread_is_not_what_the_launching_one_did() -> None:
    _, host_by = idle_parts("""
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :[op       ][a    ]
        cpu2:[module        ]
        s7  :                 [a]
    """)
    assert host_by == {"op_dispatch": 11, "launch_call": 6}
