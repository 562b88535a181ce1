"""Memory over the steps: peak, growth, fragmentation, curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_plugin_explain.analyses.memory_use import MAX_CURVE_POINTS, SMALL_BLOCK_BYTES, MemoryUse
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.steps import find_steps
from tests.memory_drawing import Mem, allocator_of, remember

STEPS = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1      ] [2      ] [3      ] [4      ]
    cpu : [a_op ]   [a_op ]   [a_op ]   [a_op ]
"""
BEGINS = (0, 10, 20, 30)


def use_of(trace: Trace, averaged: Sequence[int] = (0, 1, 2, 3)) -> MemoryUse:
    return MemoryUse(allocator_of(trace), find_steps(trace).steps, averaged)


def leaking(kept: int) -> list[Mem]:
    """Each step allocates 100, frees it, and keeps another block."""
    events = []
    for i, begin in enumerate(BEGINS):
        events += [Mem(begin + 2, 1, 100), Mem(begin + 3, 10 + i, kept), Mem(begin + 5, 1, -100)]
    return events if kept else [e for e in events if e.size_bytes]


def test_the_peak_and_the_ends_of_each_step() -> None:
    use = use_of(remember(STEPS, leaking(7), before_bytes=1000))
    totals = use.allocator.allocated_bytes
    assert totals is not None
    assert [int(totals[s.peak or 0]) for s in use.steps] == [1107, 1114, 1121, 1128]
    assert [s.peak_ns for s in use.steps] == [3000, 13000, 23000, 33000]
    assert [int(totals[s.last]) for s in use.steps] == [1007, 1014, 1021, 1028]
    assert [(s.allocations, s.allocated_in_step, s.frees, s.freed_in_step) for s in use.steps] == [
        (2, 107, 1, 100)
    ] * 4
    assert use.highest is not None
    assert use.highest.index == 3
    assert use.peaks_bytes == {0: 1107, 1: 1114, 2: 1121, 3: 1128}


def test_a_step_that_only_frees_has_its_peak_at_its_start() -> None:
    use = use_of(remember(STEPS, [Mem(1, 1, 100), Mem(12, 1, -60), Mem(13, 2, 10)]))
    assert (use.steps[1].peak, use.steps[1].peak_ns) == (1, 10_000)


def test_growth_compares_the_ends_of_steps() -> None:
    growth = use_of(remember(STEPS, leaking(7))).growth
    assert growth is not None
    assert (growth.steps, growth.growths, growth.every_step) == ([1, 2, 3], [7, 7, 7], True)
    assert [(k.blocks, k.size_bytes) for k in growth.kept] == [(2, 14)]


def test_memory_between_the_steps_belongs_to_the_growth_of_the_next() -> None:
    between = [Mem(9.5, 99, 40)]
    growth = use_of(remember(STEPS, [*leaking(7), *between])).growth
    assert growth is not None
    assert growth.growths == [47, 7, 7]


def test_steady_steps_do_not_grow() -> None:
    growth = use_of(remember(STEPS, leaking(0))).growth
    assert growth is not None
    assert (growth.growths, growth.every_step, growth.kept) == ([0, 0, 0], False, [])


def test_growth_needs_three_averaged_steps_after_averaged_ones() -> None:
    trace = remember(STEPS, leaking(7))
    assert use_of(trace, averaged=(1, 2, 3)).growth is None
    assert [s.growth for s in use_of(trace).steps] == [None, 7, 7, 7]


def test_reserved_memory_beyond_the_peak() -> None:
    big = 3 * SMALL_BLOCK_BYTES
    events = [
        Mem(1, 1, big, reserved_bytes=4 * big),
        Mem(12, 2, big, reserved_bytes=5 * big),  # three such blocks were free
        Mem(22, 3, 100, reserved_bytes=6 * big),  # small blocks have pools of their own
    ]
    use = use_of(remember(STEPS, events))
    assert use.unused_bytes == 3 * big
    assert use.reserved_growth_bytes == 2 * big
    assert use.reserved_despite_room == 1


def test_reserved_memory_that_was_needed_is_no_sign_of_pieces() -> None:
    big = 3 * SMALL_BLOCK_BYTES
    events = [Mem(1, 1, big, reserved_bytes=big), Mem(12, 2, big, reserved_bytes=2 * big)]
    use = use_of(remember(STEPS, events))
    assert (use.unused_bytes, use.reserved_despite_room) == (0, 0)


def test_a_long_curve_keeps_its_extremes() -> None:
    random = np.random.default_rng(7)
    events = [Mem(i / 100, i, int(s)) for i, s in enumerate(random.integers(1, 1000, 3000))]
    for i in range(0, 2990, 2):
        events.append(Mem(events[i].time_us + 0.001, i, -events[i].size_bytes))
    use = use_of(remember(STEPS, sorted(events)))
    totals = use.allocator.allocated_bytes
    assert totals is not None
    assert len(use.curve) <= MAX_CURVE_POINTS
    assert totals[use.curve].max() == totals[1:].max()
    assert totals[use.curve].min() == totals[1:].min()


def test_a_short_curve_is_complete() -> None:
    assert use_of(remember(STEPS, leaking(7))).curve.tolist() == list(range(1, 13))


def test_a_recording_without_steps_is_one_unit() -> None:
    use = use_of(remember("us  :0    5\ncpu :[a_op ]", [Mem(1, 1, 5), Mem(30, 2, 5)]), averaged=(0,))
    (step,) = use.steps
    assert (step.first, step.last, step.peak, step.growth) == (0, 2, 2, None)
