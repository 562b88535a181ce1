"""Section ``memory``."""

from __future__ import annotations

from pathlib import Path

import tb_plugin_explain
from tb_plugin_explain.report.sections import memory
from tb_plugin_explain.report_sections.memory import DeviceMemory
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace
from tests.memory_drawing import Mem, remember
from tests.trace_drawing import draw

SAMPLES = Path(tb_plugin_explain.__file__).parent / "samples"
STEPS = """
    us  :0    5    10   15   20
    step:[1      ] [2      ]
    cpu : [a_op ]   [b_op ]
"""


def only(section: object) -> DeviceMemory:
    assert section is not None
    (device,) = section.devices  # type: ignore[attr-defined]
    assert isinstance(device, DeviceMemory)
    return device


def test_a_device_of_two_steps() -> None:
    events = [Mem(2, 1, 100, 512), Mem(12, 2, 50, 512), Mem(13, 1, -100, 512), Mem(14, 3, 10, 1024)]
    device = only(memory.build(RunAnalyses(remember(STEPS, events, before_bytes=1000))))
    assert (device.device_type, device.device, device.since_recording) == ("cuda", 0, False)
    assert (device.events, device.allocations, device.frees) == (4, 3, 1)
    assert device.curve is not None
    assert device.curve.time_us == [2, 12, 13, 14]
    assert device.curve.allocated_bytes == [1100, 1150, 1050, 1060]
    assert device.curve.reserved_bytes == [512, 512, 512, 1024]
    first, second = device.steps
    assert (first.start_bytes, first.peak_bytes, first.end_bytes, first.growth_bytes) == (
        1000,
        1100,
        1100,
        None,
    )
    assert (second.start_bytes, second.peak_bytes, second.peak_us, second.end_bytes) == (1100, 1150, 12, 1060)
    assert (second.growth_bytes, second.reserved_at_peak_bytes, second.peak_reserved_bytes) == (
        -40,
        512,
        1024,
    )
    assert device.peak is not None
    assert (device.peak.step, device.peak.peak_bytes) == (2, 1150)
    assert [(r.operator, r.bytes) for r in device.peak.live.by_operator] == [("a_op", 100), ("b_op", 50)]
    assert device.not_measured == {"growth": "fewer than three steps follow a step to compare with"}


def test_cpu_memory_has_no_reserve() -> None:
    device = only(memory.build(RunAnalyses(remember(STEPS, [Mem(2, 1, 100)], device_type=0, device=-1))))
    assert (device.device_type, device.device, device.since_recording) == ("cpu", None, True)
    assert device.curve is not None
    assert device.curve.reserved_bytes is None
    assert "reserved" in device.not_measured


def test_without_memory_events_there_is_no_section() -> None:
    assert memory.build(RunAnalyses(draw(STEPS))) is None


def test_the_sample_with_memory() -> None:
    (file,) = (SAMPLES / "mlp_memory_stacks").iterdir()
    device = only(memory.build(RunAnalyses(read_trace(file))))
    assert (device.events, device.device_type) == (941, "cpu")
    assert [s.peak_bytes for s in device.steps] == [1127992] * 5
    assert [s.growth_bytes for s in device.steps] == [None, 0, 0, 0, 0]
    # A hidden layer of 256 × 256 floats: each gradient and each of AdamW's temporaries is 262,144 bytes.
    assert device.peak is not None
    assert device.peak.live.by_operator[0].bytes >= 2 * 262144
