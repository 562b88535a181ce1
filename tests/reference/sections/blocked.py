"""`queue.blocked`: launch calls of averaged steps that were held up behind the GPU's own work."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate
from typing import Any

from .. import names
from ..intervals import length
from ..load import Event
from ..steps import Step
from .basis import ROWS, Basis, duration, total
from .entries import Queues

TIMES_USUAL = 10
LONG = 100_000  # "over 100 µs"
FULL_QUEUE = 900  # "at least 900 launches were ahead of it"


def blocked(basis: Basis, queues: Queues) -> dict[str, Any]:
    usual = usual_durations(basis)
    latest_end = {
        stream: list(accumulate((e.last_end for e in entries), max))
        for stream, entries in queues.by_stream.items()
    }
    rows = [
        row
        for step in basis.averaged
        for call in basis.steps.calls_of(step, basis.recording.calls)
        if (row := held_up(basis, queues, latest_end, step, call, usual)) is not None
    ]
    rows.sort(key=lambda r: (-r["duration_us"], r["start_us"], r["event"]))
    shown = rows[:ROWS]
    total_ns = sum(r["duration_us"] for r in rows)
    return {
        "count": len(rows),
        "full_queue": sum(r["reason"] == "full_queue" for r in rows),
        "total_us": total_ns,
        "device_busy_us": sum(r.pop("device_busy") for r in rows),
        "calls": shown,
        "rest_us": total_ns - sum(r["duration_us"] for r in shown),
    }


def is_plain_launch(call: Event) -> bool:
    """It "owns GPU work and no copy"."""
    return bool(call.owned) and all(e.kind != names.COPY for e in call.owned)


def usual_durations(basis: Basis) -> dict[str, int]:
    """The ⌈n/4⌉-th smallest duration of the calls of the same name."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for call in basis.recording.calls:
        if is_plain_launch(call):
            by_name[call.name].append(duration(call))
    return {name: sorted(found)[-(-len(found) // 4) - 1] for name, found in by_name.items()}


def held_up(
    basis: Basis,
    queues: Queues,
    latest_end: dict[tuple[int, str], list[int]],
    step: Step,
    call: Event,
    usual: dict[str, int],
) -> dict[str, Any] | None:
    if not is_plain_launch(call) or names.is_explicit_wait(call.kind, call.name):
        return None
    long = duration(call) > max(TIMES_USUAL * usual[call.name], LONG)
    if not long or call.index in basis.recording.implicit_indexes:
        return None
    first = min(call.owned, key=lambda e: (e.start, e.index))
    entries = queues.by_stream[first.stream]
    before = bisect_left([e.call.start for e in entries], call.start)
    ahead = sum(e.last_end > call.start for e in entries[:before])
    busy_at_return = before > 0 and latest_end[first.stream][before - 1] > call.end
    if basis.recording.queue_full.clip(call.start, call.end) or ahead >= FULL_QUEUE:
        reason = "full_queue"
    elif busy_at_return:
        reason = "busy_stream"
    else:
        return None
    return {
        "step": step.number,
        "call": call.name,
        "kernel": first.name,
        "start_us": call.start - basis.origin,
        "duration_us": total([call]),
        "usual_us": usual[call.name],
        "ahead": ahead,
        "reason": reason,
        "event": call.index,
        "device_busy": length(basis.recording.device_cover(first.device).clip(call.start, call.end)),
    }
