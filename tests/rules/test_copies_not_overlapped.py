"""Copies between host and GPU that nothing hides."""

from __future__ import annotations

import pytest

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, steps_of
from tests.trace_drawing import draw

PINNED, PAGEABLE = "Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Pageable)"
INPUT = "Memcpy HtoD (Pinned -> Device)"


def copying(name: str, copy_us: float, kernel_us: float) -> list[Work]:
    return [Work(name, copy_us, call="cudaMemcpyAsync", size_bytes=1_000_000), Work("k", kernel_us)]


def test_copies_that_set_the_pace_can_be_hidden() -> None:
    finding = found("copies-not-overlapped", steps_of(copying(PINNED, 200, 800)))
    assert finding.verdict == "fix"
    assert finding.at_stake_us == pytest.approx(200)
    assert figures(finding) == {"copying alone in a typical step": pytest.approx(200)}
    assert "pageable" not in finding.text


def test_no_more_is_promised_than_there_is_work_to_hide_behind() -> None:
    finding = found("copies-not-overlapped", steps_of(copying(PINNED, 800, 200)))
    assert finding.at_stake_us == pytest.approx(200)


def test_without_kernels_nothing_can_hide_a_copy() -> None:
    trace = steps_of([Work(PINNED, 800, call="cudaMemcpyAsync")])
    finding = found("copies-not-overlapped", trace)
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert "no other work on the GPU" in finding.text


def test_pageable_memory_is_named() -> None:
    text = found("copies-not-overlapped", steps_of(copying(PAGEABLE, 200, 800))).text
    assert "100 % of these copies use pageable memory" in text


def test_undecided_where_the_gpu_waits_for_other_reasons() -> None:
    finding = found("copies-not-overlapped", steps_of(copying(PINNED, 200, 300), idle_us=600))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)


def test_copies_of_the_input_are_promised_once() -> None:
    both = [*copying(INPUT, 200, 800), *copying(PINNED, 200, 800)]
    assert found("exposed-input-copies", steps_of(both)).at_stake_us == pytest.approx(200)
    finding = found("copies-not-overlapped", steps_of(both))
    assert finding.at_stake_us == pytest.approx(200)
    assert finding.title == "Copies to the host take 200 µs in which the GPU computes nothing"
    assert ask("copies-not-overlapped", steps_of(copying(INPUT, 200, 800))) == []


def test_quiet_about_short_copies_and_those_inside_the_gpu() -> None:
    assert ask("copies-not-overlapped", steps_of(copying(PINNED, 20, 800))) == []
    assert ask("copies-not-overlapped", steps_of(copying("Memcpy DtoD (Device -> Device)", 200, 800))) == []


def test_not_measured_without_gpu_events() -> None:
    trace = draw("us  :0\nstep:[1     ]\ncpu :[op ][a]")
    assert_not_measured("copies-not-overlapped", trace, "no GPU event")
