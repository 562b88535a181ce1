"""Names that contain a text, and where their events are: docs/http_api.md, ``search``."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.timeline import schema
from tb_plugin_explain.timeline.event import event_ref
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.model import Category, Int64s


def _kinds(store: Store, text: str) -> Int64s:
    """Kinds that occur and whose name contains the text, in any case; those with the most time first."""
    wanted = text.lower()
    matches = np.array([wanted in name for name in store.lowered_names], np.bool_)
    kinds = np.flatnonzero(matches[store.columns["kind_name"]]) if len(matches) else np.zeros(0, np.int64)
    return kinds[np.argsort(-store.columns["kind_total_ns"][kinds].astype(np.int64), kind="stable")]


def _name(store: Store, kind: int) -> schema.SearchName:
    columns = store.columns
    return schema.SearchName(
        name=store.short_name(int(columns["kind_name"][kind])).decode(),
        category=Category(int(columns["kind_category"][kind])).name.lower(),
        count=int(columns["kind_count"][kind]),
        total_us=int(columns["kind_total_ns"][kind]) / 1000,
        first=event_ref(store, int(columns["kind_first"][kind])),
    )


def _next_events(store: Store, kinds: Int64s, after_ns: int, limit: int) -> Int64s:
    """The next events of some kinds that begin after a time, by start."""
    chosen = np.zeros(len(store.columns["kind_name"]), np.bool_)
    chosen[kinds] = True
    found = np.flatnonzero(chosen[store.events.kind])
    start = store.events.start_ns[found]
    found, start = found[start > after_ns], start[start > after_ns]
    if len(found) > limit:
        nearest = np.argpartition(start, limit)[:limit]
        found, start = found[nearest], start[nearest]
    return found[np.argsort(start, kind="stable")]


def search(store: Store, text: str, limit: int, after_ns: int) -> schema.SearchResult:
    """At most ``limit`` names, and as many events that begin after a time."""
    kinds = _kinds(store, text)
    events = _next_events(store, kinds, after_ns, limit) if len(kinds) else kinds
    return schema.SearchResult(
        names=[_name(store, kind) for kind in kinds[:limit].tolist()],
        names_found=len(kinds),
        events_found=int(store.columns["kind_count"][kinds].sum(dtype=np.int64)),
        events=[event_ref(store, number) for number in events.tolist()],
    )
