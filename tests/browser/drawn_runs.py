"""Small traces of unusual extent, written for the browser: many steps, many devices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_STEP_US = 1000


def _step(number: int, devices: int) -> Iterator[dict[str, Any]]:
    start = number * _STEP_US
    thread = {"ph": "X", "pid": 1, "tid": 1}
    yield thread | {
        "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": start, "dur": _STEP_US - 10,
    }  # fmt: skip
    for device in range(devices):
        link, at = number * devices + device + 1, start + 40 * device
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": {"correlation": link}}
        yield thread | call | {"ts": at + 10, "dur": 5}
        args = {"device": device, "stream": 7, "correlation": link}
        yield {
            "ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_tn", "pid": device, "tid": 7,
            "ts": at + 30, "dur": 400, "args": args,
        }  # fmt: skip


def write_run(path: Path, steps: int, devices: int) -> None:
    """A trace of so many steps, in each of which every device runs one kernel."""
    events = [event for number in range(1, steps + 1) for event in _step(number, devices)]
    properties = [{"id": device, "name": "GPU"} for device in range(devices)]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"deviceProperties": properties, "traceEvents": events}))
