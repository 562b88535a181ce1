"""The queues of launches: entries, depth, and what had been handed over ("Entry", "Depth", "Handed over")."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import lru_cache
from itertools import accumulate, pairwise

from ..intervals import Cover
from ..load import Event
from .basis import Basis

Stream = tuple[int, str]


class Entry:
    """One launch call and the work that it owns on one stream."""

    def __init__(self, call: Event, events: list[Event]) -> None:
        self.call = call
        self.first = min(events, key=lambda e: (e.start, e.index))
        self.last_end = max(e.end for e in events)
        self.start, self.end = call.start, self.first.start  # of length zero or less: never counts


class Depth:
    """How many entries are in a queue, as steps: from `instants[i]` on, `depths[i]`."""

    def __init__(self, entries: list[Entry]) -> None:
        changes: dict[int, int] = defaultdict(int)
        for entry in entries:
            if entry.start < entry.end:
                changes[entry.start] += 1
                changes[entry.end] -= 1
        self.instants = sorted(changes)
        self.depths = list(accumulate(changes[instant] for instant in self.instants))
        spans = [b - a for a, b in pairwise(self.instants)]
        areas = [span * depth for span, depth in zip(spans, self.depths, strict=False)]
        self.area_before = [0, *accumulate(areas)]  # the integral up to `instants[i]`

    def integral_up_to(self, instant: int) -> int:
        position = bisect_right(self.instants, instant) - 1
        if position < 0:
            return 0
        return self.area_before[position] + (instant - self.instants[position]) * self.depths[position]

    def integral(self, lo: int, hi: int) -> int:
        return self.integral_up_to(hi) - self.integral_up_to(lo)

    def highest(self, lo: int, hi: int) -> int:
        """The highest depth in [lo, hi), "of instants with a duration"."""
        if lo >= hi:
            return 0
        first = max(bisect_right(self.instants, lo) - 1, 0)
        return max(self.depths[first : bisect_left(self.instants, hi)], default=0)


class Queues:
    def __init__(self, basis: Basis) -> None:
        owned: dict[tuple[Stream, int], list[Event]] = defaultdict(list)
        calls: dict[int, Event] = {}
        for event in basis.recording.gpu:
            if event.launch is not None:
                owned[event.stream, event.launch.index].append(event)
                calls[event.launch.index] = event.launch
        self.by_stream: dict[Stream, list[Entry]] = defaultdict(list)
        self.by_device: dict[int, list[Entry]] = defaultdict(list)
        for (stream, index), events in owned.items():
            entry = Entry(calls[index], events)
            self.by_stream[stream].append(entry)
            self.by_device[stream[0]].append(entry)
        for entries in self.by_stream.values():
            entries.sort(key=lambda e: (e.call.start, e.call.index))
        self.stream_depth = {stream: Depth(entries) for stream, entries in self.by_stream.items()}
        self.depth = {device: Depth(entries) for device, entries in self.by_device.items()}
        self.handed_over = {
            device: Cover((max(e.call.end, e.call.start), e.end) for e in entries)
            for device, entries in self.by_device.items()
        }
        self.waiting = {
            device: Cover((e.start, e.end) for e in entries) for device, entries in self.by_device.items()
        }


@lru_cache(maxsize=1)
def queues_of(basis: Basis) -> Queues:
    return Queues(basis)
