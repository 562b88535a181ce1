"""Operators of a recording of this machine's PyTorch equal its own ``prof.key_averages()``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.report import explain_path

# Records in a process of its own: a profiler belongs to its process.
_RECORD = """
import json, sys
import torch
from torch.profiler import ProfilerActivity, profile, record_function

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.AdamW(model.parameters())
with profile(activities=[ProfilerActivity.CPU], **json.loads(sys.argv[1])) as prof:
    for _ in range(3):
        with record_function("batch"):
            x, y = torch.randn(16, 64), torch.randint(0, 8, (16,))
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss.item()
        torch.nonzero(x > 0)
        x.double().to(torch.float32).contiguous()
prof.export_chrome_trace(sys.argv[2])
rows = [(a.key, a.count, a.cpu_time_total, a.self_cpu_time_total) for a in prof.key_averages()]
print(json.dumps(rows))
"""


def _recorded(command: list[str]) -> subprocess.CompletedProcess[str]:
    """PyTorch 2.13 now and then reads the name of an event after its memory was given back."""
    for _ in range(3):
        finished = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if "UnicodeDecodeError" not in finished.stderr:
            break
    return finished


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{}, {"record_shapes": True}, {"with_stack": True, "profile_memory": True}]
)
def test_calls_total_and_self_time(tmp_path: Path, options: dict[str, Any]) -> None:
    pytest.importorskip("torch", reason="records with a real torch.profiler")
    file = tmp_path / "trace.json"
    command = [sys.executable, "-c", _RECORD, json.dumps(options), str(file)]
    finished = _recorded(command)
    assert finished.returncode == 0, finished.stderr
    theirs = {key: figures for key, *figures in json.loads(finished.stdout.splitlines()[-1])}
    section = explain_path(str(file)).operators
    assert section is not None
    assert len(section.rows) > 40
    for row in section.rows:
        calls, total, own = theirs[row.name]
        assert row.recorded.calls == calls
        assert row.recorded.cpu_total_us == pytest.approx(total, abs=0.01)
        assert row.recorded.cpu_self_us == pytest.approx(own, abs=0.01)
