"""Copies from host to device that nothing hides."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

PINNED = {"a": "Memcpy HtoD (Pinned -> Device)", "c": "Memcpy HtoD (Pinned -> Device)"}
PAGEABLE = {"a": "Memcpy HtoD (Pageable -> Device)", "c": "Memcpy HtoD (Pageable -> Device)"}

TAKING_TURNS = """
    us  :0    5    10   15   20   25   30   35   40   45
    step:[1                   ][2                   ]
    cpu :[copy a  ][b]         [copy c  ][d]
    s7  :[a      ] [b         ][c      ] [d         ]
"""


def test_copies_and_kernels_that_take_turns() -> None:
    finding = found("exposed-input-copies", draw(TAKING_TURNS, names=PAGEABLE))
    assert finding.verdict == "fix"
    assert finding.title == "The GPU only copies from the host for 9.00 µs of a typical step"
    assert finding.at_stake_us == 9  # the kernels run for longer, so all of it can be hidden
    assert "pageable" in finding.text
    assert finding.advice.startswith("Copy the next batch while this one is computed. ")
    assert table(finding) == [[1, 1, 9.0, 9.0], [2, 1, 9.0, 9.0]]


def test_no_more_is_promised_than_there_is_to_hide_behind() -> None:
    copying = """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                   ][2                   ]
        cpu :[copy a          ][b] [copy c          ][d]
        s7  :[a              ] [b ][c              ] [d ]
    """
    assert found("exposed-input-copies", draw(copying, names=PAGEABLE)).at_stake_us == 4


def test_where_only_copying_less_helps() -> None:
    alone = """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                   ][2                   ]
        cpu :[copy a][b]           [copy c][d]
        s7  :[a                   ][c                   ]
        s8  :        [b  ]                 [d  ]
    """
    finding = found("exposed-input-copies", draw(alone, names=PINNED))
    assert finding.at_stake_us == 17
    assert finding.advice.startswith("Make the batch smaller to copy. ")


def test_copies_beside_kernels_are_quiet() -> None:
    beside = """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                   ][2                   ]
        cpu :[copy a][b]           [copy c][d]
        s7  : [a      ]             [c      ]
        s8  : [b                  ] [d                  ]
    """
    assert ask("exposed-input-copies", draw(beside, names=PINNED)) == []


def test_pinned_copies_on_an_idle_gpu_cost_nothing() -> None:
    idle = """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                   ][2                   ]
        cpu :[copy a]  [op     ][b][copy c]  [op     ][d]
        s7  : [a   ]            [b] [c   ]            [d]
    """
    assert ask("exposed-input-copies", draw(idle, names=PINNED)) == []


def test_what_it_cannot_tell() -> None:
    assert_not_measured("exposed-input-copies", draw("us  :0\nstep:[1 ]\ncpu :[op]"), "no GPU event")
    assert_not_measured("exposed-input-copies", draw("us  :0\ncpu :[copy a]\ns7  : [a   ]"), "no steps")
