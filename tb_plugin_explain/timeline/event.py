"""What one event is and where it comes from: docs/http_api.md, ``event``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tb_plugin_explain.timeline import schema
from tb_plugin_explain.timeline.pyramid import place_in
from tb_plugin_explain.timeline.roles import ANNOTATION, CALL, MODULE, OPERATOR, SOURCE
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.model import Category, Int64s

MOST_LAUNCHED = 50
_MODULE_PREFIX = "nn.Module: "


class UnknownEvent(Exception):
    """The timeline has no event of this index in the file."""


def event_ref(store: Store, number: int) -> schema.EventRef:
    """One event by its number; its whole length, also where it is drawn shorter."""
    columns, events = store.columns, store.events
    kind = int(events.kind[number])
    track = place_in(events.offsets, number, "right") - 1
    lane = place_in(columns["first_track"], track, "right") - 1
    return schema.EventRef(
        event=int(columns["ordinal"][number]),
        name=store.short_name(int(columns["kind_name"][kind])).decode(),
        category=Category(int(columns["kind_category"][kind])).name.lower(),
        lane=lane,
        row=track - int(columns["first_track"][lane]),
        start_us=int(events.start_ns[number]) / 1000,
        duration_us=whole_ns(store, number) / 1000,
    )


def _entry(store: Store, keys: str, number: int) -> int | None:
    """Place of an event in a table that is sorted by events; the first of several."""
    column = store.columns[keys]
    place = place_in(column, number)
    return place if place < len(column) and int(column[place]) == number else None


def whole_ns(store: Store, number: int) -> int:
    """How long an event is, also where it is drawn shorter."""
    place = _entry(store, "cut_event", number)
    return int(store.events.duration_ns[number] if place is None else store.columns["cut_whole_ns"][place])


def find_event(store: Store, ordinal: int) -> int:
    """Number of the event with this index in the file.

    Raises:
        UnknownEvent: there is none, or it is not shown.
    """
    by_ordinal = store.columns["by_ordinal"]
    number = int(by_ordinal[ordinal]) if 0 <= ordinal < len(by_ordinal) else -1
    if number < 0:
        raise UnknownEvent(f"The timeline shows no event {ordinal}.")
    return number


class _Place:
    """An event's lane and row, and what stands above and below it."""

    def __init__(self, store: Store, number: int) -> None:
        self._events = store.events
        first_track = store.columns["first_track"]
        self._track = place_in(self._events.offsets, number, "right") - 1
        self.lane = place_in(first_track, self._track, "right") - 1
        self._top = int(first_track[self.lane])
        self._bottom = int(first_track[self.lane + 1])
        self.start_ns = int(self._events.start_ns[number])
        self.end_ns = self.start_ns + int(self._events.duration_ns[number])

    def ancestors(self) -> Iterator[int]:
        """The events of a thread that the event runs in, the innermost first."""
        for track in range(self._track - 1, self._top - 1, -1):
            low, high = self._events.offsets[track : track + 2].tolist()
            place = low + place_in(self._events.start_ns[low:high], self.start_ns, "right") - 1
            if place >= low:
                yield place

    def children_ns(self) -> int:
        """The time of the events one row below, inside the event."""
        if self._track + 1 == self._bottom:
            return 0
        first, last = self._events.events_in(self._track + 1, self.start_ns, self.end_ns)
        return int(self._events.duration_ns[first:last].sum(dtype=np.int64))


def _is(store: Store, number: int, roles: int) -> bool:
    return bool(int(store.columns["kind_is"][store.events.kind[number]]) & roles)


def _full_name(store: Store, number: int) -> str:
    return store.name(int(store.columns["kind_name"][store.events.kind[number]]))


def _call_of(store: Store, number: int) -> int | None:
    """The call that launched a GPU event."""
    place = _entry(store, "launched_work", number)
    return None if place is None else int(store.columns["launched_by"][place])


def _forward_of(store: Store, path: Sequence[int]) -> int | None:
    """The operator of the forward pass that the outermost backward node of a path belongs to."""
    for number in reversed(path):
        place = _entry(store, "backward_node", number)
        if place is not None:
            return int(store.columns["backward_forward"][place])
    return None


def _above(store: Store, number: int) -> list[int]:
    """An event of a thread and all it runs in, the innermost first."""
    return [number, *_Place(store, number).ancestors()]


def _module(store: Store, path: Sequence[int]) -> str | None:
    """``Net_0/Linear_1``: the calls of modules around an event."""
    calls = [_full_name(store, n) for n in reversed(path) if _is(store, n, MODULE)]
    return "/".join(call.removeprefix(_MODULE_PREFIX) for call in calls) or None


def _nearest(store: Store, paths: Sequence[Sequence[int]], role: int) -> int | None:
    return next((n for path in paths for n in path if _is(store, n, role)), None)


def _chain(
    store: Store, number: int, call: int | None, paths: Sequence[Sequence[int]]
) -> Iterator[schema.ChainLink]:
    """From the source line to the kernel, without what the trace does not tell."""
    links: list[tuple[schema.LinkKind, int | None]] = [
        ("source", _nearest(store, paths, SOURCE)),
        ("module", _nearest(store, paths, MODULE)),
        ("annotation", _nearest(store, paths[:1], ANNOTATION)),
        ("operator", _nearest(store, paths[:1], OPERATOR)),
        ("launch", call if call is not None else number if _is(store, number, CALL) else None),
        ("kernel", number if call is not None else None),
    ]
    for kind, found in links:
        if found is not None:
            yield schema.ChainLink(kind, event_ref(store, found))


def _launch(store: Store, number: int, call: int) -> schema.Launch:
    columns, events = store.columns, store.events
    latency_us = (int(events.start_ns[number]) - int(events.start_ns[call])) / 1000
    place = _entry(store, "latency_kernel", number)
    if place is None or latency_us < 0:
        return schema.Launch(event_ref(store, call), latency_us, None)
    parts = [int(part) / 1000 for part in columns["latency_parts_ns"][place]]
    return schema.Launch(
        event_ref(store, call), latency_us, dict(zip(store.timeline.latency_parts, parts, strict=True))
    )


def _launched(store: Store, place: _Place) -> Int64s:
    """The GPU events whose calls begin on the event's lane while it runs, in the order of the calls."""
    columns = store.columns
    low = place_in(columns["call_lane"], place.lane)
    high = place_in(columns["call_lane"], place.lane, "right")
    starts = columns["call_start_ns"][low:high]
    begin = low + place_in(starts, place.start_ns)
    end = low + place_in(starts, max(place.end_ns, place.start_ns + 1))
    return columns["call_work"][begin:end].astype(np.int64)


def _step(store: Store, process: str, start_us: float) -> int | None:
    """Number of the step that an instant of a process lies in; the one that began last."""
    steps = [
        s
        for s in store.timeline.steps
        if s.start_us <= start_us < s.start_us + s.duration_us and s.number is not None
    ]
    own = [s for s in steps if s.process == process] or steps
    return max(own, key=lambda s: s.start_us).number if own else None


def name_stats(store: Store, kind: int) -> schema.NameStats:
    """The figures of all events of one name and category."""
    c = store.columns
    median = float(c["kind_averaged_median_ns"][kind])
    return schema.NameStats(
        int(c["kind_count"][kind]),
        int(c["kind_total_ns"][kind]) / 1000,
        int(c["kind_averaged_count"][kind]),
        int(c["kind_averaged_total_ns"][kind]) / 1000,
        None if math.isnan(median) else median / 1000,
    )


def describe(store: Store, ordinal: int) -> schema.EventDetails:
    """All that the timeline knows of one event.

    Raises:
        UnknownEvent: see ``find_event``.
    """
    number = find_event(store, ordinal)
    place, call = _Place(store, number), _call_of(store, number)
    lane = store.timeline.lanes[place.lane]
    asking = call if call is not None else number if lane.kind == "thread" else None
    own = [] if asking is None else _above(store, asking)
    forward = _forward_of(store, own)
    paths = [own, [] if forward is None else _above(store, forward)]
    launched = _launched(store, place) if lane.kind == "thread" else np.zeros(0, np.int64)
    began = number if call is None else call
    began_in = store.timeline.lanes[_Place(store, began).lane]
    self_ns = place.end_ns - place.start_ns - (place.children_ns() if lane.kind == "thread" else 0)
    return schema.EventDetails(
        event=event_ref(store, number),
        full_name=_full_name(store, number),
        step=_step(store, began_in.process, int(store.events.start_ns[began]) / 1000),
        self_us=self_ns / 1000,
        module=_module(store, own) or _module(store, paths[1]),
        chain=list(_chain(store, number, call, paths)),
        forward=None if forward is None else event_ref(store, forward),
        launch=None if call is None else _launch(store, number, call),
        launched=[event_ref(store, int(n)) for n in launched[:MOST_LAUNCHED]],
        launched_count=len(launched),
        launched_us=int(store.events.duration_ns[launched].sum(dtype=np.int64)) / 1000,
        stats=name_stats(store, int(store.events.kind[number])),
    )
