"""Files that are no ordinary files, and texts that once took quadratic time."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.reader import read_trace

EVENT = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}


def written(directory: Path, text: str) -> str:
    file = directory / "trace.json"
    file.write_text(text)
    return str(file)


def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "trace.json")
    with pytest.raises(TraceError, match="no ordinary file"):
        read_trace(str(tmp_path / "trace.json"))


def test_a_device_is_refused() -> None:
    with pytest.raises(TraceError, match="no ordinary file"):
        read_trace("/dev/zero")


@pytest.mark.parametrize("key", ["deviceProperties", "baseTimeNanoseconds", "distributedInfo", "with_stack"])
def test_a_number_that_no_float_holds_tells_nothing(tmp_path: Path, key: str) -> None:
    text = json.dumps({"traceEvents": [EVENT]}).replace("{", f'{{"{key}": 1e400, ', 1)
    assert len(read_trace(written(tmp_path, text)).events) == 1


@pytest.mark.parametrize("filler", ["{},", '"",', "1,"])
def test_entries_that_are_no_events_cost_linear_time(tmp_path: Path, filler: str) -> None:
    text = f'{{"traceEvents": [{filler * 200_000}{json.dumps(EVENT)}]}}'
    began = time.process_time()
    assert len(read_trace(written(tmp_path, text)).events) == 1
    assert time.process_time() - began < 15


def test_times_that_no_difference_would_fit_are_no_times(tmp_path: Path) -> None:
    far = [{**EVENT, "ts": -9.2e15}, {**EVENT, "ts": 9.2e15}, EVENT]
    trace = read_trace(written(tmp_path, json.dumps({"traceEvents": far})))
    assert trace.events.start_ns.tolist() == [1000]
