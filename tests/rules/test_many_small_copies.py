"""Many small copies between host and GPU."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, steps_of


def small(size_bytes: int = 8) -> Work:
    return Work("Memcpy DtoH (Device -> Pinned)", 2, call="cudaMemcpyAsync", size_bytes=size_bytes)


def test_a_loop_of_copies_is_told() -> None:
    finding = found("many-small-copies", steps_of([small()] * 40 + [Work("k", 500)]))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 122)
    assert finding.title == "40 small copies between host and GPU"
    assert figures(finding) == {"small copies in a typical step": 40, "GPU idle in their calls": 122}


def test_quiet_about_a_few_copies_large_ones_and_cheap_calls() -> None:
    assert ask("many-small-copies", steps_of([small()] * 20 + [Work("k", 500)])) == []
    assert ask("many-small-copies", steps_of([small(1_000_000)] * 40)) == []
    assert ask("many-small-copies", steps_of([small()] * 40 + [Work("k", 50_000)])) == []


def test_quiet_where_the_calls_wait_for_a_gpu_at_work() -> None:
    """What passes in the calls is the kernel's time, which fewer copies would not shorten."""
    assert ask("many-small-copies", steps_of([Work("k", 500)] + [small()] * 40)) == []


def test_not_measured_without_sizes() -> None:
    assert_not_measured("many-small-copies", steps_of([small(-1)] * 40), "sizes")
