"""Memory events in order, the blocks that they make, and what was live."""

from __future__ import annotations

from tb_plugin_explain.analyses.memory_events import find_allocators
from tb_plugin_explain.trace.model import Trace
from tests.memory_drawing import Mem, allocator_of, remember
from tests.trace_drawing import draw

STEP = """
    us  :0    5    10   15   20
    step:[1                    ]
    cpu : [aten::mm ][aten::add]
"""


def live(trace: Trace, state: int) -> tuple[list[tuple[str | None, int, int]], int, int]:
    found = allocator_of(trace).live(state)
    names = [trace.names[r.operator] if r.operator >= 0 else None for r in found.by_operator]
    rows = [(n, r.blocks, r.size_bytes) for n, r in zip(names, found.by_operator, strict=True)]
    return rows, found.before_recording_bytes, found.unaccounted_bytes


def test_blocks_belong_to_the_operator_that_ran_when_they_were_allocated() -> None:
    trace = remember(STEP, [Mem(2, 1, 100), Mem(3, 2, 50), Mem(15, 3, 80), Mem(25, 4, 7)], before_bytes=1000)
    assert live(trace, 4) == ([("aten::mm", 2, 150), ("aten::add", 1, 80), (None, 1, 7)], 1000, 0)
    assert live(trace, 2) == ([("aten::mm", 2, 150)], 1000, 0)


def test_a_block_lives_until_it_is_freed() -> None:
    trace = remember(STEP, [Mem(2, 1, 100), Mem(14, 1, -100), Mem(15, 1, 60)])
    assert live(trace, 1) == ([("aten::mm", 1, 100)], 0, 0)
    assert live(trace, 2) == ([], 0, 0)
    assert live(trace, 3) == ([("aten::add", 1, 60)], 0, 0)


def test_a_free_of_an_unknown_block_frees_what_was_there_before() -> None:
    trace = remember(STEP, [Mem(2, 1, 100), Mem(3, 9, -300)], before_bytes=1000)
    assert live(trace, 1) == ([("aten::mm", 1, 100)], 1000, 0)
    assert live(trace, 2) == ([("aten::mm", 1, 100)], 700, 0)


def test_a_free_that_is_not_in_the_file_is_unaccounted_for() -> None:
    trace = remember(STEP, [Mem(2, 1, 100), Mem(15, 1, 60)])
    assert live(trace, 2) == ([("aten::add", 1, 60)], 0, 100)


def test_events_are_taken_by_time_and_then_by_their_place_in_the_file() -> None:
    allocator = allocator_of(remember(STEP, [Mem(9, 1, 5), Mem(2, 2, 3), Mem(9, 1, -5)], before_bytes=10))
    assert allocator.size_bytes.tolist() == [3, 5, -5]
    assert allocator.allocated_bytes is not None
    assert allocator.allocated_bytes.tolist() == [10, 13, 18, 13]
    assert [allocator.state_at(t) for t in (0, 2000, 2001, 9000, 9001)] == [0, 0, 1, 1, 3]


def test_out_of_memory_is_counted_and_changes_nothing() -> None:
    failed = Mem(3, 0, 10**9, name="[OutOfMemory]")
    allocator = allocator_of(remember(STEP, [Mem(2, 1, 100), failed]))
    assert (len(allocator), allocator.out_of_memory) == (1, 1)


def test_reserved_memory_that_is_always_zero_is_not_recorded() -> None:
    assert allocator_of(remember(STEP, [Mem(2, 1, 100)], device_type=0, device=-1)).reserved_bytes is None
    kept = allocator_of(remember(STEP, [Mem(2, 1, 100, reserved_bytes=512)])).reserved_bytes
    assert kept is not None
    assert kept.tolist() == [512, 512]


def test_a_trace_without_memory_events_has_no_allocator() -> None:
    assert find_allocators(draw(STEP)) == []
