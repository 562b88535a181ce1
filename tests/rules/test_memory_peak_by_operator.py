"""Who holds the memory at its peak."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from tests.memory_drawing import Mem, remember
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

MIB = 2**20
STEP = """
    us  :0    5    10   15   20
    step:[1                   ]
    cpu :[aten::mm][aten::add]
"""


def test_the_largest_holder_is_named() -> None:
    events = [Mem(2, 1, 60 * MIB), Mem(3, 2, 10 * MIB), Mem(15, 3, 20 * MIB), Mem(17, 1, -60 * MIB)]
    finding = found("memory-peak-by-operator", remember(STEP, events, before_bytes=10 * MIB))
    assert finding.verdict == "expected"
    assert finding.title == "aten::mm holds 70.0 % of the memory peak of 100 MiB"
    assert "10.0 % of it was allocated before the recording" in finding.text
    assert table(finding) == [
        ["aten::mm", 2, 70 * MIB],
        ["aten::add", 1, 20 * MIB],
        ["before the recording", None, 10 * MIB],
    ]


def test_what_is_older_than_the_recording_is_said_to_be() -> None:
    finding = found("memory-peak-by-operator", remember(STEP, [Mem(2, 1, MIB)], before_bytes=9 * MIB))
    assert finding.title == "90.0 % of the memory peak of 10.0 MiB is older than the recording"


def test_cpu_memory_counts_from_the_start_of_the_recording() -> None:
    events = [Mem(2, 1, 2 * MIB), Mem(30, 2, 5)]
    finding = found("memory-peak-by-operator", remember(STEP, events, device_type=0, device=-1))
    assert finding.title == "aten::mm holds 100 % of the memory peak of 2.00 MiB"
    assert "of the CPU" in finding.text
    assert "only from the start of the recording" in finding.text


def test_little_memory_interests_nobody() -> None:
    assert ask("memory-peak-by-operator", remember(STEP, [Mem(2, 1, 100)])) == []


def test_without_totals_or_events_it_cannot_tell() -> None:
    assert_not_measured("memory-peak-by-operator", draw(STEP), "no memory event")
    trace = remember(STEP, [Mem(2, 1, 100)])
    memory = replace(trace.details.memory, allocated_bytes=np.array([-1]))
    blind = replace(trace, details=replace(trace.details, memory=memory))
    assert_not_measured("memory-peak-by-operator", blind, "tells the allocator’s total")
