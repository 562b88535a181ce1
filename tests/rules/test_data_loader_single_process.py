"""A DataLoader without workers."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found
from tests.trace_drawing import draw

WAITING = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1              ][2              ]
    cpu :[data   ][a]     [data   ][b]
    s7  :          [a ]             [b ]
"""
ON_CPU = """
    us  :0    5    10   15   20
    step:[1       ][2       ]
    cpu :[data][op][data][op]
"""
WORKERS = {"data": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"}


def test_where_a_gpu_waits_for_it_the_rule_about_that_says_so_alone() -> None:
    assert ask("data-loader-single-process", draw(WAITING)) == []
    waited_for = found("input-idle", draw(WAITING))
    assert "so num_workers is 0" in waited_for.text
    assert waited_for.advice.startswith("Set num_workers=4 in the DataLoader. ")


def test_with_workers_it_is_another_question() -> None:
    assert ask("data-loader-single-process", draw(ON_CPU, names=WORKERS)) == []


def test_on_the_cpu_alone_the_loading_itself_is_at_stake() -> None:
    finding = found("data-loader-single-process", draw(ON_CPU))
    assert finding.at_stake_us == 6
    assert "At most this much" in finding.text


def test_no_loader_is_quiet() -> None:
    assert ask("data-loader-single-process", draw("us  :0    5\nstep:[1   ]\ncpu :[op ]")) == []


def test_what_it_cannot_tell() -> None:
    unnamed = {"data": "enumerate(DataLoader)#__next__"}
    assert_not_measured("data-loader-single-process", draw(ON_CPU, names=unnamed), "iterator")
    assert_not_measured("data-loader-single-process", draw("us  :0\ncpu :[data]"), "no steps")
    lost = "us  :0    5    10\nstep:[1         ]\ncpu :[data][a]"
    assert_not_measured("data-loader-single-process", draw(lost), "no GPU event")
