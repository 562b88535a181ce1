"""Gradients filled with zeros."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found
from tests.rules.test_optimizer_launches import looping
from tests.trace_drawing import draw

ZERO = "Optimizer.zero_grad#SGD.zero_grad"


def test_where_launches_are_waited_for_it_is_part_of_that() -> None:
    finding = found("zero-grad-launches", looping(ZERO, kernels=20))
    assert (finding.verdict, finding.at_stake_us) == ("fix", None)
    assert finding.title == "zero_grad fills gradients with 20 launches"
    assert "200 µs of the CPU and 40.0 µs of the GPU" in finding.text


def test_where_the_gpu_bounds_the_run_its_gpu_time_is_at_stake() -> None:
    finding = found("zero-grad-launches", looping(ZERO, kernels=20, kernel_us=10))
    assert finding.at_stake_us == 200
    assert "work that nothing needs" in finding.text


def test_dropping_gradients_launches_nothing() -> None:
    assert ask("zero-grad-launches", looping(ZERO, kernels=2)) == []
    assert ask("zero-grad-launches", looping("my own loop")) == []


def test_a_backward_pass_without_it_tells_nothing() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20
        step:[1                   ]
        cpu : [node    ]
        cpu :  [a]
        s7  :     [a]
    """,
        names={"node": "AddmmBackward0"},
    )
    assert_not_measured("zero-grad-launches", trace, "names no zero_grad")
    assert_not_measured("zero-grad-launches", draw("step:[1  ]\ncpu : [op]"), "no GPU event")
