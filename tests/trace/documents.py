"""Small trace files for the tests of the reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace


def event(**fields: Any) -> dict[str, Any]:
    """A complete CPU operator, changed by ``fields``."""
    return {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 2, "ts": 10.5, "dur": 2, **fields}


def read_text(directory: Path, text: str | bytes, **options: Any) -> Trace:
    """The trace of a file with this text."""
    file = directory / "trace.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_trace(file, **options)


def read_events(directory: Path, *events: Any, **keys: Any) -> Trace:
    """The trace of a document with these events and other keys."""
    return read_text(directory, json.dumps({**keys, "traceEvents": events}))


def problems(trace: Trace) -> dict[str, int]:
    """The count of each problem that reading had."""
    return {problem.kind: problem.count for problem in trace.meta.problems}


def names(trace: Trace) -> list[str]:
    """The name of each row."""
    return [trace.name_of(row) for row in range(len(trace.events))]
