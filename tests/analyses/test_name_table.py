"""Names with their counts and times, on drawn and on real traces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tb_plugin_explain.analyses.name_table import count_names
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.trace.reader import read_trace
from tests.trace_drawing import draw

TRACE = """
    step:[1       ][2       ]
    cpu :[a] [op  ][a][op   ]
    cpu :     [b]
    s7  :   [a ]      [a   ]
    s7  :        [b]
"""
NAMES = {"a": "add_kernel", "b": "aten::add"}


def test_names_of_one_category_are_counted_and_their_times_summed() -> None:
    found = {(n.name, n.category): n for n in count_names(draw(TRACE, names=NAMES))}
    kernels = found["add_kernel", Category.KERNEL]
    assert (kernels.count, kernels.total_ns) == (2, 10_000)
    # The same name on a GPU lane and on a thread is two things.
    assert found["aten::add", Category.KERNEL].count == 1
    assert (found["aten::mm", Category.CPU_OP].count, found["aten::mm", Category.CPU_OP].total_ns) == (
        2,
        13_000,
    )


def test_the_steps_are_one_name() -> None:
    (steps,) = [n for n in count_names(draw(TRACE, names=NAMES)) if n.category is Category.ANNOTATION]
    assert (steps.name, steps.count) == ("ProfilerStep#N", 2)


def test_the_most_time_comes_first_and_every_event_counts_once() -> None:
    trace = draw(TRACE, names=NAMES)
    found = count_names(trace)
    times = [n.total_ns for n in found]
    assert times == sorted(times, reverse=True)
    assert sum(n.count for n in found) == len(trace.events)


def test_a_trace_without_events_has_no_names() -> None:
    assert count_names(draw("cpu :")) == []


@pytest.mark.parametrize(
    "name", ["luatil__trace_05.json.gz", "hta__mtia_trace_single_rank_mtia_rank_0.json.gz"]
)
def test_real_traces_are_counted_whole(name: str, shared_traces: Path) -> None:
    trace = read_trace(str(shared_traces / name))
    found = count_names(trace)
    assert sum(n.count for n in found) == len(trace.events)
    lasting = np.maximum(trace.events.duration_ns, 0)
    assert sum(n.total_ns for n in found) == int(lasting.sum())
