"""A wait in one of two steps is no 0 waits in a typical one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tb_plugin_explain.report import explain_path


def _event(category: str, name: str, start_us: int, length_us: int, **args: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 1,
        "tid": 1,
        "ts": start_us,
        "dur": length_us,
        "args": args,
    }


def test_half_a_call_a_step_is_told_as_one(tmp_path: Path) -> None:
    events = [_event("cuda_runtime", "cudaStreamSynchronize", 1020, 800)]
    for number in (0, 1):
        begin = 1000 * number
        events.append(_event("user_annotation", f"ProfilerStep#{number}", begin, 1000))
        events.append(_event("cuda_runtime", "cudaLaunchKernel", begin + 5, 3, correlation=number + 1))
        events.append(_event("kernel", "gemm", begin + 20, 900, correlation=number + 1, device=0, stream=7))
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"traceEvents": events}))
    (finding,) = [f for f in explain_path(str(file)).findings if f.rule == "waits-in-steps"]
    assert "makes 1 call that waits for the GPU" in finding.text
