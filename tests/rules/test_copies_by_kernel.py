"""Kernels that only copy."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

PICTURE = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1                                        ]
    cpu : [linear           ] [op ]
    cpu :  [outer          ]   [b]
    cpu :   [middle      ]
    cpu :    [inner     ]
    cpu :      [a]
    s7  :         [a     ]      [b            ]
"""
CAST = {"linear": "aten::linear", "outer": "aten::to", "middle": "aten::_to_copy", "inner": "aten::copy_"}


def test_a_conversion_is_told_by_what_asked_for_it() -> None:
    finding = found("copies-by-kernel", draw(PICTURE, names=CAST))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 8)
    assert finding.title == "34.8 % of the GPU’s work is copying tensors"
    assert "comes from aten::to (conversions to another type)" in finding.text
    assert table(finding) == [["aten::to", 1, 8]]


def test_a_copy_by_hand_is_told_as_itself() -> None:
    names = {"linear": "mine", "outer": "x", "middle": "y", "inner": "aten::copy_"}
    assert table(found("copies-by-kernel", draw(PICTURE, names=names))) == [["aten::copy_", 1, 8]]


def test_transfers_and_other_kernels_are_not_meant() -> None:
    assert ask("copies-by-kernel", draw(PICTURE, names=CAST | {"inner": "aten::mul"})) == []
    assert ask("copies-by-kernel", draw(PICTURE, names=CAST | {"a": "Memcpy HtoD (Pinned -> Device)"})) == []


def test_without_gpu_events_or_operators_nobody_can_say() -> None:
    assert_not_measured("copies-by-kernel", draw("step:[1  ]\ncpu : [op]"), "no GPU event")
    assert_not_measured("copies-by-kernel", draw("step:[1     ]\ncpu : [a]\ns7  :   [a]"), "no operators")
