"""Section `copies`: copies and memsets of the averaged steps."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from .. import names
from ..intervals import Cover, Intervals, length, subtract, union
from ..load import Event
from .basis import ROWS, Basis, duration, longest_duration, owned_times, ratio, total, whole_number

SMALL_BYTES = 65_536
MEMORIES = ("pageable", "pinned", "device", "unified", "array")
_DIRECTION = re.compile(r"Memcpy ([HDA]to[HDA]|PtoP)\b")
_BRACKETS = re.compile(r"\(([^()]*)\)")


def reference_copies(basis: Basis) -> dict[str, Any] | None:
    if not basis.averaged_work:
        return None
    work = [e for e in basis.averaged_work if e.kind != names.KERNEL]
    exposed, alone = exposed_times(basis)
    by_name: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in work:
        by_name[event.kind, event.name].append(event)
    rows = [
        {
            **describe(kind, name),
            "longest_event": longest_duration(of_name),
            "figures": figures(basis, of_name, exposed, alone),
        }
        for (kind, name), of_name in by_name.items()
    ]
    rows.sort(key=lambda r: (-r["figures"]["time_us"], -r["figures"]["count"], r["name"]))
    left = rows[ROWS:]
    return {
        "steps": len(basis.averaged),
        "copies": figures(basis, [e for e in work if e.kind == names.COPY], exposed, alone),
        "memsets": figures(basis, [e for e in work if e.kind == names.MEMSET], exposed, alone),
        "rows": rows[:ROWS],
        "rest": {
            "names": len(left),
            "count": sum(r["figures"]["count"] for r in left),
            "time_us": sum(r["figures"]["time_us"] for r in left),
        }
        if left
        else None,
    }


def describe(kind: str, name: str) -> dict[str, Any]:
    source, target = None, None
    brackets = _BRACKETS.search(name)
    if brackets:
        words = [memory(word) for word in brackets.group(1).split("->")]
        source, target = words if len(words) == 2 else (None, words[0])
    direction = None
    if kind == names.COPY:
        found = _DIRECTION.match(name)
        direction = found.group(1).replace("A", "D") if found else None
    else:
        source = None
    known = (source, target)
    return {
        "kind": kind,
        "name": name,
        "direction": direction,
        "source": source,
        "target": target,
        "pinned": True if "pinned" in known else False if "pageable" in known else None,
    }


def memory(word: str) -> str | None:
    word = word.strip().lower()
    return word if word in MEMORIES else None


def size_of(basis: Basis, event: Event) -> int | None:
    """ "(argument `bytes`, else `size`)"."""
    arguments = basis.arguments(event)
    found = whole_number(arguments.get("bytes"))
    return whole_number(arguments.get("size")) if found is None else found


def figures(
    basis: Basis, events: list[Event], exposed: dict[int, int], alone: dict[int, int]
) -> dict[str, Any]:
    sized = [(e, size) for e in events if (size := size_of(basis, e)) is not None]
    timed = [(e, size) for e, size in sized if duration(e) > 0]
    blocking = [(e, e.launch) for e in events if e.launch is not None and waits(basis, e.launch)]
    return {
        "count": len(events),
        "time_us": total(events),
        "bytes": sum(size for _, size in sized) if sized else None,
        "sized_count": len(sized),
        "bandwidth_gb_per_s": ratio(sum(size for _, size in timed), total(e for e, _ in timed)),
        "exposed_us": sum(exposed.get(e.index, 0) for e in events),
        "alone_us": sum(alone.get(e.index, 0) for e in events),
        "small_count": sum(size <= SMALL_BYTES for _, size in sized),
        "blocking_count": len(blocking),
        "blocking_us": total({call.index: call for _, call in blocking}.values()),
    }


def waits(basis: Basis, call: Event) -> bool:
    """An explicit wait, an asynchronous copy from or to pageable memory, or `hipMemcpyWithStream`."""
    copying = names.is_async_copy_call(call.kind, call.name) or call.name == "hipMemcpyWithStream"
    implicit = copying and call.index in basis.recording.implicit_indexes
    return implicit or names.is_explicit_wait(call.kind, call.name)


def exposed_times(basis: Basis) -> tuple[dict[int, int], dict[int, int]]:
    """Per event, by its place in the file: time exposed, and the part of it alone on the device."""
    exposed: dict[int, int] = defaultdict(int)
    alone: dict[int, int] = defaultdict(int)
    for step in basis.averaged:
        for device in step.devices():
            work = step.work(device)
            for kind in (names.COPY, names.MEMSET):
                others = spans([e for e in work if e.kind != kind])
                anything = spans([e for e in basis.recording.by_device[device] if e.kind != kind])
                for event, own in owned_times(e for e in work if e.kind == kind):
                    free = without(own, others)
                    exposed[event.index] += length(free)
                    alone[event.index] += length(without(free, anything))
    return exposed, alone


def spans(events: list[Event]) -> Cover:
    return Cover((e.start, e.end) for e in events)


def without(intervals: Intervals, cover: Cover) -> Intervals:
    return subtract(intervals, union(cover.within(intervals)))
