"""The figures of one step that are compared."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .. import names
from ..headline import longest_period
from ..intervals import length, take, union
from ..sections.basis import Basis
from ..sections.copies import size_of
from ..sections.memory import reference_memory
from ..steps import Step
from ..warnings import unknown_vendor_sync_names

Value = int | Fraction | None


def figures_of_steps(basis: Basis, taxes: dict[Step, int | None]) -> dict[Step, dict[str, Value]]:
    peaks = peaks_of_steps(basis)
    return {
        step: {
            **times_of(basis, step),
            **counts_of(basis, step),
            "first_us": first_offset(basis, step),
            "compile_tax_us": taxes[step],
            "peak_memory_bytes": peaks.get((step.pid, step.number)),
        }
        for step in basis.steps.steps
    }


def gpu_of(basis: Basis, step: Step) -> list[dict[str, Any]] | None:
    """None too where the recording has no GPU event at all: whether there was any it does not tell."""
    return basis.gpu[step] if basis.recording.gpu else None


def times_of(basis: Basis, step: Step) -> dict[str, Value]:
    gpu = gpu_of(basis, step)
    waited = waited_on_own_thread(basis, step)
    return {
        "pace_us": pace_of(basis, step),
        "step_us": step.duration,
        "period_us": None if step.next_start is None else step.next_start - step.start,
        "cpu_busy_us": None if waited is None else step.duration - waited,
        "gpu_busy_us": None if gpu is None else sum(g["busy_us"] for g in gpu),
        "gpu_idle_us": idle_of(basis, step),
        "sync_us": waiting(basis, step, "total_us"),
        "implicit_sync_us": waiting(basis, step, "implicit_us"),
        "bubble_us": None if gpu is None else sum(g["idle_by_cause"]["sync_bubble"] for g in gpu),
    }


def waiting(basis: Basis, step: Step, kind: str) -> Value:
    """None where the platform's waits are not known by name, as 0 would say that there were none."""
    found: Value = basis.waits.sync(step)[kind]
    return None if unknown_vendor_sync_names(basis.recording) else found


def counts_of(basis: Basis, step: Step) -> dict[str, Value]:
    if gpu_of(basis, step) is None:
        return dict.fromkeys(("launches", "kernels", "copies", "copy_bytes"))
    copies = [e for e in step.gpu_events if e.kind == names.COPY]
    sizes = [size_of(basis, e) for e in copies]
    known = [size for size in sizes if size is not None]
    return {
        "launches": len({e.launch.index for e in step.gpu_events if e.launch is not None}),
        "kernels": sum(e.kind == names.KERNEL for e in step.gpu_events),
        "copies": len(copies),
        "copy_bytes": sum(known) if len(known) == len(sizes) else None,
    }


def after_the_others(basis: Basis, step: Step) -> bool:
    """Not "a step that follows none of the compared ones, while others do"."""
    following = [s for s in basis.averaged if s.earlier and s.earlier[-1] in basis.averaged]
    return not following or (bool(step.earlier) and step.earlier[-1] in basis.averaged)


def pace_of(basis: Basis, step: Step) -> int:
    if after_the_others(basis, step):
        return longest_period(step, basis.gpu)
    own = step.duration if step.next_start is None else step.next_start - step.start
    busy: list[int] = [g["busy_us"] for g in basis.gpu[step] or []]
    return max([own, *busy])


def idle_of(basis: Basis, step: Step) -> int | None:
    """Windows that open with the recording are left out; nothing is left: not known."""
    gpu = gpu_of(basis, step)
    if gpu is None or not after_the_others(basis, step):
        return None
    windows = [g["idle_us"] for g in gpu if g["period_us"] is not None]
    return sum(windows) if windows or not gpu else None


def first_offset(basis: Basis, step: Step) -> int | None:
    found = basis.lane_offsets[step]["first_us"]
    return None if found is None else int(found)


def waited_on_own_thread(basis: Basis, step: Step) -> int | None:
    """`cpu_by.wait_gpu_busy` + `cpu_by.wait_gpu_idle`: waits on the stepping thread inside the span that are
    not first of all the data loader's, loading or the allocator."""
    if step.thread is None or step.pid is None:
        return None
    thread = basis.recording.thread(step.thread)
    rest = union([(step.start, step.end)])
    for cover in (thread.data_loader, thread.loading, thread.allocator):
        _, rest = take(rest, cover)
    waiting, _ = take(rest, thread.wait)
    return length(waiting)


def peaks_of_steps(basis: Basis) -> dict[tuple[str | None, int | None], int]:
    """(process, number) → the step's peak on the device whose peak is the largest."""
    section: dict[str, Any] = reference_memory(basis) or {"devices": []}
    peaks: dict[tuple[str | None, int | None], int] = {}
    for device in section["devices"]:
        for row in device["steps"]:
            pid = None if row["number"] is None else str(device["pid"])
            if row["peak_bytes"] is not None:
                key = (pid, row["number"])
                peaks[key] = max(peaks.get(key, 0), row["peak_bytes"])
    return peaks
