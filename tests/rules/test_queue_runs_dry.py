"""A CPU that is ahead of the GPU at first, and falls behind part way through."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import Row, draw, trace_of


def steps(ahead: int, behind: int, count: int = 3, pause: int = 30) -> Trace:
    """Steps that launch ``ahead`` kernels of 20 µs every 10 µs, then wait out the queue in Python, and
    launch ``behind`` kernels of 5 µs every ``pause`` µs."""
    rows, correlation, at = [], 0, 0
    for number in range(count):
        begin = free = at
        for i in range(ahead + behind):
            correlation += 1
            kernel = 20 if i < ahead else 5
            start = max(at + 6, free)
            rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", at, 4, correlation=correlation))
            rows.append(
                Row(Category.KERNEL, "k", start, kernel, correlation=correlation, device=0, stream="7")
            )
            free = start + kernel
            at = free + pause if i >= ahead - 1 else at + 10
        rows.append(Row(Category.ANNOTATION, f"ProfilerStep#{number}", begin, at - begin))
    return trace_of(rows)


def test_the_moment_is_named() -> None:
    finding = found("queue-runs-dry", steps(20, 40))
    assert (finding.verdict, finding.at_stake_us) == ("fix", None)
    assert finding.title == "The CPU falls behind after 20 of 60 launches"
    # 20 kernels of 20 µs from 6 on, and 30 µs of Python.
    assert "ahead of the GPU for the first 436 µs of a typical step" in finding.text
    assert "100 % of the launches find a GPU with nothing to do" in finding.text
    assert table(finding)[1] == [1, 436, 20, 1, 40, 40]


def test_quiet_where_the_cpu_was_never_ahead() -> None:
    assert ask("queue-runs-dry", steps(1, 40)) == []


def test_quiet_where_the_cpu_stays_ahead() -> None:
    assert ask("queue-runs-dry", steps(40, 0)) == []


def test_quiet_where_only_a_few_launches_come_late() -> None:
    assert ask("queue-runs-dry", steps(40, 9, pause=200)) == []


def test_quiet_where_the_gpu_hardly_waits() -> None:
    assert ask("queue-runs-dry", steps(400, 15, pause=1)) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("queue-runs-dry", draw("cpu :[op ]"), "no GPU event")
