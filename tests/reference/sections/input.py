"""Section `input`: the input pipeline."""

from __future__ import annotations

from typing import Any

from .. import names
from ..intervals import Cover, length, subtract, union
from ..load import Event
from ..settled import median
from ..steps import Step
from .basis import ROWS, Basis, ratio
from .copies import size_of

DIRECTIONS = ("htod", "hosttodevice", "host -> device")
COPY_FIGURES = ("copies", "copy_bytes", "copy_us", "pageable", "pinned", "copy_exposed_us")
TYPICAL = ("loader_us", "loader_share", "idle_us", "copy_us", "copy_exposed_us")


def reference_input(basis: Basis) -> dict[str, Any] | None:
    steps = [s for s in basis.steps.steps if s.thread is not None]
    rows = [step_row(basis, step) for step in steps]
    loading = any(row["loader_us"] or row["loader_calls"] for row in rows)
    copying = any(is_to_device(e) for step in steps for e in step.gpu_events)
    if not loading and not copying:
        return None
    workers = workers_of(basis)
    device = basis.summary_device
    averaged = [row for row in rows if row["averaged"]]
    return {
        "workers": workers,
        "device": device,
        "typical": {key: typical([r[key] for r in averaged]) for key in TYPICAL},
        "steps": rows[:ROWS],
        "steps_left_out": max(0, len(rows) - ROWS),
        "not_measured": ([] if workers else ["workers"]) + ([] if device is not None else ["device"]),
    }


def typical(values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def workers_of(basis: Basis) -> str | None:
    single = any("_SingleProcessDataLoaderIter" in e.name for e in basis.recording.events)
    several = any("_MultiProcessingDataLoaderIter" in e.name for e in basis.recording.events)
    if single and several:
        return "both"
    return "in_process" if single else "worker_processes" if several else None


def is_to_device(event: Event) -> bool:
    return event.kind == names.COPY and any(word in event.name.lower() for word in DIRECTIONS)


def step_row(basis: Basis, step: Step) -> dict[str, Any]:
    assert step.thread is not None
    loader = length(basis.recording.thread(step.thread).data_loader.clip(step.start, step.end))
    gpu = next((g for g in basis.gpu[step] or [] if g["device"] == basis.summary_device), None)
    return {
        "number": step.number,
        "averaged": step in basis.averaged,
        "loader_us": loader,
        "loader_share": ratio(loader, step.duration),
        "loader_calls": loader_calls(basis, step),
        "idle_us": None if gpu is None else gpu["idle_by_cause"]["input"],
        **copy_figures(basis, step),
    }


def loader_calls(basis: Basis, step: Step) -> int:
    """Those that begin in the window, without those inside another one of them; of equal ones one counts."""
    assert step.thread is not None
    spans = {
        (e.start, e.end)
        for e in basis.recording.by_thread.get(step.thread, [])
        if names.is_data_loader(e.name) and basis.steps.begins_in(step, e.start)
    }
    inside = [s for s in spans if any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in spans)]
    return len(spans) - len(inside)


def copy_figures(basis: Basis, step: Step) -> dict[str, Any]:
    device = basis.summary_device
    if basis.gpu[step] is None or device is None:
        return dict.fromkeys(COPY_FIGURES)
    copies = [e for e in step.work(device) if is_to_device(e)]
    sizes = [size_of(basis, e) for e in copies]
    running = union((e.start, e.end) for e in copies)
    others = Cover((e.start, e.end) for e in basis.recording.by_device[device] if not is_to_device(e))
    return {
        "copies": len(copies),
        "copy_bytes": None if None in sizes else sum(size for size in sizes if size is not None),
        "copy_us": length(running),
        "pageable": sum("Pageable" in e.name for e in copies),
        "pinned": sum("Pinned" in e.name for e in copies),
        "copy_exposed_us": length(subtract(running, others.within(running))),
    }
