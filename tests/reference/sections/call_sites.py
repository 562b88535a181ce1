"""Section `call_sites`: who asked for each wait."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from fractions import Fraction
from typing import Any

from .. import names
from ..device import device_window
from ..intervals import Cover, Intervals, length, subtract, take
from ..load import Event
from ..steps import Step
from ..waits import profilers_own_waits
from .basis import ROWS, Basis, is_operator, longest_event
from .nesting import is_module, nesting_of
from .sites import Site, Sites


def reference_call_sites(basis: Basis) -> dict[str, Any] | None:
    waits = Waiting(basis)
    if not waits.all:
        return None
    nesting = nesting_of(basis)
    sites = Sites(basis, nesting)
    by_site: dict[Site, list[Event]] = defaultdict(list)
    for wait in waits.all:
        by_site[sites.of(wait)].append(wait)
    has_device = bool(basis.averaged_work)
    everywhere = bubbles(basis, basis.steps.steps, waits)
    averaged = bubbles(basis, basis.averaged, waits)
    rows = []
    for site, of_site in by_site.items():
        here = [w for w in of_site if waits.step[w.index] in set(basis.averaged)]
        recorded = {**waits.count(sites, of_site), "waiting_us": waits.length(of_site)}
        rows.append(
            {
                **site._asdict(),
                "calls": waits.names(of_site),
                **waits.figures(basis, sites, here),
                "bubble_us": sum(averaged[w.index] for w in of_site) if has_device else None,
                "longest_event": longest_event((w, length(waits.time[w.index])) for w in here),
                "recorded": {
                    **recorded,
                    "bubble_us": sum(everywhere[w.index] for w in of_site) if basis.recording.gpu else None,
                },
            }
        )
    rows.sort(key=order)
    left = rows[ROWS:]
    return {
        "steps": len(basis.averaged),
        "sites": rows[:ROWS],
        "rest": {
            "sites": len(left),
            "count": sum(r["count"] for r in left),
            "waiting_us": sum(r["waiting_us"] for r in left),
            "bubble_us": sum(r["bubble_us"] for r in left) if has_device else None,
        },
        "not_measured": not_measured(basis, has_device),
    }


def order(row: dict[str, Any]) -> tuple[Any, ...]:
    times = (-(row["bubble_us"] or 0), -row["waiting_us"], -row["recorded"]["waiting_us"])
    return (*times, *(row[field] or "" for field in Site._fields))


def not_measured(basis: Basis, has_device: bool) -> list[str]:
    kinds = {e.kind for e in basis.recording.events}
    missing = [] if names.PYTHON in kinds else ["source"]
    missing += [] if any(is_module(e) for e in basis.recording.events) else ["module"]
    missing += [] if any(is_operator(e) for e in basis.recording.events) else ["operator"]
    return missing + ([] if has_device else ["bubble_us"])


class Waiting:
    """The waits without the profiler's own closing ones and what lies in these, each with its time."""

    def __init__(self, basis: Basis) -> None:
        closing = profilers_own_waits(basis.recording, basis.steps)

        def counts(wait: Event) -> bool:
            return not any(
                c.thread == wait.thread and c.start <= wait.start and wait.end <= c.end for c in closing
            )

        explicit = [w for w in basis.waits.explicit if counts(w)]
        implicit = [w for w in basis.waits.implicit if counts(w)]
        self.implicit = {w.index for w in implicit}
        self.all = explicit + implicit
        self.step = {w.index: basis.step_of(w) for w in self.all}
        in_explicit: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for wait in explicit:
            in_explicit[wait.thread].append((wait.start, wait.end))
        covers = {thread: Cover(spans) for thread, spans in in_explicit.items()}
        self.time: dict[int, Intervals] = {}
        for waits in (explicit, implicit):
            self._give_times(waits, covers if waits is implicit else {})
        self.parts = {w.index: basis.waits.split(w.pid, self.time[w.index]) for w in self.all}

    def _give_times(self, waits: list[Event], taken: dict[tuple[str, str], Cover]) -> None:
        reached: dict[tuple[tuple[str, str], Step | None], int] = {}
        for wait in sorted(waits, key=lambda w: (w.start, -w.end, w.index)):
            key = (wait.thread, self.step[wait.index])
            start = max(wait.start, reached.get(key, wait.start))
            own: Intervals = [(start, wait.end)] if start < wait.end else []
            _, self.time[wait.index] = take(own, taken.get(wait.thread, Cover()))
            reached[key] = max(wait.end, reached.get(key, wait.end))

    def length(self, waits: list[Event]) -> int:
        return sum(length(self.time[w.index]) for w in waits)

    def count(self, sites: Sites, waits: list[Event]) -> dict[str, int]:
        asked = {(sites.operator(w) or w).index for w in waits}
        return {"count": len(asked), "wait_calls": len(waits)}

    def names(self, waits: list[Event]) -> list[str]:
        """ "The longest first": by the time of all waits of the name."""
        times: dict[str, int] = defaultdict(int)
        for wait in waits:
            times[wait.name] += length(self.time[wait.index])
        return sorted(times, key=lambda name: (-times[name], name))

    def figures(self, basis: Basis, sites: Sites, here: list[Event]) -> dict[str, Any]:
        parts = [self.parts[w.index] for w in here]
        count = self.count(sites, here)
        return {
            **count,
            "count_per_step": Fraction(count["count"], len(basis.averaged)),
            "steps_with": len({self.step[w.index] for w in here}),
            "waiting_us": self.length(here),
            "gpu_busy_us": sum(p["gpu_busy"] for p in parts),
            "profiler_us": sum(p["profiler"] for p in parts),
            "gpu_idle_us": sum(p["gpu_idle"] for p in parts),
            "implicit_us": self.length([w for w in here if w.index in self.implicit]),
        }


def bubbles(basis: Basis, steps: list[Step], waits: Waiting) -> dict[int, int]:
    """Per wait: the idle time of these steps' devices for which it is the cause."""
    found: dict[int, int] = defaultdict(int)
    in_order = sorted(waits.all, key=lambda w: (w.start, -w.end, w.index))
    for step in steps:
        for device in step.devices():
            idle = idle_time(basis, step, device)
            for wait in in_order:
                if basis.steps.may_use(step, wait):
                    bubble = basis.waits._work_on(wait.pid, device).bubble(wait.start, wait.end)
                    if bubble is not None:
                        found[wait.index] += take_out(idle, *bubble)
    return found


def idle_time(basis: Basis, step: Step, device: int) -> Intervals:
    """The gaps of the device window without what the profiler's overhead explains first."""
    window = device_window(step, device)
    idle = subtract(window, basis.recording.device_cover(device).within(window))
    return take(idle, basis.recording.profiler)[1]


def take_out(idle: Intervals, start: int, end: int) -> int:
    """Takes [start, end) out of `idle`; how much of it was there."""
    first = max(bisect_right(idle, (start, start)) - 1, 0)
    last = bisect_right(idle, (end, end))
    touched = idle[first:last]
    left = subtract(touched, [(start, end)])
    idle[first:last] = left
    return length(touched) - length(left)
