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
WORKERS = {"data": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"}


def test_loading_that_the_gpu_waits_for() -> None:
    finding = found("data-loader-single-process", draw(WAITING))
    assert finding.verdict == "fix"
    assert finding.at_stake_us is None  # input-idle promises it
    assert "so num_workers is 0" in finding.text
    assert found("input-idle", draw(WAITING)).at_stake_us


def test_with_workers_it_is_another_question() -> None:
    assert ask("data-loader-single-process", draw(WAITING, names=WORKERS)) == []
    assert ask("input-idle", draw(WAITING, names=WORKERS)) != []


def test_loading_that_the_gpu_does_not_notice() -> None:
    hidden = """
        us  :0    5    10   15   20   25   30   35   40
        step:[1              ][2              ]
        cpu :[a][data   ]     [b][data   ]
        s7  :  [a                  ][b            ]
    """
    assert ask("data-loader-single-process", draw(hidden)) == []


def test_on_the_cpu_alone_the_loading_itself_is_at_stake() -> None:
    steps = "us  :0    5    10   15   20\nstep:[1       ][2       ]\ncpu :[data][op][data][op]"
    finding = found("data-loader-single-process", draw(steps))
    assert finding.at_stake_us == 6
    assert "At most this much" in finding.text


def test_no_loader_is_quiet() -> None:
    assert ask("data-loader-single-process", draw("us  :0    5\nstep:[1   ]\ncpu :[op ]")) == []


def test_what_it_cannot_tell() -> None:
    unnamed = {"data": "enumerate(DataLoader)#__next__"}
    assert_not_measured("data-loader-single-process", draw(WAITING, names=unnamed), "iterator")
    assert_not_measured("data-loader-single-process", draw("us  :0\ncpu :[data]"), "no steps")
    lost = "us  :0    5    10\nstep:[1         ]\ncpu :[data][a]"
    assert_not_measured("data-loader-single-process", draw(lost), "no GPU event")
