"""Section `gaps`: when the devices were idle in the averaged steps, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from .. import names
from ..device import CAUSES, HOST_CAUSES, Gap, device_window
from ..intervals import Cover, length
from ..load import Event
from ..steps import Step
from .basis import ROWS, Basis
from .entries import queues_of

CLASSES = (10_000, 100_000, 1_000_000, 10_000_000, None)


def reference_gaps(basis: Basis) -> dict[str, Any] | None:
    if not basis.averaged_work:
        return None
    finder = Finder(basis)
    rows = [
        finder.row(step, device, gap, window[0][0])
        for step in basis.averaged
        for device in step.devices()
        if (window := device_window(step, device))
        for gap in basis.devices.gaps(device, window)
    ]
    rows.sort(key=lambda r: (-r["duration_us"], r["start_us"]))
    return {**summed(rows), "longest": rows[:ROWS], "rest": summed(rows[ROWS:]), "by_length": classes(rows)}


def summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    causes: Counter[str] = Counter()
    host_by: Counter[str] = Counter()
    for row in rows:
        causes.update(row["causes"])
        host_by.update(row["host_by"])
    return {
        "count": len(rows),
        "duration_us": sum(r["duration_us"] for r in rows),
        "causes": dict(causes),
        "host_by": dict(host_by),
    }


def classes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    over = -1
    for up_to in CLASSES:
        held = [r for r in rows if over < r["duration_us"] and (up_to is None or r["duration_us"] <= up_to)]
        found.append(
            {
                "up_to_us": up_to,
                "count": len(held),
                "duration_us": sum(r["duration_us"] for r in held),
                "queued_us": sum(r["queued_us"] for r in held),
            }
        )
        over = up_to or 0
    return found


class Finder:
    def __init__(self, basis: Basis) -> None:
        self.basis = basis
        self.handed_over = queues_of(basis).handed_over
        self.bubbles: dict[tuple[Step, int], Cover] = {}
        self.cpu = Cover(
            (e.start, e.end)
            for e in basis.recording.events
            if e.kind not in names.GPU_KINDS and not names.STEP.fullmatch(e.name)
        )
        self.first_launched: dict[int, int] = {}
        for device, events in basis.recording.by_device.items():
            starts = [e.start for e in events if e.launch is not None]
            if starts:
                self.first_launched[device] = min(starts)

    def row(self, step: Step, device: int, gap: Gap, lo: int) -> dict[str, Any]:
        causes, host_by = self.causes(step, device, gap)
        queued = length(self.handed_over.get(device, Cover()).clip(gap.start, gap.end))
        hole = gap.end - gap.start - length(self.cpu.clip(gap.start, gap.end))
        before = self.before(device, gap.start, lo)
        launch = gap.next_event.launch
        return {
            "step": step.number,
            "device": device,
            "start_us": gap.start - self.basis.origin,
            "duration_us": gap.end - gap.start,
            "kind": self.kind(device, gap, queued, hole),
            "causes": causes,
            "host_by": host_by,
            "queued_us": queued,
            "hole_us": hole,
            "before": None if before is None else before.name,
            "before_event": None if before is None else before.index,
            "after": gap.next_event.name,
            "after_event": gap.next_event.index,
            "launch": None if launch is None else launch.name,
            "launch_event": None if launch is None else launch.index,
            "launch_start_us": None if launch is None else launch.start - self.basis.origin,
            "launch_duration_us": None if launch is None else launch.end - launch.start,
        }

    def causes(self, step: Step, device: int, gap: Gap) -> tuple[dict[str, int], dict[str, int]]:
        if (step, device) not in self.bubbles:
            self.bubbles[step, device] = self.basis.waits.bubbles(step, device)
        causes: dict[str, int] = defaultdict(int, dict.fromkeys(CAUSES, 0))
        host_by: dict[str, int] = defaultdict(int, dict.fromkeys(HOST_CAUSES, 0))
        self.basis.devices.explain(step, device, gap, self.bubbles[step, device], causes, host_by)
        return (
            {cause: time for cause, time in causes.items() if time},
            {cause: time for cause, time in host_by.items() if time},
        )

    def kind(self, device: int, gap: Gap, queued: int, hole: int) -> str:
        span = gap.end - gap.start
        if gap.next_event.launch is None:
            first = self.first_launched.get(device)
            early = first is None or gap.next_event.start < first
            return "before_recording" if early else "launch_not_recorded"
        if 2 * queued > span:
            return "queued"
        return "hole" if 2 * hole > span else "cpu"

    def before(self, device: int, instant: int, lo: int) -> Event | None:
        """The work that ended where the gap starts; none "where the window opens with the gap"."""
        ended = self.basis.devices.ending[device].get(instant, [])
        if instant == lo or not ended:
            return None
        return max(ended, key=lambda e: (e.start, e.index))
