"""The device window of a step: from the end of the earlier steps' work to the end of its own.

docs/definitions.md, "Device window". Invariant: idle + other work + own work = period.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.trace.spans import Spans


class DeviceWindow(Struct, frozen=True, eq=False):
    """``[low_ns, high_ns)`` on one device; empty where low >= high.

    first: the process's first step with work there; its window opens with the recording.
    work: positions in ``GpuWork`` of the step's events on the device.
    """

    device: int
    low_ns: int
    high_ns: int
    first: bool
    work: Int64s

    @property
    def length_ns(self) -> int:
        return max(self.high_ns - self.low_ns, 0)

    @property
    def period_ns(self) -> int | None:
        """What the step cost the device; None for the first, whose window has no known start."""
        return None if self.first else self.length_ns


def find_device_windows(recording: Recording) -> Sequence[Sequence[DeviceWindow]]:
    """The windows of each step, one a device on which it had work."""
    gpu = recording.gpu
    reached: dict[tuple[int | None, int], int] = {}
    windows: list[list[DeviceWindow]] = []
    for index, step in enumerate(recording.steps):
        work = recording.gpu_of_step[index]
        windows.append([])
        for device in distinct(gpu.device[work]).tolist():
            mine = work[gpu.device[work] == device]
            begin, high = int(gpu.start_ns[mine].min()), int(gpu.end_ns[mine].max())
            key = (step.process, device)
            first = key not in reached
            opens = begin if step.number is None else min(begin, step.start_ns)
            low = opens if first else reached[key]
            reached[key] = max(high, reached.get(key, high))
            windows[-1].append(DeviceWindow(device, low, high, first, mine))
    return windows


def other_work_ns(window: DeviceWindow, own: Spans, all_work: Spans) -> int:
    """Time in the window when only work of other steps, or of none, ran."""
    low, high = np.array([window.low_ns]), np.array([window.high_ns])
    return int((all_work.covered(low, high) - own.covered(low, high))[0])
