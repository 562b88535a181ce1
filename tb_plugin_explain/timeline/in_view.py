"""What a window of a timeline holds, in figures: docs/http_api.md, ``timeline/in_view``.

Invariant: on each device, busy time, idle time and the time beside the steps' windows sum to the window. All
figures come from the events, never from merged rectangles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from tb_plugin_explain.glossary import what_is
from tb_plugin_explain.timeline import schema
from tb_plugin_explain.timeline.pyramid import Column, Tracks, place_in
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Category, Int64s

MOST_ROWS = 6
_WAITS: tuple[schema.ShadeCause, ...] = ("wait_gpu_busy", "wait_gpu_idle", "wait_profiler")


class _Window(Struct, frozen=True):
    from_ns: int
    to_ns: int

    def cut(self, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        """How much of each span lies in the window, ns; 0 where none does."""
        inside: Int64s = np.minimum(end_ns, self.to_ns) - np.maximum(start_ns, self.from_ns)
        return inside.clip(0)


def _covered(start_ns: Column, length_ns: Column, window: _Window) -> int:
    """How much of a window is covered by spans that all reach into it, by start, and do not overlap; ns."""
    if not len(start_ns):
        return 0
    before = max(window.from_ns - int(start_ns[0]), 0)
    after = max(int(start_ns[-1]) + int(length_ns[-1]) - window.to_ns, 0)
    return int(length_ns.sum(dtype=np.int64)) - before - after


def _spans_in(tracks: Tracks, track: int, window: _Window) -> tuple[Int64s, Int64s]:
    """Starts and ends of the spans of a track that overlap a window."""
    first, last = tracks.events_in(track, window.from_ns, window.to_ns)
    start = tracks.start_ns[first:last].astype(np.int64)
    return start, start + tracks.duration_ns[first:last]


def _busy(store: Store, place: int) -> tuple[Int64s, Int64s]:
    """When a device worked: spans that neither overlap nor touch."""
    low, high = store.columns["busy_offsets"][place : place + 2].tolist()
    # Stored as narrow as they fit: the length between two may not.
    start, end = (store.columns[name][low:high] for name in ("busy_start_ns", "busy_end_ns"))
    return start.astype(np.int64), end.astype(np.int64)


def _by_cause(store: Store, device: int, window: _Window) -> dict[str, float]:
    """Idle time of a device in a window, by cause, µs."""
    found: dict[str, float] = {}
    for track, shade in enumerate(store.timeline.shades):
        if shade.device == device:
            first, last = store.shades.events_in(track, window.from_ns, window.to_ns)
            start, length = store.shades.start_ns[first:last], store.shades.duration_ns[first:last]
            inside = _covered(start, length, window)
            if inside:
                found[shade.cause] = inside / 1000
    return found


def _device(store: Store, place: int, window: _Window) -> schema.DeviceInView:
    device = int(store.columns["busy_devices"][place])
    start, end = _busy(store, place)
    low, high = place_in(end, window.from_ns, "right"), place_in(start, window.to_ns)
    busy = _covered(start[low:high], end[low:high] - start[low:high], window)
    return schema.DeviceInView(device, busy / 1000, _by_cause(store, device, window))


def _largest(lengths: Int64s) -> Int64s:
    """Where the largest are, at most ``MOST_ROWS`` and none of 0; of equal ones the first."""
    found = np.flatnonzero(lengths)
    if len(found) > MOST_ROWS:
        least = np.partition(lengths, -MOST_ROWS)[-MOST_ROWS]
        found = found[lengths[found] >= least]
    return found[np.argsort(-lengths[found], kind="stable")][:MOST_ROWS]


def _opening(store: Store, device: int, first_ns: int) -> int:
    """When the idle time before a device's first work begins; when that begins where there is none."""
    starts = [
        int(store.shades.start_ns[int(store.shades.offsets[track])])
        for track, shade in enumerate(store.timeline.shades)
        if shade.device == device
    ]
    return min([*starts, first_ns])


def _gaps(store: Store, place: int, window: _Window) -> tuple[int, list[schema.GapInView]]:
    """Times without work of a device that reach into the window: how many, and those with most in it.

    None of a device whose work takes no time at all.
    """
    device = int(store.columns["busy_devices"][place])
    start, end = _busy(store, place)
    if not len(start):
        return 0, []
    low = max(place_in(end, window.from_ns, "right") - 1, 0)
    high = min(place_in(start, window.to_ns) + 1, len(start))
    begins, ends = end[low : high - 1], start[low + 1 : high]
    if low == 0:
        begins = np.append(_opening(store, device, int(start[0])), begins)
        ends = np.append(np.int64(start[0]), ends)
    inside = window.cut(begins, ends)
    longest = _largest(inside)
    return int(np.count_nonzero(inside)), [
        schema.GapInView(
            device=device,
            start_us=int(begins[i]) / 1000,
            duration_us=int(ends[i] - begins[i]) / 1000,
            in_view_us=int(inside[i]) / 1000,
            causes=_by_cause(store, device, _Window(int(begins[i]), int(ends[i]))),
        )
        for i in longest.tolist()
    ]


def _waits_of(store: Store, lane: int, window: _Window) -> Iterator[schema.WaitInView]:
    """When a thread waited without a break, within the window."""
    parts = [
        (*_spans_in(store.shades, track, window), shade.cause == "wait_gpu_busy")
        for track, shade in enumerate(store.timeline.shades)
        if shade.lane == lane and shade.cause in _WAITS
    ]
    start = np.concatenate([np.maximum(s, window.from_ns) for s, _, _ in parts])
    end = np.concatenate([np.minimum(e, window.to_ns) for _, e, _ in parts])
    busy = np.concatenate([np.full(len(s), useful) for s, _, useful in parts])
    if not len(start):
        return
    order = np.argsort(start, kind="stable")
    start, end, busy = start[order], end[order], busy[order]
    first = np.flatnonzero(np.append(True, start[1:] > end[:-1]))
    waited, useful = np.add.reduceat(end - start, first), np.add.reduceat((end - start) * busy, first)
    for i in np.argsort(-waited, kind="stable")[:MOST_ROWS].tolist():
        yield schema.WaitInView(
            lane, int(start[first[i]]) / 1000, int(waited[i]) / 1000, int(useful[i]) / 1000
        )


def _waits(store: Store, window: _Window) -> list[schema.WaitInView]:
    lanes = {shade.lane for shade in store.timeline.shades if shade.cause in _WAITS}
    found = [wait for lane in lanes if lane is not None for wait in _waits_of(store, lane, window)]
    return sorted(found, key=lambda w: (-w.in_view_us, w.start_us))[:MOST_ROWS]


def _work_by_kind(store: Store, window: _Window) -> tuple[Int64s, Int64s]:
    """Of each kind of GPU work: how many events overlap the window, and their time in it, ns."""
    events, columns = store.events, store.columns
    kinds = len(columns["kind_name"])
    is_work, invalid = np.isin(columns["kind_category"], GPU_WORK), columns["invalid_work"]
    count, time = np.zeros(kinds, np.int64), np.zeros(kinds)
    for track in _stream_tracks(store):
        first, last = events.events_in(track, window.from_ns, window.to_ns)
        kind = events.kind[first:last]
        inside = window.cut(*_spans_in(events, track, window))
        count += np.bincount(kind, minlength=kinds)
        left_out = invalid[place_in(invalid, first) : place_in(invalid, last)]
        count -= np.bincount(events.kind[left_out], minlength=kinds)
        # Sums of whole numbers below 2^53 are exact.
        time += np.bincount(kind, inside, minlength=kinds)
    return count * is_work, np.rint(time).astype(np.int64) * is_work


def _stream_tracks(store: Store) -> Iterator[int]:
    first_track = store.columns["first_track"].tolist()
    for lane in store.timeline.lanes:
        if lane.kind == "stream":
            yield from range(first_track[lane.id], first_track[lane.id + 1])


def _named(store: Store, kind: int, count: int, time_ns: int) -> schema.WorkInView:
    name = store.name(int(store.columns["kind_name"][kind]))
    category = Category(int(store.columns["kind_category"][kind]))
    said = what_is(name, category)
    human = None if not said.telling else said.human if said.tile is None else f"{said.human}, {said.tile}"
    short = store.short_name(int(store.columns["kind_name"][kind])).decode()
    return schema.WorkInView(short, category.name.lower(), human, count, time_ns / 1000)


def _launches(store: Store, window: _Window) -> int:
    """Calls that launched recorded GPU work and begin in the window."""
    columns = store.columns
    found = 0
    for lane in store.timeline.lanes:
        low, high = place_in(columns["call_lane"], lane.id), place_in(columns["call_lane"], lane.id, "right")
        starts = columns["call_start_ns"][low:high]
        inside = slice(low + place_in(starts, window.from_ns), low + place_in(starts, window.to_ns))
        # A call has an entry for each event that it launched.
        work = columns["call_work"][inside]
        found += len(distinct(columns["launched_by"][np.searchsorted(columns["launched_work"], work)]))
    return found


def find_in_view(store: Store, from_ns: int, to_ns: int) -> schema.InView:
    """The figures of ``[from, to)``, in ns from the first step's start; ``to`` is larger than ``from``."""
    window = _Window(from_ns, to_ns)
    devices = range(len(store.columns["busy_devices"]))
    gaps = [_gaps(store, place, window) for place in devices]
    count, time = _work_by_kind(store, window)
    found = np.flatnonzero(count)
    order = found[np.lexsort((found, -count[found], -time[found]))]
    kernels = store.columns["kind_category"] == Category.KERNEL
    rest = order[MOST_ROWS:]
    return schema.InView(
        from_us=from_ns / 1000,
        to_us=to_ns / 1000,
        devices=[_device(store, place, window) for place in devices],
        launches=_launches(store, window),
        kernels=int(count[kernels].sum()),
        work=[_named(store, k, int(count[k]), int(time[k])) for k in order[:MOST_ROWS].tolist()],
        rest=schema.RestInView(len(rest), int(count[rest].sum()), int(time[rest].sum()) / 1000),
        gaps_count=sum(number for number, _ in gaps),
        gaps=sorted((gap for _, some in gaps for gap in some), key=lambda g: (-g.in_view_us, g.start_us))[
            :MOST_ROWS
        ],
        waits=_waits(store, window),
    )
