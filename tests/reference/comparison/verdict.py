"""The verdict on the pace, and the changes that the files themselves tell."""

from __future__ import annotations

from typing import Any

from .side import Side


def verdict(baseline: Side, candidate: Side, pace: dict[str, Any]) -> str:
    """Of two whole files of the same batch, from the pace's delta."""
    if baseline.has_steps != candidate.has_steps or baseline.any_gpu_work != candidate.any_gpu_work:
        return "not_comparable"
    interval = pace["interval"]
    if interval is None or slowed_by_profiler(baseline, candidate):
        return "undecided"
    if interval[0] <= 0 <= interval[1]:
        return "within_noise"
    return "faster" if interval[1] < 0 else "slower"


def slowed_by_profiler(baseline: Side, candidate: Side) -> bool:
    """Another profiler mode slows the CPU, which says something of the pace where the CPU sets it."""
    cpu_sets_pace = not (baseline.gpu_sets_pace and candidate.gpu_sets_pace)
    return baseline.modes != candidate.modes and cpu_sets_pace


def changes(baseline: Side, candidate: Side) -> list[str]:
    """Of device, ranks, rank and modes, those that differ."""
    found = {
        "device": (devices_of(baseline), devices_of(candidate)),
        "ranks": (of_job(baseline, "world_size"), of_job(candidate, "world_size")),
        "rank": (of_job(baseline, "rank"), of_job(candidate, "rank")),
        "modes": (baseline.modes, candidate.modes),
    }
    return [what for what, (a, b) in found.items() if a is not None and b is not None and a != b]


def devices_of(side: Side) -> set[str] | None:
    """The kinds of device that the file lists; None where it lists none."""
    listed = side.document.get("deviceProperties") or []
    names = {str(device.get("name")) for device in listed if isinstance(device, dict) and device.get("name")}
    return names or None


def of_job(side: Side, key: str) -> int | None:
    info = side.document.get("distributedInfo")
    found = info.get(key) if isinstance(info, dict) else None
    return found if isinstance(found, int) else None
