"""A single gap that makes most of a step's idle time."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, found, table, with_meta
from tests.trace_drawing import Row, draw, trace_of

OP = (Category.CPU_OP, "aten::sort")
LOADER = (Category.ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")


def steps(gap: int, kernel: int, during: tuple[Category, str] = OP, queued: bool = False) -> Trace:
    """Three steps of twelve kernels; before the seventh the CPU is busy for ``gap`` µs."""
    rows, correlation, at = [], 0, 0
    for number in range(3):
        begin = at
        for i in range(12):
            correlation += 1
            if i == 6 and not queued:
                rows.append(Row(*during, at, gap))
                at += gap
            start = at + 4 + (gap if queued and i == 6 else 0)
            rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", at, 2, correlation=correlation))
            name = f"void at::kernel_{i}<4>(int)"
            rows.append(
                Row(Category.KERNEL, name, start, kernel, correlation=correlation, device=0, stream="7")
            )
            at = start + kernel
        rows.append(Row(Category.ANNOTATION, f"ProfilerStep#{number}", begin, at - begin))
    return trace_of(rows)


def test_what_the_cpu_did_in_the_gap() -> None:
    finding = found("one-long-gap", steps(3000, 300))
    # The CPU is to blame for more than a tenth of the step, so host-bound promises the time.
    assert (finding.verdict, finding.at_stake_us, finding.step) == ("fix", None, 0)
    assert finding.title == "One gap of 3.00 ms makes most of the GPU’s idle time"
    assert "the CPU was inside PyTorch operators" in finding.text
    assert "It lies between at::kernel_5 and at::kernel_6." in finding.text
    assert finding.text.endswith("Its time is counted in the finding about that cause.")
    assert table(finding)[0] == ["the CPU was inside PyTorch operators", 3000]


def test_where_no_other_finding_promises_the_time_this_one_does() -> None:
    finding = found("one-long-gap", steps(300, 300))
    assert finding.verdict == "fix"
    # The operator and the launch call after it; not the GPU's own latency.
    assert finding.at_stake_us == 302
    assert "counted" not in finding.text


def test_a_gap_that_the_trace_does_not_explain_is_undecided() -> None:
    finding = found("one-long-gap", steps(3000, 300, queued=True))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 3004)
    assert "the trace shows no reason" in finding.text
    assert finding.advice.startswith("Record once more with stacks. ")
    with_stacks = with_meta(steps(3000, 300, queued=True), with_stack=True)
    assert found("one-long-gap", with_stacks).advice.startswith("Record once more with a system profiler. ")


def test_quiet_where_another_rule_says_all_of_it() -> None:
    assert ask("one-long-gap", steps(3000, 300, LOADER)) == []


def test_quiet_where_the_gap_is_short_or_one_of_many() -> None:
    assert ask("one-long-gap", steps(100, 300)) == []
    assert ask("one-long-gap", steps(2, 1)) == []


def test_quiet_where_there_are_too_few_gaps_to_tell() -> None:
    one = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a][op                ][b]
        s7  :   [a ]                   [b ]
    """)
    assert ask("one-long-gap", one) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("one-long-gap", draw("cpu :[op ]"), "no GPU event")
