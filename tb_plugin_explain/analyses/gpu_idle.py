"""What kept a device idle in a step's device window, instant by instant.

docs/definitions.md, ``gpu[].idle_by_cause`` and ``gpu[].host_by``.
Invariants: the causes sum to the idle time; the parts of ``host_by`` sum to ``host``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.analyses.host_activity import CLASSES, HostActivity, ThreadActivity, measure
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.trace.spans import Spans, subtract, union

CAUSES = ("profiler", "sync_bubble", "input", "host", "dependency", "launch", "unknown")
HOST_CLASSES = (*CLASSES[1:], "python")

# Longer than any launch takes; what remains of a gap beyond it is lost events or another process.
LONGEST_LAUNCH_NS = 100_000


class GpuIdle(Struct, frozen=True):
    """Idle time in ns, by cause and, for the cause ``host``, by what the host did."""

    idle_ns: int
    by_cause: Mapping[str, int]
    host_by: Mapping[str, int]


def _before_launch(gaps: Gaps, taken: Spans, host: HostActivity, stepping: ThreadActivity) -> Counter[str]:
    """What the launching threads did before L, without the time that other causes took."""
    spent: Counter[str] = Counter()
    until = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    for lane in distinct(gaps.lane[gaps.linked]).tolist():
        mine = gaps.linked & (gaps.lane == lane)
        when = subtract(union(gaps.start_ns[mine], until[mine]), taken)
        classes = Counter(dict(measure(when, host.of_thread(lane), stepping)))
        classes["python"] = when.length_ns - classes.total()
        spent += classes
    return spent


def _from_launch(gaps: Gaps, taken: Spans, host: HostActivity) -> tuple[Counter[str], Int64s]:
    """What the launch calls took between L and C, and where C lies in each gap."""
    spent: Counter[str] = Counter()
    begin = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    ready = np.where(gaps.linked, np.clip(gaps.ready_ns, begin, gaps.end_ns), gaps.end_ns)
    for lane in distinct(gaps.lane[gaps.linked]).tolist():
        mine = gaps.linked & (gaps.lane == lane)
        when = subtract(union(begin[mine], ready[mine]), taken)
        loading = int(host.of_thread(lane).loading.covered(when.start_ns, when.end_ns).sum())
        spent["loading"] += loading
        spent["launch_call"] += when.length_ns - loading
    return spent, ready


def _rest(gaps: Gaps, ready_ns: Int64s, taken: Spans) -> Counter[str]:
    """What remains after C goes, whole, to one cause a gap."""
    rest = gaps.end_ns - ready_ns - taken.covered(ready_ns, gaps.end_ns)
    lost = rest > LONGEST_LAUNCH_NS
    dependent = ~lost & gaps.dependent & (gaps.ready_ns <= gaps.start_ns)
    return Counter(
        unknown=int(rest[lost].sum()),
        dependency=int(rest[dependent].sum()),
        launch=int(rest[~lost & ~dependent].sum()),
    )


def analyze(
    gaps: Gaps, profiler: Spans, taken: Spans, host: HostActivity, stepping: ThreadActivity
) -> GpuIdle:
    """Splits the gaps of one window.

    ``profiler``: when the profiler worked, at any time; ``taken``: that, or the bubbles of waits.
    ``stepping``: the thread that made the steps.
    """
    causes: Counter[str] = Counter(dict.fromkeys(CAUSES, 0))
    length = gaps.end_ns - gaps.start_ns
    in_profiler = profiler.covered(gaps.start_ns, gaps.end_ns)
    in_taken = taken.covered(gaps.start_ns, gaps.end_ns)
    causes["profiler"] = int(in_profiler.sum())
    causes["sync_bubble"] = int((in_taken - in_profiler).sum())
    causes["unknown"] = int((length - in_taken)[~gaps.linked].sum())
    host_by, ready = _from_launch(gaps, taken, host)
    host_by.update(_before_launch(gaps, taken, host, stepping))
    causes["input"] = host_by.pop("input", 0)
    causes["host"] = host_by.total()
    causes.update(_rest(gaps, ready, taken))
    return GpuIdle(int(length.sum()), causes, {name: host_by[name] for name in HOST_CLASSES})
