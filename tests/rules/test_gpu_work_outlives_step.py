"""GPU work that goes on after its step has ended on the CPU."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

OUTLIVES = draw(
    """
    us  :0    5    10   15   20   25   30   35   40
    step:[4       ]
    cpu :a
    s7  : [a                       ]
    """,
    us=50,
)


def test_work_that_begins_on_time_and_ends_late_is_the_steps_all_the_same() -> None:
    finding = found("gpu-work-outlives-step", OUTLIVES)
    assert (finding.verdict, finding.step, finding.at_stake_us) == ("expected", 4, 0)
    # The step lasts 500 µs, the kernel 1,300 from 50 on.
    assert finding.looks_like_us == 850
    assert finding.title == "GPU work of step 4 ends 850 µs after the step does"
    assert "so step 4 ends on the CPU while the GPU is still at it" in finding.text
    assert finding.pill == "GPU work 850 µs beyond its step"
    assert table(finding) == [[4, 500, 850]]


def test_quiet_where_the_work_begins_late() -> None:
    late = """
        us  :0    5    10   15   20   25   30   35   40
        step:[4       ]
        cpu :a
        s7  :    [a                       ]
    """
    assert ask("gpu-work-outlives-step", draw(late, us=100)) == []


def test_quiet_where_the_work_ends_with_the_step() -> None:
    inside = """
        us  :0    5    10   15   20   25
        step:[4                    ]
        cpu :a
        s7  : [a                   ]
    """
    assert ask("gpu-work-outlives-step", draw(inside, us=50)) == []


def test_quiet_without_steps() -> None:
    assert ask("gpu-work-outlives-step", draw("cpu :a\ns7  : [a   ]")) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("gpu-work-outlives-step", draw("cpu :[op ]"), "no GPU event")
