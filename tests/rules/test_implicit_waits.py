"""Waits hidden in other calls."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.trace_drawing import draw

PAGEABLE = {"a": "Memcpy HtoD (Pageable -> Device)"}


def test_a_copy_of_pageable_memory_that_lets_the_gpu_run_dry() -> None:
    finding = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[copy a     ][op][b]
        s7  :   [a      ]        [b        ]
        """,
            names=PAGEABLE,
        ),
    )
    assert finding.verdict == "fix"
    assert finding.title == "13.0 µs in calls that wait without saying so"
    assert finding.at_stake_us == 8  # from the end of the copy to the next kernel; the wait is longer
    assert finding.looks_like_us is None
    assert finding.pill is None
    assert "cudaMemcpyAsync can make the CPU wait although its name does not say so" in finding.text
    assert finding.advice.startswith("Copy from pinned memory. ")
    assert table(finding) == [["cudaMemcpyAsync", 1, 13, 9, 4]]


def test_never_more_than_the_wait_is_at_stake() -> None:
    finding = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                       ]
        cpu :[copy a     ][op              ][b]
        s7  :   [a      ]                      [b ]
        """,
            names=PAGEABLE,
        ),
    )
    assert finding.at_stake_us == 13


def test_a_gpu_that_stands_still_behind_an_allocation_is_no_false_alarm() -> None:
    """The GPU was done before the call began, so there is no refill bubble; it idles all the same."""
    finding = found(
        "implicit-waits",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[a] [op][malloc     ][b]
        s7  :  [a]                  [b]
    """),
    )
    assert finding.verdict == "fix"
    # host-bound promises this time, so it is named here and not promised again.
    assert finding.at_stake_us is None
    assert "For 13.0 µs the GPU had nothing to do" in finding.text
    assert finding.pill is None
    assert "at most this much can be won back" in finding.text
    assert finding.advice.startswith("Stop allocating in the loop. ")


def test_calls_behind_a_busy_gpu_are_a_false_alarm() -> None:
    finding = found(
        "implicit-waits",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[a][b] [malloc ]
        s7  :  [a                    ][b   ]
    """),
    )
    assert finding.verdict == "expected"
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 9)
    assert finding.pill == "9.00 µs in cudaMalloc"
    assert "did not run dry" in finding.text


def test_idle_time_of_unknown_cause_is_undecided() -> None:
    finding = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[b][copy a               ]
        s7  :  [b]                   [a]
        """,
            us=10,
            names=PAGEABLE,
        ),
    )
    assert finding.verdict == "undecided"
    assert finding.at_stake_us is None
    assert finding.looks_like_us == figures(finding)["GPU idle meanwhile"]
    assert finding.pill is None


def test_kinds_of_calls_are_explained_together() -> None:
    text = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[malloc  ][copy a  ][module]
        s7  :           [a      ]
        """,
            names=PAGEABLE,
        ),
    ).text
    assert "cudaMalloc, cudaMemcpyAsync and cuModuleLoadData" in text
    assert "allocating or freeing" in text
    assert "staging buffer" in text
    assert "loading GPU code" in text


def test_waits_in_steps_without_gpu_events_are_left_out() -> None:
    """Two steps lost their GPU events; only the one that has them can say what its calls cost."""
    assert (
        ask(
            "implicit-waits",
            draw("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1          ][2          ][3           ]
        cpu :[compile][a] [malloc][b]  [malloc][c]
        s7  :           [a]
    """),
        )
        == []
    )


def test_quiet_without_such_calls() -> None:
    assert (
        ask(
            "implicit-waits",
            draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[copy a][b]
        s7  :    [a][b]
    """),
        )
        == []
    )


def test_not_measured_where_the_gpu_events_are_lost() -> None:
    assert_not_measured(
        "implicit-waits",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[malloc][a]
    """),
        "no GPU event of these steps",
    )


def test_not_measured_in_an_empty_file() -> None:
    assert_not_measured("implicit-waits", draw(""), "no events")


def test_copies_both_ways_are_named_after_the_way_that_takes_longer() -> None:
    finding = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                            ]
        cpu :[copy a][op][copy b][op][copy c][op][d]
        s7  : [a]         [b   ]      [c   ]        [d    ]
        """,
            names={
                "a": "Memcpy HtoD (Pageable -> Device)",
                "b": "Memcpy DtoH (Device -> Pageable)",
                "c": "Memcpy DtoH (Device -> Pageable)",
            },
        ),
    )
    assert "a copy to the CPU may wait until its data is there" in finding.text
    assert "staging" not in finding.text
    assert finding.advice.startswith("Read results back less often. ")


def test_a_copy_that_always_waits_is_not_called_pageable() -> None:
    finding = found(
        "implicit-waits",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[hipMemcpyWithStream a][op][b]
        s7  :      [a              ]      [b]
        """,
            names={"a": "Memcpy HtoD (Host -> Device)"},
        ),
    )
    assert "it returns when its copy is done" in finding.text
    assert "pageable" not in finding.text
