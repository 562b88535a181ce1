"""Launch calls that are held up behind the GPU's own work."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, figures, found, lanes, table
from tests.trace_drawing import Row, draw, trace_of


def held_up(step: int = 6000, call: int = 5000, kernel: int = 5800, *more: Row) -> Trace:
    """A long kernel, and a second launch that waits behind it; µs."""
    return trace_of(
        [
            Row(Category.ANNOTATION, "ProfilerStep#5", 0, step),
            Row(Category.RUNTIME, "cudaLaunchKernel", 10, 5, correlation=1),
            Row(Category.KERNEL, "long_kernel", 16, kernel, correlation=1, device=0, stream="7"),
            Row(Category.RUNTIME, "cudaLaunchKernel", 40, call, correlation=2),
            Row(Category.KERNEL, "short_kernel", 5900, 10, correlation=2, device=0, stream="7"),
            *more,
        ]
    )


def test_a_launch_behind_a_busy_gpu_is_expected() -> None:
    finding = found("launch-blocked", held_up())
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("expected", 0, 5000)
    assert finding.title == "5.00 ms in launch calls that stand behind a busy GPU"
    assert finding.text.startswith(
        "1 launch call lasts 5.00 ms, where such a call usually takes 5.00 µs. Work that was launched "
        "earlier on the same stream had not ended when it returned (1 launch ahead)."
    )
    assert "whether it was, the trace does not say" in finding.text
    assert "The GPU was at work for 100 % of that time" in finding.text
    assert finding.pill == "5.00 ms in launch calls"
    assert table(finding) == [[5, "cudaLaunchKernel", "short_kernel", 5000, 5, 1]]
    assert lanes(finding)["Launch calls"] == ["cudaLaunchKernel"]
    assert figures(finding) == {"held up in this step": 5000}


def test_overhead_proves_the_full_queue() -> None:
    full = Row(Category.OVERHEAD, "Command Buffer Full", 100, 10, "overhead", "0")
    finding = found("launch-blocked", held_up(6000, 5000, 5800, full))
    assert "The launch queue was full, with 1 launch ahead" in finding.text
    assert "does not say" not in finding.text


def test_a_full_queue_on_an_idle_gpu_is_undecided() -> None:
    full = Row(Category.OVERHEAD, "Command Buffer Full", 100, 10, "overhead", "0")
    finding = found("launch-blocked", held_up(6000, 5000, 1000, full))
    assert (finding.verdict, finding.at_stake_us, finding.pill) == ("undecided", None, None)
    assert finding.looks_like_us == 5040 - 1016
    assert "the GPU showed no work for 80.5 % of that time" in finding.text


def test_quiet_where_the_call_found_nothing_ahead() -> None:
    assert ask("launch-blocked", held_up(6000, 5000, 1000)) == []


def test_quiet_where_it_is_a_trifle() -> None:
    assert ask("launch-blocked", held_up(6000, 55, 5800)) == []
    assert ask("launch-blocked", held_up(600_000, 5000, 5800)) == []


def test_not_measured_without_launches() -> None:
    assert_not_measured("launch-blocked", draw("cpu :[op ]"), "no GPU event")
    assert_not_measured("launch-blocked", draw("s7  :[?  ]"), "has a launch")
