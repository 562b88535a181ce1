"""Memory events, their groups and blocks, and what was live at an instant."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import Any

from ..load import Event, nanoseconds
from .basis import Basis, is_operator, whole_number

CPU = 0
CATEGORY = "cpu_instant_event"  # files of 2021 write none, and tell no memory


class MemoryEvent:
    def __init__(self, index: int, raw: dict[str, Any], time: int) -> None:
        found = raw.get("args")
        arguments = found if isinstance(found, dict) else {}
        self.index, self.time = index, time
        self.pid, self.tid = str(raw.get("pid")), str(raw.get("tid"))
        self.name = str(raw.get("name"))
        self.size = whole_number(arguments.get("Bytes")) or 0
        self.address = whole_number(arguments.get("Addr"))
        self.device_type = whole_number(arguments.get("Device Type"))
        self.device = whole_number(arguments.get("Device Id"))
        self.allocated = whole_number(arguments.get("Total Allocated"))
        self.reserved = whole_number(arguments.get("Total Reserved"))


def memory_instants(basis: Basis, name: str) -> list[MemoryEvent]:
    """Instants of this name whose time is not 0, by time, then by place in the file."""
    found = []
    for index, raw in enumerate(basis.loaded.raw_events):
        if not isinstance(raw, dict) or raw.get("ph") not in ("i", "I") or raw.get("name") != name:
            continue
        time = nanoseconds(raw.get("ts"))
        if time and str(raw.get("cat") or "").lower() == CATEGORY:
            found.append(MemoryEvent(index, raw, time))
    return sorted(found, key=lambda e: (e.time, e.index))


class Block:
    """It lives after the events from `first` up to, not including, `last` (None: to the end)."""

    def __init__(self, first: int, size: int, operator: str | None) -> None:
        self.first, self.size, self.operator = first, size, operator
        self.last: int | None = None

    def lives_after(self, position: int) -> bool:
        return self.first <= position and (self.last is None or position < self.last)


class Group:
    """The memory events of one process and device."""

    def __init__(self, events: list[MemoryEvent], operators: Operators) -> None:
        self.events = events
        self.times = [e.time for e in events]
        self.has_totals = all(e.allocated is not None for e in events)
        known = [e.reserved for e in events if e.reserved is not None]
        self.has_reserved = len(known) == len(events) and max(known) > 0
        self.blocks: list[Block] = []
        self.freed_before: list[tuple[int, int]] = []  # (position, size) of blocks of before the recording
        self._find_blocks(operators)

    def _find_blocks(self, operators: Operators) -> None:
        alive: dict[int, Block | None] = {}
        for position, event in enumerate(self.events):
            if event.size == 0 or event.address is None:
                continue
            block = alive.get(event.address)
            if block is not None:
                block.last = position
            elif event.size < 0:
                self.freed_before.append((position, -event.size))
            alive[event.address] = None
            if event.size > 0:
                block = Block(position, event.size, operators.innermost(event))
                alive[event.address] = block
                self.blocks.append(block)

    def before(self, instant: int) -> int:
        """Position of the last event before an instant, −1 where there is none."""
        return bisect_left(self.times, instant) - 1

    def allocated_after(self, position: int) -> int:
        if position < 0:
            return (self.events[0].allocated or 0) - self.events[0].size
        return self.events[position].allocated or 0

    def reserved_after(self, position: int) -> int:
        return self.events[max(position, 0)].reserved or 0

    def live(self, position: int, most: int) -> dict[str, Any]:
        """What the allocated total is made of just after an event (−1: before the first)."""
        living = by_operator([b for b in self.blocks if b.lives_after(position)], most)
        freed = sum(size for freed_at, size in self.freed_before if freed_at <= position)
        before_recording = self.allocated_after(-1) - freed
        accounted = before_recording + sum(b.size for b in self.blocks if b.lives_after(position))
        return {
            **living,
            "before_recording_bytes": before_recording,
            "unaccounted_bytes": self.allocated_after(position) - accounted,
        }


def by_operator(blocks: list[Block], most: int) -> dict[str, Any]:
    sizes: dict[str | None, list[int]] = defaultdict(list)
    for block in blocks:
        sizes[block.operator].append(block.size)
    rows: list[dict[str, Any]] = [
        {"operator": o, "blocks": len(found), "bytes": sum(found)} for o, found in sizes.items()
    ]
    rows.sort(key=lambda r: (-r["bytes"], r["operator"] is not None, r["operator"] or ""))
    left = rows[most:]
    return {
        "by_operator": rows[:most],
        "others": {
            "operators": len(left),
            "blocks": sum(r["blocks"] for r in left),
            "bytes": sum(r["bytes"] for r in left),
        },
    }


class Operators:
    """Which operator ran on a thread at an instant."""

    def __init__(self, basis: Basis) -> None:
        self.by_thread: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for event in basis.recording.events:
            if is_operator(event):
                self.by_thread[event.thread].append(event)
        for events in self.by_thread.values():  # the last of those that hold an instant is the innermost
            events.sort(key=lambda e: (e.start, -e.end, e.index))
        self.starts = {thread: [e.start for e in events] for thread, events in self.by_thread.items()}

    def innermost(self, event: MemoryEvent) -> str | None:
        events = self.by_thread.get((event.pid, event.tid), [])
        begun = bisect_right(self.starts.get((event.pid, event.tid), []), event.time)
        for position in range(begun - 1, -1, -1):
            if event.time < events[position].end:
                return events[position].name
        return None
