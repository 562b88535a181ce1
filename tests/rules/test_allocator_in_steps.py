"""GPU memory that settled steps take from the driver."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Trace
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

SAME_KERNEL = dict.fromkeys("abcd", "kernel")


def steps_with(*calls: str, **names: str) -> Trace:
    """Four equal steps, each with a call."""
    one, two, three, four = (call.ljust(11) for call in calls)
    return draw(
        f"""
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60
        step:[1           ][2           ][3           ][4           ]
        cpu :[a]{one}[b]{two}[c]{three}[d]{four}
        s7  :  [a]           [b]           [c]           [d]
        """,
        names={**SAME_KERNEL, **names},
    )


def test_retries_of_a_full_memory() -> None:
    calls = ["[cudaFree]"] + ["[malloc]"] * 3
    finding = found("allocator-in-steps", steps_with(*calls))
    assert finding.verdict == "fix"
    assert finding.title == "4 allocations and frees of GPU memory in settled steps"
    assert "because the GPU’s memory was full" in finding.text
    assert finding.advice.startswith("Make room for the allocator’s cache. ")
    assert table(finding) == [["cudaMalloc", 3, 24.0], ["cudaFree", 1, 10.0]]


def test_allocations_alone_mean_sizes_that_change() -> None:
    finding = found("allocator-in-steps", steps_with(*["[malloc]"] * 4))
    assert finding.at_stake_us is None  # hidden waits and idle time promise it
    assert finding.title == "4 allocations and frees of GPU memory in settled steps"
    assert "sizes that change from step to step" in finding.text
    assert table(finding) == [["cudaMalloc", 4, 32.0]]


def test_one_new_size_in_many_steps_is_quiet() -> None:
    assert ask("allocator-in-steps", steps_with("[malloc]", "", "", "")) == []


def test_pinned_host_memory_is_another_matter() -> None:
    assert ask("allocator-in-steps", steps_with(*["[malloc]"] * 4, malloc="cudaHostAlloc")) == []


def test_without_settled_steps_it_cannot_tell() -> None:
    assert_not_measured("allocator-in-steps", draw("us  :0\nstep:[1 ]\ncpu :[malloc]"), "settled")
    assert_not_measured("allocator-in-steps", draw("us  :0\nstep:[1 ]\ncpu :[op ]"), "driver")
