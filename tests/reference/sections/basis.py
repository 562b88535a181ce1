"""What all sections start from: one recording with its steps, waits, gaps and averaged steps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import names
from ..device import Devices
from ..headline import busiest_device
from ..intervals import Intervals
from ..latency import Latencies
from ..load import Event, load
from ..recording import Recording
from ..settled import Settled
from ..steps import Step, Steps
from ..waits import Waits

ROWS = 200  # the most rows that a section lists


class Basis:
    devices_of: type[Devices] = Devices

    def __init__(self, path: str | Path) -> None:
        self.loaded = load(path)
        self.recording = Recording(self.loaded)
        self.steps = Steps(self.recording)
        self.waits = Waits(self.recording, self.steps)
        self.devices = self.devices_of(self.recording, self.waits)
        self.latencies = Latencies(self.recording)
        self.settled = Settled(self.recording, self.steps)
        self.averaged = self.settled.averaged()
        self.gpu: dict[Step, list[dict[str, Any]] | None] = {
            step: self.devices.of_step(step) for step in self.steps.steps
        }
        self.origin = self.steps.steps[0].start if self.steps.steps else 0

    def arguments(self, event: Event) -> dict[str, Any]:
        found = self.loaded.raw_events[event.index].get("args")
        return found if isinstance(found, dict) else {}

    @cached_property
    def averaged_work(self) -> list[Event]:
        """The GPU work of the averaged steps, in the order of the file."""
        return sorted((e for step in self.averaged for e in step.gpu_events), key=lambda e: e.index)

    @cached_property
    def summary_device(self) -> int | None:
        """The device that the headline judges."""
        return busiest_device(self.averaged, self.gpu)

    @cached_property
    def lane_offsets(self) -> dict[Step, dict[str, Any]]:
        return {step: self.latencies.lane_offset(step) for step in self.steps.steps}

    @cached_property
    def _windows(self) -> dict[str | None, tuple[list[int], list[Step]]]:
        return {pid: ([s.start for s in of_one], of_one) for pid, of_one in self.steps.by_pid.items()}

    def step_at(self, pid: str | None, instant: int) -> Step | None:
        """The step of a process that holds an instant: of several the one that began last."""
        starts, of_one = self._windows.get(pid, ([], []))
        for position in range(bisect_right(starts, instant) - 1, -1, -1):
            if of_one[position].contains(instant):
                return of_one[position]
        return None

    def step_of(self, event: Event) -> Step | None:
        """The step in which a call of the event's process at its start would belong.

        "(of the same process; of any, if the step's process has no runtime call in the file)".
        """
        holders = [
            step
            for pid in self._windows
            if (step := self.step_at(pid, event.start)) is not None and self.steps.may_use(step, event)
        ]
        return max(holders, key=lambda s: (s.pid == event.pid, s.start)) if holders else None


def duration(event: Event) -> int:
    return event.end - event.start


def total(events: Iterable[Event]) -> int:
    return sum(duration(e) for e in events)


def percentile(values: Sequence[int], p: Fraction) -> int:
    """The ⌈p·n⌉-th smallest."""
    rank = -(-p.numerator * len(values) // p.denominator)
    return sorted(values)[max(rank, 1) - 1]


def ratio(part: int | Fraction, whole: int | Fraction) -> Fraction | None:
    return Fraction(part) / Fraction(whole) if whole else None


def owned_times(events: Iterable[Event]) -> list[tuple[Event, Intervals]]:
    """ "Each instant belongs to the event running then that started first (tie: order in the file)": what an
    event has of its span is what lies after the end of all before it."""
    found: list[tuple[Event, Intervals]] = []
    reached = None
    for event in sorted(events, key=lambda e: (e.start, e.index)):
        start = event.start if reached is None else max(event.start, reached)
        found.append((event, [(start, event.end)] if start < event.end else []))
        reached = event.end if reached is None else max(reached, event.end)
    return found


def whole_number(value: object) -> int | None:
    """A count in an argument, written as a number or as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        return int(str(value))
    except ValueError:
        return None


def is_operator(event: Event) -> bool:
    """Operators; in files of 2021 steps stand among them and are none."""
    return event.kind == names.OP and not names.STEP.fullmatch(event.name)


def longest_event(lengths: Iterable[tuple[Event, int]]) -> int | None:
    """ "The longest of them; of equal ones the first in the file": its place there."""
    found = sorted((-length, event.index) for event, length in lengths)
    return found[0][1] if found else None


def longest_duration(events: Iterable[Event]) -> int | None:
    return longest_event((e, duration(e)) for e in events)
