"""An optimizer that launches kernel by kernel, where launches are what the run waits for."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import Row, draw, trace_of

OPTIMIZER = "Optimizer.step#SGD.step"


def looping(name: str = OPTIMIZER, kernels: int = 120, kernel_us: float = 2, every_us: float = 10) -> Trace:
    """A step whose annotation launches so many kernels, one every few microseconds."""
    length = kernels * every_us
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 1, length + 20),
        Row(Category.ANNOTATION, name, 2, length),
    ]
    for i in range(kernels):
        at = 3 + i * every_us
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", at, 2, correlation=i + 1))
        rows.append(Row(Category.KERNEL, "k", at + 4, kernel_us, correlation=i + 1, device=0, stream="7"))
    return trace_of(rows)


def test_a_loop_over_parameters_is_told() -> None:
    finding = found("optimizer-launches", looping())
    assert finding.verdict == "fix"
    # What it could win is part of what the rule about launches promises.
    assert finding.at_stake_us is None
    assert finding.title == "The optimizer launches 120 kernels one by one"
    assert "Optimizer.step#SGD.step takes 1.20 ms of the CPU" in finding.text
    assert figures(finding)["GPU time of the optimizer in this step"] == 240
    assert found("host-bound", looping()).at_stake_us


def test_a_few_launches_long_kernels_or_a_busy_gpu_are_no_matter() -> None:
    assert ask("optimizer-launches", looping(kernels=40)) == []
    assert ask("optimizer-launches", looping(kernel_us=30, every_us=40)) == []
    assert ask("optimizer-launches", looping(kernel_us=10)) == []
    assert ask("optimizer-launches", looping(name="my own loop")) == []


def test_a_backward_pass_without_named_optimizer_tells_nothing() -> None:
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
    assert_not_measured("optimizer-launches", trace, "names no optimizer")
    assert_not_measured("optimizer-launches", draw("step:[1  ]\ncpu : [op]"), "no GPU event")
