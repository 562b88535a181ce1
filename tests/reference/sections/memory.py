"""Section `memory`: what was allocated, by whom, and what of it stayed."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

from ..settled import median
from ..steps import Step
from .basis import ROWS, Basis
from .memory_events import CPU, Group, MemoryEvent, Operators, by_operator, memory_instants

DEVICE_TYPES = {0: "cpu", 1: "cuda", 6: "hip", 12: "xpu", 13: "mps", 19: "mtia"}
CURVE_EVENTS = 500
CURVE_RUNS = 125
STEP_OPERATORS = 10
PEAK_OPERATORS = 200
LEAST_COMPARED = 3
LARGE = 2**20
TOTALS = ("start_bytes", "end_bytes", "peak_bytes", "peak_us", "growth_bytes", "live")


def reference_memory(basis: Basis) -> dict[str, Any] | None:
    groups: dict[tuple[str, int | None, int | None], list[MemoryEvent]] = defaultdict(list)
    for event in memory_instants(basis, "[memory]"):
        groups[event.pid, event.device_type, event.device].append(event)
    if not groups:
        return None
    operators = Operators(basis)
    lost = memory_instants(basis, "[OutOfMemory]")
    devices = []
    for key in sorted(groups, key=lambda k: (k[0], k[1] == CPU, k[1] or 0, k[2] or 0)):
        failures = sum((e.pid, e.device_type, e.device) == key for e in lost)
        devices.append(Device(basis, Group(groups[key], operators)).report(failures))
    return {"devices": devices}


class Device:
    def __init__(self, basis: Basis, group: Group) -> None:
        self.basis, self.group = basis, group
        self.pid = group.events[0].pid
        steps = [s for s in basis.steps.steps if s.pid in (None, self.pid)]
        self.own_steps = steps
        self.held: dict[Step, list[int]] = defaultdict(list)
        for position, event in enumerate(group.events):
            step = steps[0] if steps and steps[0].number is None else basis.step_at(self.pid, event.time)
            if step is not None:
                self.held[step].append(position)
        self.averaged = [s for s in basis.averaged if s in self.held]

    def report(self, failures: int) -> dict[str, Any]:
        events, first = self.group.events, self.group.events[0]
        holding = [s for s in self.own_steps if s in self.held]
        peak, growth = self.peak(), self.growth()
        missing = {
            "allocated": self.group.has_totals,
            "reserved": self.group.has_reserved,
            "growth": growth,
            "peak": peak,
        }
        kind = first.device_type
        return {
            "pid": int(self.pid) if self.pid.isdecimal() else self.pid,
            "device_type": "unknown" if kind is None else DEVICE_TYPES.get(kind, f"type {kind}"),
            "device": None if first.device is None or first.device < 0 else first.device,
            "since_recording": kind == CPU,
            "events": len(events),
            "allocations": sum(e.size > 0 for e in events),
            "frees": sum(e.size < 0 for e in events),
            "out_of_memory": failures,
            "curve": self.curve(),
            "steps": [self.step(s, STEP_OPERATORS) for s in holding[:ROWS]],
            "steps_left_out": max(0, len(holding) - ROWS),
            "peak": peak,
            "growth": growth,
            **self.fragmentation(),
            "not_measured": [name for name, known in missing.items() if not known],
        }

    def curve(self) -> dict[str, Any] | None:
        if not self.group.has_totals:
            return None
        chosen = [self.group.events[i] for i in self.chosen_for_curve()]
        return {
            "time_us": [e.time - self.basis.origin for e in chosen],
            "allocated_bytes": [e.allocated for e in chosen],
            "reserved_bytes": [e.reserved for e in chosen] if self.group.has_reserved else None,
        }

    def chosen_for_curve(self) -> list[int]:
        n = len(self.group.events)
        if n <= CURVE_EVENTS:
            return list(range(n))
        chosen: set[int] = set()
        for k in range(CURVE_RUNS):
            run = range(k * n // CURVE_RUNS, (k + 1) * n // CURVE_RUNS)
            chosen |= {
                run[0],
                min(run, key=self.group.allocated_after),
                max(run, key=self.group.allocated_after),
            }
            if self.group.has_reserved:
                chosen.add(max(run, key=self.group.reserved_after))
        return sorted(chosen)

    def highest(self, step: Step) -> int:
        """Position of the event after which the peak was first reached (or the last before the step)."""
        return max([self.group.before(step.start), *self.held[step]], key=self.group.allocated_after)

    def step(self, step: Step, most: int) -> dict[str, Any]:
        group, held = self.group, self.held[step]
        start = group.before(step.start)
        highest = self.highest(step)
        at_start = highest == start
        figures = {
            "number": step.number,
            "settled": self.basis.settled.verdict[step],
            "averaged": step in self.basis.averaged,
            "allocations": sum(group.events[i].size > 0 for i in held),
            "allocated_bytes_in_step": sum(max(group.events[i].size, 0) for i in held),
            "frees": sum(group.events[i].size < 0 for i in held),
            "freed_bytes_in_step": sum(max(-group.events[i].size, 0) for i in held),
            "start_bytes": group.allocated_after(start),
            "end_bytes": group.allocated_after(held[-1]),
            "peak_bytes": group.allocated_after(highest),
            "peak_us": (step.start if at_start else group.times[highest]) - self.basis.origin,
            "reserved_at_peak_bytes": group.reserved_after(highest),
            "peak_reserved_bytes": max(group.reserved_after(i) for i in (start, *held)),
            "growth_bytes": group.allocated_after(held[-1]) - self.at_end(step.earlier[-1])
            if step.earlier
            else None,
            "live": group.live(highest, most),
        }
        if not group.has_totals:
            figures |= dict.fromkeys(TOTALS)
        if not group.has_reserved or not group.has_totals:
            figures["reserved_at_peak_bytes"] = None
        if not group.has_reserved:
            figures["peak_reserved_bytes"] = None
        return figures

    def at_end(self, step: Step) -> int:
        return self.group.allocated_after(self.group.before(step.end))

    def peak(self) -> dict[str, Any] | None:
        if not self.group.has_totals or not self.averaged:
            return None
        rows = [self.step(s, PEAK_OPERATORS) for s in self.averaged]
        largest = max(rows, key=lambda r: r["peak_bytes"])
        kept = ("peak_bytes", "peak_us", "reserved_at_peak_bytes", "live")
        return {"step": largest["number"], **{key: largest[key] for key in kept}}

    def growth(self) -> dict[str, Any] | None:
        averaged = set(self.basis.averaged)
        compared = [s for s in self.own_steps if s in averaged and s.earlier and s.earlier[-1] in averaged]
        if not self.group.has_totals or len(compared) < LEAST_COMPARED:
            return None
        grown = [self.at_end(s) - self.at_end(s.earlier[-1]) for s in compared]
        end = self.group.before(compared[-1].end)
        inside = {i for s in compared[:-1] for i in self.held.get(s, [])}
        kept = [b for b in self.group.blocks if b.first in inside and b.lives_after(end)]
        return {
            "steps": [s.number for s in compared],
            "smallest_bytes": min(grown),
            "median_bytes": median(grown),
            "largest_bytes": max(grown),
            "every_step": min(grown) > 0,
            "kept": by_operator(kept, STEP_OPERATORS)["by_operator"],
        }

    def fragmentation(self) -> dict[str, Any]:
        keys = ("reserved_unused_bytes", "reserved_growth_bytes", "reserved_despite_room")
        if not self.group.has_reserved:
            return dict.fromkeys(keys)
        group = self.group
        inside = {i for s in self.averaged for i in self.held[s]}
        unused = []
        for step in self.averaged:
            highest = self.highest(step)
            unused.append(group.reserved_after(highest) - group.allocated_after(highest))
        raises = [
            (a, b)
            for a, b in pairwise(range(len(group.events)))
            if b in inside and group.reserved_after(b) > group.reserved_after(a)
        ]
        despite = [
            b
            for a, b in raises
            if group.events[b].size > LARGE
            and group.reserved_after(a) - group.allocated_after(a) >= group.events[b].size
        ]
        known = self.group.has_totals
        return {
            "reserved_unused_bytes": median(unused) if unused and known else None,
            "reserved_growth_bytes": sum(
                group.reserved_after(b) - group.reserved_after(a) for a, b in raises
            ),
            "reserved_despite_room": len(despite) if known else None,
        }
