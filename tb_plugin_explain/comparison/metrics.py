"""The figures that two runs are compared by, one value a step.

docs/definitions/comparison.md, "deltas". Times in microseconds, as reports show them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from tb_plugin_explain.analyses import pace
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.step_analyses import StepAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import to_us

_WAITING = ("wait_gpu_busy", "wait_gpu_idle")


class Metric(Struct, frozen=True):
    """One figure. of: its value in a step, None where the step does not tell it; missing: why."""

    id: str
    unit: Literal["us", "bytes", "count"]
    of: Callable[[StepAnalyses], float | None]
    missing: str

    def reason(self, has_gpu_work: bool) -> str:
        """Why a side of which this is known tells no value."""
        return _NO_GPU if self.id in _OF_THE_GPU and not has_gpu_work else self.missing


_NO_GPU = "the trace has no GPU event"
_OF_THE_GPU = frozenset(
    {"gpu_busy_us", "gpu_idle_us", "bubble_us", "launches", "kernels", "copies", "copy_bytes", "first_us"}
)


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else to_us(time_ns)


def _records_gpu(step: StepAnalyses) -> bool:
    return len(step.run.recording.gpu) > 0 and not step.gpu_is_unknown


def _follows_a_compared_step(step: StepAnalyses) -> bool:
    """Whether the step's device windows hold nothing that a step left behind which is not compared.

    Where no compared step follows another, there is no cleaner one to be had.
    """
    steps, averaged = step.run.recording.steps, step.run.averaged
    return pace.preceding(steps, step.index) in averaged or not pace.follow_each_other(steps, averaged)


def _pace(step: StepAnalyses) -> float | None:
    run = step.run
    if run.pace_ns is None:
        return None
    if _follows_a_compared_step(step):
        return to_us(pace.longest_period_ns(run.recording.steps, run.windows, step.index))
    own = step.step.duration_ns if step.period_ns is None else step.period_ns
    return to_us(max([own, *(g.activity.busy_ns for g in step.gpu)]))


def _cpu_busy(step: StepAnalyses) -> float | None:
    if step.cpu is None:
        return None
    return to_us(step.step.duration_ns - sum(step.cpu[part] for part in _WAITING))


def _gpu_busy(step: StepAnalyses) -> float | None:
    return to_us(sum(g.activity.busy_ns for g in step.gpu)) if _records_gpu(step) else None


def _gpu_idle(step: StepAnalyses) -> float | None:
    measured = [g for g in step.gpu if not g.window.first and _follows_a_compared_step(step)]
    return to_us(sum(g.idle.idle_ns for g in measured)) if measured else None


def _bubble(step: StepAnalyses) -> float | None:
    return to_us(step.bubble_ns) if _records_gpu(step) else None


def _count(name: str) -> Callable[[StepAnalyses], float | None]:
    return lambda step: step.counts[name] if _records_gpu(step) else None


def _copy_bytes(step: StepAnalyses) -> float | None:
    recording = step.run.recording
    work = recording.gpu_of_step[step.index]
    rows = recording.gpu.row[work[recording.gpu.kind[work] == Category.MEMCPY]]
    sizes = step.run.trace.events.size_bytes[rows]
    return float(sizes.sum()) if _records_gpu(step) and (sizes >= 0).all() else None


def _compile_tax(step: StepAnalyses) -> float | None:
    tax = step.compile_tax
    return None if tax is None else to_us(tax.total_ns)


def _peak_memory(step: StepAnalyses) -> float | None:
    """Of the device's allocators; of the CPU's where the trace has no other."""
    uses = [use for use in step.run.memory if use.allocator.allocated_bytes is not None]
    on_device = [use for use in uses if use.allocator.device >= 0] or uses
    peaks = [use.peaks_bytes[step.index] for use in on_device if step.index in use.peaks_bytes]
    return float(max(peaks)) if peaks else None


def _waiting(kind: Literal["explicit", "implicit"]) -> Callable[[StepAnalyses], float | None]:
    def of(step: StepAnalyses) -> float | None:
        if step.run.problem("unknown_vendor_sync_names"):
            return None
        return to_us(step.sync.explicit.total_ns if kind == "explicit" else step.sync.implicit.total_ns)

    return of


_NO_WAIT = "the names of this platform’s waits are not known"
_NO_EVENT = "the GPU events of these steps were not recorded"
METRICS: Sequence[Metric] = (
    Metric("pace_us", "us", _pace, "a pace needs two steps of one process"),
    Metric("step_us", "us", lambda s: to_us(s.step.duration_ns), "the trace has no steps"),
    Metric("period_us", "us", lambda s: _us(s.period_ns), "a period needs a step that follows"),
    Metric("cpu_busy_us", "us", _cpu_busy, "the recording has no steps, so no thread made one"),
    Metric("gpu_busy_us", "us", _gpu_busy, _NO_EVENT),
    Metric("gpu_idle_us", "us", _gpu_idle, "idle time needs a compared step with GPU work before this one"),
    Metric("sync_us", "us", _waiting("explicit"), _NO_WAIT),
    Metric("implicit_sync_us", "us", _waiting("implicit"), _NO_WAIT),
    Metric("bubble_us", "us", _bubble, _NO_EVENT),
    Metric("launches", "count", _count("launches"), _NO_EVENT),
    Metric("kernels", "count", _count("kernels"), _NO_EVENT),
    Metric("copies", "count", _count("copies"), _NO_EVENT),
    Metric(
        "copy_bytes",
        "bytes",
        _copy_bytes,
        "the trace does not tell the size of each copy",
    ),
    Metric("first_us", "us", lambda s: _us(s.lane_offset.first_ns), "no kernel of these steps has a launch"),
    Metric(
        "compile_tax_us",
        "us",
        _compile_tax,
        "these steps show no compiled path, or no mark of the compiled graph’s own code",
    ),
    Metric("peak_memory_bytes", "bytes", _peak_memory, "memory was not recorded (profile_memory=True)"),
)


def values(side: Side, metric: Metric) -> Sequence[float]:
    """The metric of each compared step that tells it; computed once."""
    if metric.id not in side.figures:
        found = (metric.of(step) for step in side.steps)
        side.figures[metric.id] = [value for value in found if value is not None]
    return side.figures[metric.id]


def middle(side: Side, metric: Metric) -> float | None:
    """The metric's median over the compared steps; of the pace, the run's own."""
    if metric.id == "pace_us":
        return _us(side.run.pace_ns)
    found = values(side, metric)
    return median(found) if found else None
