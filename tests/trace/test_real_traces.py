"""Every real trace reads, and gives exactly what the slow oracle gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.trace.oracle import Row, events_of, rows_of

EXECUTION_GRAPHS = ("astrasim__eg.", "hta__execution_trace_benchmark_simple_add_et.")
PAIRS_OF_B_AND_E = "aiu__"
LARGEST_COMPARED_BYTES = 1_300_000


def files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.json.gz"))


def rows_from(trace: Trace) -> list[Row]:
    events = trace.events
    lanes = [trace.lanes[i] for i in events.lane.tolist()]
    return [
        Row(*values)
        for values in zip(
            events.ordinal.tolist(),
            events.start_ns.tolist(),
            events.duration_ns.tolist(),
            [trace.names[i] for i in events.name.tolist()],
            events.category.tolist(),
            [trace.processes[i] for i in events.process.tolist()],
            [lane.tid for lane in lanes],
            events.correlation.tolist(),
            events.external_id.tolist(),
            events.device.tolist(),
            events.size_bytes.tolist(),
            strict=True,
        )
    ]


def test_every_trace_reads_without_damage(shared_traces: Path) -> None:
    for file in files(shared_traces):
        if file.name.startswith(EXECUTION_GRAPHS):
            continue
        trace = read_trace(file)
        assert len(trace.events), file.name
        assert {problem.kind for problem in trace.meta.problems} <= {"top_level_array"}, file.name


def test_execution_graphs_are_refused_by_name(shared_traces: Path) -> None:
    for file in files(shared_traces):
        if file.name.startswith(EXECUTION_GRAPHS):
            with pytest.raises(TraceError, match="execution graph") as refusal:
                read_trace(file)
            assert refusal.value.kind == "not_a_trace"


def test_columns_equal_the_oracle(shared_traces: Path) -> None:
    for file in files(shared_traces):
        if file.name.startswith((*EXECUTION_GRAPHS, PAIRS_OF_B_AND_E)):
            continue
        if file.stat().st_size > LARGEST_COMPARED_BYTES:
            continue
        trace = read_trace(file)
        events = events_of(file)
        assert trace.meta.events_in_file == len(events)
        assert rows_from(trace) == rows_of(events), file.name


def test_arguments_are_those_of_the_file(shared_traces: Path) -> None:
    file = shared_traces / "hta__negative_queue_length_values_check_rank0.json.gz"
    trace = read_trace(file)
    events = events_of(file)
    for row in np.linspace(0, len(trace.events) - 1, 7, dtype=int).tolist():
        event = events[int(trace.events.ordinal[row])]
        assert trace.fetch_args(row) == event.get("args", {})
