"""When a device idled for which cause: the intervals behind ``gpu_idle``.

docs/definitions.md, ``gpu[].idle_by_cause``. Invariants: the sets are disjoint; their lengths are the
times of ``gpu_idle.analyze``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.analyses.gpu_idle import CAUSES, LONGEST_LAUNCH_NS
from tb_plugin_explain.analyses.host_activity import HostActivity, ThreadActivity
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.trace.spans import Spans, intersect, nothing, subtract, union, unite


def _input(before: Spans, thread: ThreadActivity, stepping: ThreadActivity) -> Spans:
    """The part of a time that the data loader had, on the thread or, where it did nothing, on the other."""
    uncovered = subtract(before, thread.covered)
    return unite(intersect(before, thread.doing["input"]), intersect(uncovered, stepping.doing["input"]))


def _until_ready(
    gaps: Gaps, ready_ns: Int64s, taken: Spans, host: HostActivity, stepping: ThreadActivity
) -> Iterator[tuple[str, Spans]]:
    """Before C: the data loader's time, and the host's."""
    launched = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    for lane in distinct(gaps.lane[gaps.linked]).tolist():
        mine = gaps.linked & (gaps.lane == lane)
        before = subtract(union(gaps.start_ns[mine], launched[mine]), taken)
        loader = _input(before, host.of_thread(lane), stepping)
        yield "input", loader
        yield "host", subtract(before, loader)
        yield "host", subtract(union(launched[mine], ready_ns[mine]), taken)


def analyze(
    gaps: Gaps, profiler: Spans, taken: Spans, host: HostActivity, stepping: ThreadActivity
) -> Mapping[str, Spans]:
    """The set of each cause; the arguments are those of ``gpu_idle.analyze``."""
    launched = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    ready = np.where(gaps.linked, np.clip(gaps.ready_ns, launched, gaps.end_ns), gaps.end_ns)
    idle = union(gaps.start_ns, gaps.end_ns)
    rest = gaps.end_ns - ready - taken.covered(ready, gaps.end_ns)
    lost = rest > LONGEST_LAUNCH_NS
    dependent = ~lost & gaps.dependent & (gaps.ready_ns <= gaps.start_ns)
    parts: dict[str, list[Spans]] = {cause: [] for cause in CAUSES}
    parts["profiler"] = [intersect(idle, profiler)]
    parts["sync_bubble"] = [subtract(intersect(idle, taken), profiler)]
    parts["unknown"] = [
        subtract(union(gaps.start_ns[~gaps.linked], gaps.end_ns[~gaps.linked]), taken),
        subtract(union(ready[lost], gaps.end_ns[lost]), taken),
    ]
    parts["dependency"] = [subtract(union(ready[dependent], gaps.end_ns[dependent]), taken)]
    others = ~lost & ~dependent
    parts["launch"] = [subtract(union(ready[others], gaps.end_ns[others]), taken)]
    for cause, when in _until_ready(gaps, ready, taken, host, stepping):
        parts[cause].append(when)
    return {cause: unite(*sets) if sets else nothing() for cause, sets in parts.items()}
