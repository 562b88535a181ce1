"""Memory figures of a fresh recording beside what PyTorch itself says of the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.report.sections import memory
from tb_plugin_explain.report_sections.memory import DeviceMemory
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace

MIB = 2**20
STEPS = 6


def record(directory: Path, step: Any) -> tuple[DeviceMemory, RunAnalyses, Any]:
    """The CPU's memory in a recording of ``STEPS`` steps, with the profiler that made it."""
    torch = pytest.importorskip("torch", reason="records with a real torch.profiler")
    profiler = torch.profiler
    file = directory / "recorded.pt.trace.json"
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU],
        schedule=profiler.schedule(wait=0, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(str(file)),
        profile_memory=True,
    ) as recorded:
        for _ in range(STEPS + 1):
            step(torch)
            recorded.step()
    run = RunAnalyses(read_trace(file))
    section = memory.build(run)
    assert section is not None
    (device,) = section.devices
    return device, run, recorded


@pytest.mark.torch
def test_known_tensors_make_the_known_peak(tmp_path: Path) -> None:
    def step(torch: Any) -> None:
        first = torch.empty(1 * MIB, dtype=torch.uint8)
        second = torch.empty(2 * MIB, dtype=torch.uint8)
        del first
        third = torch.zeros(4 * MIB, dtype=torch.uint8)
        del second, third

    device, _, _ = record(tmp_path, step)
    assert [s.peak_bytes for s in device.steps] == [6 * MIB] * STEPS
    assert [s.growth_bytes for s in device.steps] == [None] + [0] * (STEPS - 1)
    assert device.peak is not None
    holders = {row.operator: row.bytes for row in device.peak.live.by_operator}
    assert holders == {"aten::empty": 6 * MIB}  # aten::zeros allocates through aten::empty
    assert (device.peak.live.before_recording_bytes, device.peak.live.unaccounted_bytes) == (0, 0)


@pytest.mark.torch
def test_what_is_allocated_and_freed_sums_to_what_key_averages_says(tmp_path: Path) -> None:
    kept: list[Any] = []

    def step(torch: Any) -> None:
        weight = torch.randn(64, 64, requires_grad=True)
        loss = (torch.randn(32, 64) @ weight).relu().sum()
        loss.backward()
        kept.append(loss)

    device, _, recorded = record(tmp_path, step)
    start, end = device.steps[0].start_bytes, device.steps[-1].end_bytes
    assert start is not None
    assert end is not None
    own = sum(event.self_cpu_memory_usage for event in recorded.key_averages())
    assert end - start == own != 0


@pytest.mark.torch
def test_a_real_leak_is_found_and_a_steady_run_is_not_accused(tmp_path: Path) -> None:
    kept: list[Any] = []

    def leak(torch: Any) -> None:
        kept.append(torch.zeros(MIB, dtype=torch.uint8))

    def steady(torch: Any) -> None:
        torch.zeros(MIB, dtype=torch.uint8)

    device, _, _ = record(tmp_path, leak)
    assert device.growth is None or device.growth.smallest_bytes == MIB
    assert [s.growth_bytes for s in device.steps[1:]] == [MIB] * (STEPS - 1)
    _, run, _ = record(tmp_path, steady)
    assert all(use.growth is None or not use.growth.every_step for use in run.memory)
    assert all(s.growth in (None, 0) for use in run.memory for s in use.steps)
