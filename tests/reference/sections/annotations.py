"""Section `annotations`: what `record_function` and torch itself named."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .. import names
from ..load import Event
from .basis import ROWS, Basis, duration, longest_event
from .nesting import Nesting, is_annotation, nesting_of


def reference_annotations(basis: Basis) -> dict[str, Any] | None:
    by_name: dict[str, list[Event]] = defaultdict(list)
    for event in basis.recording.events:
        if is_annotation(event):
            by_name[event.name].append(event)
    if not by_name:
        return None
    nesting = nesting_of(basis)
    averaged = set(basis.averaged)
    device, kernels, backward = device_figures(basis, nesting)
    has_device = bool(basis.averaged_work)
    has_backward = has_device and nesting.any_forward_operator()
    rows: list[dict[str, Any]] = []
    for name, events in by_name.items():
        here = [e for e in events if basis.step_of(e) in averaged]
        outer = [e for e in here if name not in names_around(nesting, e)]
        rows.append(
            {
                "name": name,
                "recorded_count": len(events),
                "count": len(here),
                "cpu_total_us": sum(nesting.cut_length(e) for e in outer),
                "device_us": device[name] if has_device else None,
                "kernels": kernels[name] if has_device else None,
                "backward_us": backward[name] if has_backward else None,
                "longest_event": longest_event((e, nesting.cut_length(e)) for e in here),
            }
        )
    rows.sort(key=lambda r: (-max(r["cpu_total_us"], r["device_us"] or 0), -r["recorded_count"], r["name"]))
    left = rows[ROWS:]
    return {
        "steps": len(basis.averaged),
        "rows": rows[:ROWS],
        "rest": {
            "names": len(left),
            "count": sum(r["count"] for r in left),
            "cpu_total_us": sum(r["cpu_total_us"] for r in left),
        },
        "not_measured": not_measured(has_device, has_backward),
    }


def not_measured(has_device: bool, has_backward: bool) -> list[str]:
    return ([] if has_device else ["device_us", "kernels"]) + ([] if has_backward else ["backward_us"])


def names_around(nesting: Nesting, event: Event | None) -> set[str]:
    """Names of the annotations among the ancestors."""
    return set() if event is None else {a.name for a in nesting.ancestors(event) if is_annotation(a)}


def device_figures(basis: Basis, nesting: Nesting) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Per name: GPU time and kernels inside it, and GPU time of the backward pass of what is inside it."""
    device: dict[str, int] = defaultdict(int)
    kernels: dict[str, int] = defaultdict(int)
    backward: dict[str, int] = defaultdict(int)
    for event in basis.averaged_work:
        if event.launch is None:
            continue
        around = names_around(nesting, event.launch)
        for name in around:
            device[name] += duration(event)
            kernels[name] += event.kind == names.KERNEL
        for name in names_around(nesting, nesting.forward_of(event.launch)) - around:
            backward[name] += duration(event)
    return device, kernels, backward
