"""The profiler's own work inside the steps that averages use."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, lanes
from tests.trace_drawing import draw

FLUSHED = """
    us      :0    5    10   15   20   25
    step    :[1                     ]
    cpu     :[a] [b]
    overhead:     [prof  ]
    s7      : [a]          [b]
"""


def test_work_of_the_profiler_that_stops_the_gpu() -> None:
    finding = found("profiler-overhead-in-steps", draw(FLUSHED, names={"prof": "Buffer Flush"}))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("artifact", 0, 8)
    assert finding.title == "The profiler worked for 8.00 µs inside step 1"
    assert "stood still for 8.00 µs" in finding.text
    assert lanes(finding)["Profiler"] == ["Buffer Flush"]


def test_work_that_nobody_waits_for() -> None:
    beside = FLUSHED.replace("s7      : [a]          [b]", "s7      : [a                   ]")
    finding = found("profiler-overhead-in-steps", draw(beside))
    assert "did not stand still" in finding.text or "had other work" in finding.text


def test_work_outside_steps_or_of_no_length_is_quiet() -> None:
    later = FLUSHED.replace("overhead:     [prof  ]", "overhead:                          [prof  ]")
    assert ask("profiler-overhead-in-steps", draw(later)) == []
    assert ask("profiler-overhead-in-steps", draw(FLUSHED.replace("[prof  ]", "        "))) == []


def test_on_the_cpu_alone_it_cannot_tell() -> None:
    assert_not_measured("profiler-overhead-in-steps", draw("us  :0\nstep:[1 ]\ncpu :[op]"), "no GPU event")
