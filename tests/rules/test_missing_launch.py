"""GPU events whose launch is not in the file."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, figures, found
from tests.trace_drawing import Row, draw, trace_of


def test_work_that_was_queued_before_recording_began() -> None:
    finding = found(
        "missing-launch",
        draw("""
        us  :0    5    10   15
        step:   [1           ]
        cpu :   [a]
        s7  :[?][?   ][a ]
    """),
    )
    assert finding.verdict == "artifact"
    assert finding.title == "2 GPU events were launched before recording began"
    assert "9.00 µs of work stood in the GPU’s queue" in finding.text
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 9)
    assert finding.pill == "2 GPU events without a launch"
    assert figures(finding) == {
        "GPU events without a launch": 2,
        "their time": 9,
        "of it, before the first launched event": 9,
    }


def test_one_queued_event_is_named_in_the_singular() -> None:
    finding = found(
        "missing-launch",
        draw("""
        us  :0    5    10   15
        step:   [1           ]
        cpu :   [a]
        s7  :[?   ][a ]
    """),
    )
    assert finding.title == "1 GPU event was launched before recording began"
    assert finding.pill == "1 GPU event without a launch"


def test_work_that_came_later_has_no_known_origin() -> None:
    finding = found(
        "missing-launch",
        draw("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[a]
        s7  :  [a ][?  ]
    """),
    )
    assert finding.verdict == "undecided"
    assert finding.title == "1 GPU event has no launch in this file"
    assert "too small by as much" in finding.text
    assert finding.at_stake_us is None
    assert finding.pill is None


def test_where_nothing_has_a_launch_work_is_given_to_steps_by_time() -> None:
    text = found(
        "missing-launch",
        draw("""
        us  :0    5    10   15
        step:[1              ]
        s7  :  [? ][?  ]
    """),
    ).text
    assert "each is given to the step in which it ran" in text


def few_among_many(lost_us: float) -> Trace:
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, 2000)]
    for i in range(1, 200):
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", 10 * i, 1, correlation=i))
        rows.append(Row(Category.KERNEL, "k", 10 * i + 2, 5, correlation=i, device=0, stream="7"))
    return trace_of([*rows, Row(Category.KERNEL, "k", 1999, lost_us, device=0, stream="7")])


def test_too_few_lost_launches_to_matter() -> None:
    finding = found("missing-launch", few_among_many(lost_us=5))
    assert finding.verdict == "expected"
    assert finding.at_stake_us == 0
    assert "before recording began" in finding.text  # as one of two possibilities, not as the cause
    assert "too little to move them" in finding.text


def test_one_event_that_took_long_does_matter() -> None:
    assert found("missing-launch", few_among_many(lost_us=500)).verdict == "undecided"


def test_quiet_where_every_event_has_its_launch() -> None:
    assert (
        ask(
            "missing-launch",
            draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
        s7  :  [a ]
    """),
        )
        == []
    )


def test_events_without_a_number_are_not_called_lost() -> None:
    """Some devices' profilers number only part of what they record."""
    finding = found(
        "missing-launch",
        draw("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[a]
        s7  :  [a ][?  ]
    """),
    )
    assert "carry no number (correlation) that ties them to a call" in finding.text
    assert "keep the whole file" not in finding.advice
