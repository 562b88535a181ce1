"""Memory that the allocator holds and tensors do not use."""

from __future__ import annotations

from tests.memory_drawing import Mem, remember
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import draw

GIB = 2**30
STEP = """
    us  :0    5    10   15   20
    step:[1                   ]
    cpu :[aten::mm][aten::add]
"""


def test_a_reserve_that_is_left_from_before_is_expected() -> None:
    events = [Mem(2, 1, GIB, reserved_bytes=4 * GIB), Mem(15, 1, -GIB, reserved_bytes=4 * GIB)]
    finding = found("fragmentation", remember(STEP, events))
    assert (finding.verdict, finding.at_stake_us) == ("expected", 0)
    assert finding.title == "3.00 GiB of GPU memory are held and not used"
    assert "left from a larger peak before" in finding.text
    assert finding.advice.startswith("Leave it alone unless memory runs out. ")


def test_taking_more_although_as_much_is_free_is_a_sign_of_pieces() -> None:
    events = [Mem(2, 1, GIB, reserved_bytes=4 * GIB), Mem(15, 2, GIB, reserved_bytes=5 * GIB)]
    finding = found("fragmentation", remember(STEP, events))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert "for 1 allocation although as much as was asked for was free" in finding.text
    assert figures(finding)["allocations that took more despite room"] == 1


def test_a_reserve_that_grows_because_it_must() -> None:
    events = [Mem(2, 1, 4 * GIB, reserved_bytes=4 * GIB), Mem(5, 1, -4 * GIB, reserved_bytes=4 * GIB)]
    events += [Mem(15, 2, 5 * GIB, reserved_bytes=9 * GIB)]
    finding = found("fragmentation", remember(STEP, events))
    assert "These steps took 5.00 GiB more from the driver, none of it with room left." in finding.text


def test_a_reserve_in_proportion_is_quiet() -> None:
    assert ask("fragmentation", remember(STEP, [Mem(2, 1, 8 * GIB, reserved_bytes=10 * GIB)])) == []
    assert ask("fragmentation", remember(STEP, [Mem(2, 1, 1000, reserved_bytes=GIB // 2)])) == []


def test_without_reserved_memory_it_cannot_tell() -> None:
    assert_not_measured(
        "fragmentation", remember(STEP, [Mem(2, 1, GIB)], device_type=0), "no reserved memory"
    )
    assert_not_measured("fragmentation", draw(STEP), "no memory event")
