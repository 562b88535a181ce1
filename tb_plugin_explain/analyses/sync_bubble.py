"""The refill bubble: the idle time of a device that a wait of the CPU caused, and no more.

docs/definitions.md, ``sync.bubble_us``: without the wait [s, r) the CPU would have launched the
next work at most r - s earlier. Only this is called recoverable, never the whole wait.
"""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_calls import Waits
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
    recording: Recording, waits: Waits, chosen: Bools, process: int, on_device: Bools
) -> tuple[Int64s, Int64s]:
    gpu = recording.gpu
    own = on_device & (gpu.process == process)
    free = on_device & ~gpu.linked
    mine = chosen & (waits.process == process)
    s, r = waits.start_ns[mine], waits.end_ns[mine]
    d = np.maximum(
        last_end_before(gpu.launch_start_ns[own], gpu.end_ns[own], r),
        last_end_before(gpu.start_ns[free], gpu.end_ns[free], r),
    )
    n = _first_start_from(gpu.launch_start_ns[own], gpu.start_ns[own], r)
    real = (d > s) & (d <= r + CLOCK_TOLERANCE_NS) & (n != _NEVER)
    s, r, d, n = s[real], r[real], d[real], n[real]
    return d, np.minimum(n, d + r - s)


def find_bubbles(recording: Recording, waits: Waits, chosen: Bools) -> dict[int, Spans]:
    """The bubbles of the chosen waits, as one set of time a device."""
    gpu = recording.gpu
    bubbles = {}
    for device in gpu.devices:
        on_device = gpu.device == device
        pairs = [_bubbles_of(recording, waits, chosen, int(p), on_device) for p in np.unique(waits.process)]
        starts = np.concatenate([p[0] for p in pairs] or [np.zeros(0, np.int64)])
        ends = np.concatenate([p[1] for p in pairs] or [np.zeros(0, np.int64)])
        bubbles[device] = union(starts, ends)
    return bubbles
