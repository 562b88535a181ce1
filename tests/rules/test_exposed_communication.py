"""Communication that nothing hides."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.rules.gpu_steps import Work, steps_of
from tests.trace_drawing import draw


def works(us: float) -> list[Work]:
    return [Work("ncclDevKernel_AllReduce_Sum_f16", us), Work("k", 900)]


def test_exposed_communication_is_told_without_a_promise() -> None:
    finding = found("exposed-communication", steps_of(works(100)))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 100)
    assert "mostly all_reduce; 0 % of the communication ran beside other work" in finding.text
    assert table(finding) == [["all_reduce", "nccl", 4, 400.0, 400.0, 0.0]]


def test_quiet_where_it_is_short_or_absent() -> None:
    assert ask("exposed-communication", steps_of(works(20))) == []
    assert ask("exposed-communication", steps_of([Work("k", 900)])) == []


def test_quiet_where_it_runs_beside_other_work() -> None:
    assert (
        ask(
            "exposed-communication",
            draw(
                """
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :[a][b]
        s7  :  [a               ]
        s8  :     [b      ]
    """,
                names={"b": "ncclDevKernel_AllReduce"},
            ),
        )
        == []
    )


def test_not_measured_without_gpu_events() -> None:
    trace = draw("us  :0\nstep:[1     ]\ncpu :[op ][a]")
    assert_not_measured("exposed-communication", trace, "no GPU event")
