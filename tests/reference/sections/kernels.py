"""Section `kernels`: what ran on the GPU in the averaged steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .. import names
from ..load import Event
from ..settled import median
from ..steps import Step
from .basis import ROWS, Basis, duration, longest_duration, percentile, ratio, total

SHAPES = 5
LEAST_RUNS = 5  # "in which the kernel ran at least five times on the shape"
LEAST_STEPS = 3  # "`null` with fewer than three such steps"
OCCUPANCY = "est. achieved occupancy %"


def reference_kernels(basis: Basis) -> dict[str, Any] | None:
    if not basis.averaged_work:
        return None
    kernels = [e for e in basis.averaged_work if e.kind == names.KERNEL]
    typical = typical_step(basis.averaged)
    device_ns = total(basis.averaged_work)
    by_name: dict[str, list[Event]] = defaultdict(list)
    for kernel in kernels:
        by_name[kernel.name].append(kernel)
    rows = [row(basis, name, of_name, typical, device_ns) for name, of_name in by_name.items()]
    rows.sort(key=lambda r: (-r["time_us"], -r["count"], r["name"]))
    return {
        "steps": len(basis.averaged),
        "typical_step": typical.number,
        "device_us": device_ns,
        "typical_device_us": total(typical.gpu_events),
        "count": len(kernels),
        "kernel_us": total(kernels),
        "copy_us": total(e for e in basis.averaged_work if e.kind == names.COPY),
        "memset_us": total(e for e in basis.averaged_work if e.kind == names.MEMSET),
        "names": len(rows),
        "short": short(kernels),
        "graph_count": len(of_graphs(kernels)),
        "graph_us": total(of_graphs(kernels)),
        "graph_launches": len(launches(of_graphs(kernels))),
        **occupancy(basis, kernels),
        "rows": rows[:ROWS],
        "rest": rest(rows[ROWS:], device_ns),
    }


def typical_step(averaged: list[Step]) -> Step:
    """ "The one whose summed event durations are the median (of two middle ones the smaller; of equal ones
    the latest)": of those with GPU work."""
    sums = {step: total(step.gpu_events) for step in averaged if step.gpu_events}
    middle = sorted(sums.values())[(len(sums) - 1) // 2]
    return max((s for s in sums if sums[s] == middle), key=lambda s: (s.start, s.index))


def launches(events: Iterable[Event]) -> set[int]:
    return {e.launch.index for e in events if e.launch is not None}


def of_graphs(kernels: list[Event]) -> list[Event]:
    return [k for k in kernels if k.launch is not None and "GraphLaunch" in k.launch.name]


def short(kernels: list[Event]) -> dict[str, Any]:
    judged = [(k, k.launch) for k in kernels if k.launch is not None and len(k.launch.owned) == 1]
    if not judged:
        return {"judged_count": 0, "count": None, "time_us": None, "call_us": None}
    found = [(kernel, call) for kernel, call in judged if duration(kernel) < duration(call)]
    return {
        "judged_count": len(judged),
        "count": len(found),
        "time_us": total(kernel for kernel, _ in found),
        "call_us": total(call for _, call in found),
    }


def occupancy(basis: Basis, kernels: list[Event]) -> dict[str, Any]:
    weighted, measured = Fraction(0), 0
    for kernel in kernels:
        estimate = estimated_occupancy(basis, kernel)
        if estimate > 0:
            weighted += estimate * duration(kernel)
            measured += duration(kernel)
    return {
        "occupancy_percent": ratio(weighted, measured),
        "occupancy_share": ratio(measured, total(kernels)),
    }


def estimated_occupancy(basis: Basis, kernel: Event) -> Fraction:
    try:
        return Fraction(str(basis.arguments(kernel).get(OCCUPANCY, 0)))
    except ValueError:
        return Fraction(0)


def row(basis: Basis, name: str, kernels: list[Event], typical: Step, device_ns: int) -> dict[str, Any]:
    in_typical = [k for k in typical.gpu_events if k.kind == names.KERNEL and k.name == name]
    durations = [duration(k) for k in kernels]
    shapes = shape_rows(basis, kernels)
    return {
        "name": name,
        "communication": any(k.communication for k in kernels),
        "count": len(kernels),
        "time_us": total(kernels),
        "share": ratio(total(kernels), device_ns),
        "typical_count": len(in_typical),
        "typical_us": total(in_typical),
        "min_us": min(durations),
        "median_us": median(durations),
        "max_us": max(durations),
        "longest_event": longest_duration(kernels),
        "launch_calls": len(launches(kernels)),
        "graph_count": len(of_graphs(kernels)),
        "short": short(kernels),
        **occupancy(basis, kernels),
        "shapes": len(shapes),
        "by_shape": shapes[:SHAPES],
        **first_known(shapes, "spread"),
        **first_known(shapes, "between"),
    }


def first_known(shapes: list[dict[str, Any]], figure: str) -> dict[str, Any]:
    known = [s for s in shapes if s[figure] is not None]
    return {
        figure: known[0][figure] if known else None,
        f"{figure}_shape": known[0]["shape"] if known else None,
    }


def shape_rows(basis: Basis, kernels: list[Event]) -> list[dict[str, Any]]:
    by_shape: dict[str | None, list[Event]] = defaultdict(list)
    for kernel in kernels:
        by_shape[shape_of(basis, kernel)].append(kernel)
    rows = [shape_row(basis, shape, of_shape) for shape, of_shape in by_shape.items()]
    return sorted(rows, key=lambda r: (-r["time_us"], -r["count"], r["shape"] or ""))


def shape_of(basis: Basis, kernel: Event) -> str | None:
    arguments = basis.arguments(kernel)
    grid, block = arguments.get("grid"), arguments.get("block")
    if not isinstance(grid, list) or not isinstance(block, list):
        return None
    return f"[{','.join(map(str, grid))}]x[{','.join(map(str, block))}]"


def shape_row(basis: Basis, shape: str | None, kernels: list[Event]) -> dict[str, Any]:
    members = {k.index for k in kernels}
    by_step = [
        (step, durations)
        for step in basis.averaged
        if (durations := [duration(e) for e in step.gpu_events if e.index in members])
    ]
    return {
        "shape": shape,
        "count": len(kernels),
        "time_us": total(kernels),
        "median_us": median([duration(k) for k in kernels]),
        "spread": None if shape is None else spread([durations for _, durations in by_step]),
        **between(by_step if shape is not None else []),
    }


def spread(by_step: list[list[int]]) -> Fraction | None:
    enough = [durations for durations in by_step if len(durations) >= LEAST_RUNS]
    if not enough or any(median(durations) == 0 for durations in enough):
        return None
    return median([relative_spread(durations) for durations in enough])


def relative_spread(durations: list[int]) -> Fraction:
    high, low = percentile(durations, Fraction(9, 10)), percentile(durations, Fraction(1, 10))
    return (high - low) / median(durations)


def between(by_step: list[tuple[Step, list[int]]]) -> dict[str, Any]:
    means = [(step, Fraction(sum(durations), len(durations))) for step, durations in by_step]
    middle = median([mean for _, mean in means]) if means else Fraction(0)
    if len(means) < LEAST_STEPS or middle == 0:
        return {"between": None, "slowest_step": None}
    largest, smallest = max(mean for _, mean in means), min(mean for _, mean in means)
    slowest = next(step for step, mean in means if mean == largest)
    return {"between": (largest - smallest) / middle, "slowest_step": slowest.number}


def rest(rows: list[dict[str, Any]], device_ns: int) -> dict[str, Any] | None:
    if not rows:
        return None
    summed = {key: sum(r[key] for r in rows) for key in ("count", "time_us", "typical_count", "typical_us")}
    return {"names": len(rows), **summed, "share": ratio(summed["time_us"], device_ns)}
