"""Memory that grows in every settled step."""

from __future__ import annotations

from tb_plugin_explain.rules.memory_grows import MIN_GROWTH_BYTES
from tb_plugin_explain.trace.model import Trace
from tests.memory_drawing import Mem, remember
from tests.rules.asking import ask, assert_not_measured, found
from tests.trace_drawing import draw

STEPS = """
    us  :0    5    10   15   20   25   30   35   40   45   50
    step:[1      ] [2      ] [3      ] [4      ] [5      ]
    cpu : [a_op ]   [a_op ]   [a_op ]   [a_op ]   [a_op ]
"""


def growing(*growths: int) -> Trace:
    events = [Mem(1, 0, 500)]
    events += [Mem(12 + 10 * i, i + 1, g) for i, g in enumerate(growths)]
    return remember(STEPS, events, before_bytes=10**9)


def test_growth_in_every_step() -> None:
    finding = found("memory-grows", growing(*[2 * 2**20] * 4))
    assert finding.verdict == "fix"
    assert finding.at_stake_us is None  # bytes are lost, not time
    assert finding.title == "Memory grows by 2.00 MiB in every step on GPU 0"
    assert "6.00 MiB of it was allocated by a_op" in finding.text


def test_one_step_that_grows_is_no_leak() -> None:
    assert ask("memory-grows", growing(2**20, 2**20, 0, 2**20)) == []
    assert ask("memory-grows", growing(2**30, 0, 0, 0)) == []


def test_a_growth_that_no_run_will_notice() -> None:
    assert ask("memory-grows", growing(*[MIN_GROWTH_BYTES - 1] * 4)) == []
    assert ask("memory-grows", growing(*[MIN_GROWTH_BYTES] * 4)) != []


def test_steps_that_warm_up_are_not_judged() -> None:
    """The second step takes much longer than the others, so it follows and precedes no settled pair."""
    slow = """
        us  :0    5    10   15   20   25   30   35   40   45   50
        step:[1              ] [2   ] [3   ] [4   ] [5   ]
        cpu : [a_op ]           [op]   [op]   [op]   [op]
    """
    events = [Mem(t, t, 2**20) for t in (1, 25, 32, 39, 46)]
    assert found("memory-grows", remember(slow, events)).title.startswith("Memory grows by 1.00 MiB")
    assert_not_measured(
        "memory-grows", remember(slow.replace(" [5   ]", "       "), events), "fewer than three"
    )


def test_without_memory_events_it_cannot_tell() -> None:
    assert_not_measured("memory-grows", draw(STEPS), "profile_memory=True")
