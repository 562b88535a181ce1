"""What holds of memory, input and the profiler's cost on every recorded trace."""

from __future__ import annotations

from pathlib import Path

from tb_plugin_explain.analyses.memory_use import MAX_CURVE_POINTS
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report.sections import input as pipeline
from tb_plugin_explain.report.sections import memory, profiler_cost
from tb_plugin_explain.report_sections.input import InputPipeline
from tb_plugin_explain.report_sections.memory import DeviceMemory, LiveMemory
from tb_plugin_explain.report_sections.profiler_cost import ProfilerCost
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace


def total(live: LiveMemory) -> int:
    listed = sum(row.bytes for row in live.by_operator)
    return listed + live.others.bytes + live.before_recording_bytes + live.unaccounted_bytes


def assert_sums(device: DeviceMemory) -> None:
    assert len(device.steps) + device.steps_left_out <= device.events
    if device.curve is not None:
        assert len(device.curve.time_us) == len(device.curve.allocated_bytes) <= MAX_CURVE_POINTS
        assert list(device.curve.time_us) == sorted(device.curve.time_us)
    for step in device.steps:
        assert step.allocated_bytes_in_step >= 0
        if step.live is None:
            continue
        assert total(step.live) == step.peak_bytes
        assert step.start_bytes is not None
        assert step.end_bytes is not None
        # No file at hand lost a memory event.
        assert step.live.unaccounted_bytes == 0
        assert step.start_bytes + step.allocated_bytes_in_step - step.freed_bytes_in_step == step.end_bytes
    if device.peak is not None and device.curve is not None:
        assert total(device.peak.live) == device.peak.peak_bytes
        assert device.peak.peak_bytes == max(s.peak_bytes or 0 for s in device.steps if s.averaged)


def assert_input(section: InputPipeline, run: RunAnalyses) -> None:
    for shown in section.steps:
        step = next(s for s in run.steps if s.step.number == shown.number)
        assert 0 <= shown.loader_us <= step.step.duration_ns / 1000
        assert (shown.copy_exposed_us or 0) <= (shown.copy_us or 0)
        assert (shown.pageable or 0) + (shown.pinned or 0) <= (shown.copies or 0)


def assert_cost(section: ProfilerCost, run: RunAnalyses) -> None:
    for kind in section.overhead:
        assert kind.longest_us <= kind.total_us
        assert kind.outside_us <= kind.total_us
    for shown in section.steps:
        step = next(s for s in run.steps if s.step.number == shown.number)
        assert shown.overhead_us <= step.step.duration_ns / 1000
        assert (shown.idle_us or 0) <= sum(g.idle.idle_ns for g in step.gpu) / 1000


def test_parts_sum_to_their_wholes_on_every_recorded_trace(shared_traces: Path) -> None:
    devices = inputs = 0
    for path in sorted(shared_traces.glob("*.json.gz")):
        try:
            run = RunAnalyses(read_trace(path))
        except TraceError:
            continue
        remembered, fed, cost = memory.build(run), pipeline.build(run), profiler_cost.build(run)
        for device in remembered.devices if remembered else ():
            assert_sums(device)
            devices += 1
        if fed is not None:
            assert_input(fed, run)
            inputs += 1
        if cost is not None:
            assert_cost(cost, run)
    assert (devices, inputs) >= (10, 15)
