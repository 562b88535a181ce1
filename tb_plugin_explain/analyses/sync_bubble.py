"""The refill bubble: the idle time of a device that a wait of the CPU caused, and no more.

docs/definitions.md, ``sync.bubble_us``: without the wait [s, r) the CPU would have launched the
next work at most r - s earlier. Only this is called recoverable, never the whole wait.
"""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_calls import Waits
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Int64s
from tb_plugin_explain.trace.spans import Spans, union

# The clocks of CPU and GPU agree to about this much; later than that, the device was not waited for.
CLOCK_TOLERANCE_NS = 20_000

_NEVER = np.iinfo(np.int64).max
_ALWAYS = np.iinfo(np.int64).min


def last_end_before(start_ns: Int64s, end_ns: Int64s, time_ns: Int64s) -> Int64s:
    """For each instant the last end of what began before it; the lowest integer where nothing did."""
    order = np.argsort(start_ns, kind="stable")
    reach = np.concatenate(([_ALWAYS], np.maximum.accumulate(end_ns[order])))
    return reach[np.searchsorted(start_ns[order], time_ns, side="left")]


def _first_start_from(launch_ns: Int64s, start_ns: Int64s, time_ns: Int64s) -> Int64s:
    """For each instant the first start of what was launched from then on; the highest where nothing was."""
    order = np.argsort(launch_ns, kind="stable")
    first = np.minimum.accumulate(start_ns[order][::-1])[::-1]
    return np.concatenate((first, [_NEVER]))[np.searchsorted(launch_ns[order], time_ns, side="left")]


def _bubbles_of(
    recording: Recording, waits: Waits, chosen: Int64s, process: int, on_device: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    gpu = recording.gpu
    own = on_device & (gpu.process == process)
    free = on_device & ~gpu.linked
    mine = chosen[waits.process[chosen] == process]
    s, r = waits.start_ns[mine], waits.end_ns[mine]
    d = np.maximum(
        last_end_before(gpu.launch_start_ns[own], gpu.end_ns[own], r),
        last_end_before(gpu.start_ns[free], gpu.end_ns[free], r),
    )
    n = _first_start_from(gpu.launch_start_ns[own], gpu.start_ns[own], r)
    real = (d > s) & (d <= r + CLOCK_TOLERANCE_NS) & (n != _NEVER)
    s, r, d, n = s[real], r[real], d[real], n[real]
    return mine[real], d, np.minimum(n, d + r - s)


def bubbles_of_waits(
    recording: Recording, waits: Waits, chosen: Bools, device: int
) -> tuple[Int64s, Int64s, Int64s]:
    """Start and end of the bubble on one device of each chosen wait that makes one.

    The first array holds the positions of these waits; a bubble may be empty.
    """
    on_device, positions = recording.gpu.device == device, np.flatnonzero(chosen)
    found = [
        _bubbles_of(recording, waits, positions, int(p), on_device) for p in distinct(waits.process)
    ] or [(positions, positions, positions)]
    index, start, end = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return index, start, end


def find_bubbles(recording: Recording, waits: Waits, chosen: Bools) -> dict[int, Spans]:
    """The bubbles of the chosen waits, as one set of time a device."""
    return {
        device: union(*bubbles_of_waits(recording, waits, chosen, device)[1:])
        for device in recording.gpu.devices
    }
