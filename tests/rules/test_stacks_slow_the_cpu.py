"""Python frames so dense that recording them takes time."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, with_meta
from tests.trace_drawing import draw


def frames(length_us: int) -> str:
    return f"us  :0\nstep:[1{' ' * (length_us - 3)}]\ncpu :[py][py][py][py][py]"


def test_dense_frames_make_the_cpu_look_slower() -> None:
    finding = found("stacks-slow-the-cpu", draw(frames(100)))
    assert (finding.verdict, finding.at_stake_us) == ("artifact", 0)
    assert finding.title == "Recording stacks makes the CPU look slower: 50.0 Python frames a millisecond"


def test_few_frames_do_not() -> None:
    assert ask("stacks-slow-the-cpu", draw(frames(101))) == []
    assert ask("stacks-slow-the-cpu", draw("us  :0\nstep:[1 ]\ncpu :[op]")) == []


def test_stacks_that_left_nothing_cannot_be_judged() -> None:
    trace = with_meta(draw("us  :0\nstep:[1 ]\ncpu :[op]"), with_stack=True)
    assert_not_measured("stacks-slow-the-cpu", trace, "no Python frame")
