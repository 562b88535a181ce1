"""A recording with every allocation in it."""

from __future__ import annotations

from tests.memory_drawing import Mem, remember
from tests.rules.asking import ask, assert_not_measured, found, with_meta
from tests.trace_drawing import draw

STEP = "us  :0    5    10\nstep:[1        ]\ncpu :[aten::mm]"


def test_every_allocation_was_recorded() -> None:
    finding = found("memory-mode-first-pass", remember(STEP, [Mem(2, 1, 5), Mem(3, 1, -5)]))
    assert (finding.verdict, finding.at_stake_us) == ("artifact", 0)
    assert finding.title == "profile_memory wrote 2 memory events in this step"


def test_few_allocations_do_not_show() -> None:
    long = f"us  :0\nstep:[1{' ' * 5000}]\ncpu :[aten::mm]"
    assert ask("memory-mode-first-pass", remember(long, [Mem(2, 1, 5), Mem(3, 1, -5)])) == []


def test_without_the_mode_it_is_quiet() -> None:
    assert ask("memory-mode-first-pass", draw(STEP)) == []


def test_a_mode_that_left_nothing_cannot_be_judged() -> None:
    assert_not_measured(
        "memory-mode-first-pass", with_meta(draw(STEP), profile_memory=True), "no memory event"
    )
