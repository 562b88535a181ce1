"""Section `profiler_cost`: what the profiler itself cost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import names
from ..intervals import length
from ..load import Event
from ..settled import median
from ..steps import Step
from .basis import ROWS, Basis, duration, is_operator, ratio, total
from .memory_events import memory_instants

OVERHEAD_STEPS = 50
COUNTS = {
    "python_frames": "with_stack",
    "memory_events": "profile_memory",
    "shape_records": "record_shapes",
}
SHAPES = ("Input Dims", "Input dims")  # the latter in files of 2021


def reference_profiler_cost(basis: Basis) -> dict[str, Any] | None:
    if not basis.steps.steps:
        return None
    counts = {
        "python_frames": count(basis, [e for e in basis.recording.events if e.kind == names.PYTHON]),
        "memory_events": count_memory(basis),
        "shape_records": count(basis, [e for e in basis.recording.events if has_shapes(basis, e)]),
    }
    rows = [step_row(basis, step, counts) for step in basis.steps.steps]
    averaged = [row for row in rows if row["averaged"]]
    medians = [f"{name}_per_ms" for name in COUNTS] + ["overhead_us", "latency_us", "idle_us"]
    overhead = overhead_rows(basis)
    document = basis.loaded.document
    return {
        "modes": {
            mode: document.get(mode) in (1, "1", True) or sum(counts[name].values()) > 0
            for name, mode in COUNTS.items()
        },
        "typical": {key: typical([r[key] for r in averaged]) for key in medians},
        "steps": rows[:ROWS],
        "steps_left_out": max(0, len(rows) - ROWS),
        "overhead": overhead,
        "not_measured": ["slowdown"] + ([] if overhead else ["overhead"]),
    }


def typical(values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def count(basis: Basis, events: list[Event]) -> Counter[Step | None]:
    """How many begin in each step (None: in none)."""
    return Counter(basis.step_of(e) for e in events)


def count_memory(basis: Basis) -> Counter[Step | None]:
    found: Counter[Step | None] = Counter()
    for instant in memory_instants(basis, "[memory]"):
        as_event = Event(instant.index, "", "", "", instant.pid, instant.tid, instant.time, instant.time)
        found[basis.step_of(as_event)] += 1
    return found


def has_shapes(basis: Basis, event: Event) -> bool:
    return is_operator(event) and any(key in basis.arguments(event) for key in SHAPES)


def step_row(basis: Basis, step: Step, counts: dict[str, Counter[Step | None]]) -> dict[str, Any]:
    gpu = basis.gpu[step]
    launched = any(e.kind == names.KERNEL and e.launch is not None for e in step.gpu_events)
    return {
        "number": step.number,
        "averaged": step in basis.averaged,
        **{name: counts[name][step] for name in COUNTS},
        **{f"{name}_per_ms": ratio(counts[name][step] * 1_000_000, step.duration) for name in COUNTS},
        "overhead_us": length(basis.recording.profiler.clip(step.start, step.end)),
        "latency_us": basis.lane_offsets[step]["all"]["profiler_us"] if launched else None,
        "idle_us": None if gpu is None else sum(g["idle_by_cause"]["profiler"] for g in gpu),
    }


def overhead_rows(basis: Basis) -> list[dict[str, Any]]:
    rows = []
    for name in names.PROFILER_OVERHEAD:
        events = [e for e in basis.recording.overhead if e.name == name]
        if not events:
            continue
        holding = [s for s in basis.steps.steps if any(basis.steps.begins_in(s, e.start) for e in events)]
        outside = [e for e in events if not any(s.contains(e.start) for s in basis.steps.steps)]
        numbers = list(dict.fromkeys(s.number for s in holding))
        rows.append(
            {
                "name": name,
                "count": len(events),
                "total_us": total(events),
                "longest_us": max(duration(e) for e in events),
                "steps": numbers[:OVERHEAD_STEPS],
                "outside_us": total(outside),
            }
        )
    return sorted(rows, key=lambda r: (-r["total_us"], r["name"]))
