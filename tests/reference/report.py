"""The reference report: the figures of the definitions under the field names of the JSON report."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from . import names
from .device import Devices
from .headline import headline, pace
from .latency import Latencies
from .load import load
from .recording import Recording
from .settled import Settled
from .steps import Step, Steps
from .waits import Waits
from .warnings import all_warnings


def reference_report(path: str | Path) -> dict[str, Any]:
    """The report of one well-formed file; every `…_us` in microseconds, computed in whole nanoseconds."""
    recording = Recording(load(path))
    steps = Steps(recording)
    waits = Waits(recording, steps)
    latencies = Latencies(recording)
    devices = Devices(recording, waits)
    settled = Settled(recording, steps)
    gpu = {step: devices.of_step(step) for step in steps.steps}
    first_start = steps.steps[0].start if steps.steps else 0
    report: dict[str, Any] = {
        "pace_us": pace(settled, gpu),
        "closing_wait": waits.closing_wait(),
        "warnings": all_warnings(recording, steps),
        "headline": headline(settled, gpu, bool(recording.gpu)),
        "steps": [
            step_report(step, first_start, gpu[step], waits.sync(step), latencies.lane_offset(step), settled)
            for step in steps.steps
        ],
    }
    return {key: in_microseconds(item, key.endswith("_us")) for key, item in report.items()}


def step_report(
    step: Step,
    first_start: int,
    gpu: list[dict[str, Any]] | None,
    sync: dict[str, Any],
    lane_offset: dict[str, Any],
    settled: Settled,
) -> dict[str, Any]:
    def count(kind: str) -> int:
        return sum(e.kind == kind for e in step.gpu_events)

    bubble = None if gpu is None else sum(g["idle_by_cause"]["sync_bubble"] for g in gpu)
    return {
        "number": step.number,
        "pid": int(step.pid) if step.pid is not None and step.pid.isdecimal() else step.pid,
        "start_us": step.start - first_start,
        "duration_us": step.duration,
        "period_us": None if step.next_start is None else step.next_start - step.start,
        "settled": settled.verdict[step],
        "unsettled_because": settled.reasons[step],
        "sync": {**sync, "bubble_us": bubble},
        "lane_offset": lane_offset,
        "gpu": gpu,
        "launches": len({e.launch.index for e in step.gpu_events if e.launch is not None}),
        "kernels": count(names.KERNEL),
        "copies": count(names.COPY),
        "memsets": count(names.MEMSET),
    }


IN_NANOSECONDS = ("idle_by_cause", "host_by")


def in_microseconds(value: Any, is_time: bool = False) -> Any:
    """Every number under a key that ends in `_us`, or in `idle_by_cause` and `host_by`, from ns to µs."""
    if isinstance(value, dict):
        return {
            key: in_microseconds(item, str(key).endswith("_us") or is_time or key in IN_NANOSECONDS)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [in_microseconds(item, False) for item in value]
    if is_time and isinstance(value, int | Fraction) and not isinstance(value, bool):
        return float(Fraction(value) / 1000)
    return value
