"""What the stepping thread did during a step (docs/definitions.md, ``cpu_by``).

Invariant: the parts sum to the step's duration.
"""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain.analyses.host_activity import IDLE_THREAD, HostActivity, measure
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.spans import intersect, interval
from tb_plugin_explain.trace.steps import ProfilerStep

PARTS = (
    "wait_gpu_busy",
    "wait_gpu_idle",
    "loading",
    "allocator",
    "launch_call",
    "input",
    "compile_lookup",
    "optimizer",
    "op_dispatch",
    "python",
)


def analyze(recording: Recording, host: HostActivity, step: ProfilerStep) -> Mapping[str, int] | None:
    """Length in ns of each part; None for a step that no thread made."""
    if step.lane is None or step.process is None:
        return None
    thread = host.of_thread(step.lane)
    when = interval(step.start_ns, step.end_ns)
    parts = dict(measure(when, thread, IDLE_THREAD))
    waited = intersect(when, thread.doing["wait"])
    work = recording.work_of_process(step.process)
    busy = int(work.covered(waited.start_ns, waited.end_ns).sum())
    parts["wait_gpu_busy"], parts["wait_gpu_idle"] = busy, parts.pop("wait") - busy
    parts["python"] = step.duration_ns - sum(parts.values())
    return {name: parts[name] for name in PARTS}
