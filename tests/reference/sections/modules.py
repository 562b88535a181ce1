"""Section `modules`: one row a path of `nn.Module` frames."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .. import names
from ..load import Event
from .basis import ROWS, Basis, duration, longest_event, total
from .nesting import Nesting, is_module, nesting_of

Path = tuple[str, ...]


def reference_modules(basis: Basis) -> dict[str, Any]:
    nesting = nesting_of(basis)
    averaged = set(basis.averaged)
    frames: dict[Path, list[Event]] = defaultdict(list)
    here: dict[Path, list[Event]] = defaultdict(list)
    for frame in basis.recording.events:
        if is_module(frame):
            path = nesting.module_path(frame)
            frames[path].append(frame)
            if basis.step_of(frame) in averaged:
                here[path].append(frame)
    device = Device(basis, nesting) if basis.averaged_work else None
    any_forward = nesting.any_forward_operator()
    has_backward = device is not None and any_forward
    inside = inner_lengths(basis, nesting)
    rows = []
    for path in frames:
        whole = sum(nesting.cut_length(f) for f in here[path])
        rows.append(
            {
                "path": "/".join(path),
                "calls": len(here[path]),
                "cpu_total_us": whole,
                "cpu_self_us": whole - sum(inside[f.index] for f in here[path]),
                "device_self_us": device and device.own[path],
                "device_total_us": device and continued(device.own, path),
                "kernels": device and device.kernels[path],
                "backward_self_us": device.backward[path] if device and has_backward else None,
                "backward_total_us": continued(device.backward, path) if device and has_backward else None,
                "longest_event": longest_event((f, nesting.cut_length(f)) for f in here[path]),
            }
        )
    rows.sort(key=order)
    left = rows[ROWS:]
    return {
        "steps": len(basis.averaged),
        "rows": rows[:ROWS],
        "rest": {
            "paths": len(left),
            "calls": sum(r["calls"] for r in left),
            "cpu_self_us": sum(r["cpu_self_us"] for r in left),
            "device_self_us": sum(r["device_self_us"] for r in left) if device else None,
            "backward_self_us": sum(r["backward_self_us"] for r in left) if has_backward else None,
        },
        "device_us": total(basis.averaged_work) if device else None,
        "unattributed_us": device.unattributed if device else None,
        "not_measured": not_measured(bool(rows), device is not None, any_forward),
    }


def not_measured(has_modules: bool, has_device: bool, any_forward: bool) -> list[str]:
    missing = [] if has_modules else ["rows"]
    missing += [] if has_device else ["device_us"]
    return missing + ([] if any_forward else ["backward_self_us"])


def order(row: dict[str, Any]) -> tuple[int, str]:
    on_device = (row["device_self_us"] or 0) + (row["backward_self_us"] or 0)
    return (-max(row["cpu_self_us"], on_device), row["path"])


def inner_lengths(basis: Basis, nesting: Nesting) -> dict[int, int]:
    """Of every module frame: the cut lengths of the nearest module frames inside it."""
    inside: dict[int, int] = defaultdict(int)
    for frame in basis.recording.events:
        if is_module(frame):
            outer = next((a for a in nesting.ancestors(frame) if is_module(a)), None)
            if outer is not None:
                inside[outer.index] += nesting.cut_length(frame)
    return inside


def continued(own: dict[Path, int], path: Path) -> int:
    """This path's and that of all paths that continue it."""
    return sum(time for other, time in own.items() if other[: len(path)] == path)


class Device:
    """GPU time of the averaged steps by the path of the innermost module frame."""

    def __init__(self, basis: Basis, nesting: Nesting) -> None:
        self.own: dict[Path, int] = defaultdict(int)
        self.backward: dict[Path, int] = defaultdict(int)
        self.kernels: dict[Path, int] = defaultdict(int)
        self.unattributed = 0
        for event in basis.averaged_work:
            launch = event.launch
            path = () if launch is None else nesting.module_path(launch)
            forward = None if launch is None else nesting.forward_of(launch)
            forward_path = () if forward is None else nesting.module_path(forward)
            if path:
                self.own[path] += duration(event)
                self.kernels[path] += event.kind == names.KERNEL
            elif forward_path:
                self.backward[forward_path] += duration(event)
            else:
                self.unattributed += duration(event)
