"""Batches of decoded entries → the columns of ``Events`` and their tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from tb_plugin_explain.trace.categories import (
    FIRST_KIND_WITHOUT_ROW,
    GPU_WORK,
    Kind,
    category_by_name,
    kind_of,
    row_kind,
)
from tb_plugin_explain.trace.details import DetailsCollector, joined
from tb_plugin_explain.trace.entries import NO_NUMBER, Args, Entry
from tb_plugin_explain.trace.interning import Interner, text_of
from tb_plugin_explain.trace.model import (
    NO_CORRELATION,
    NONE,
    Bools,
    Category,
    Events,
    Ids,
    Int32s,
    Int64s,
    Lane,
    Stream,
    UInt8s,
)
from tb_plugin_explain.trace.numbers import LATEST_NS, nanoseconds, whole_number, whole_numbers

_NO_ARGS = Args()
_DIGITS = re.compile(r"[0-9]{1,9}")
_PROCESS_NAME = re.compile(r"python[0-9.]*|python-[0-9.]+", re.IGNORECASE)
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)\s*$")
_INT32_MAX = 2**31 - 1
_IS_GPU_WORK = np.zeros(256, np.bool_)
_IS_GPU_WORK[list(GPU_WORK)] = True
_DTYPES: dict[str, type[np.generic]] = {
    "start_ns": np.int64,
    "duration_ns": np.int64,
    "name": np.int32,
    "category": np.uint8,
    "lane": np.int32,
    "correlation": np.int64,
    "external_id": np.int64,
    "device": np.int32,
    "stream": np.int32,
    "size_bytes": np.int64,
    "collective": np.bool_,
    "ordinal": np.int64,
}
_IDS = frozenset({"correlation", "external_id", "ordinal"})


class _Edge(Struct, frozen=True):
    """A ``B`` or ``E`` that waits for its partner."""

    time_ns: int
    ordinal: int
    kind: int
    entry: Entry


class Columns(Struct):
    """Collects rows; ``events`` gives the columns once everything was added.

    malformed: entries that are no events. string_times: rows whose times are strings.
    """

    malformed: int = 0
    string_times: int = 0
    entries: int = 0
    names: Interner[str] = field(default_factory=lambda: Interner(text_of))
    processes: Interner[str] = field(default_factory=lambda: Interner(text_of))
    lanes: Interner[tuple[str, str]] = field(default_factory=lambda: Interner(_lane_of))
    streams: Interner[tuple[int, str]] = field(default_factory=lambda: Interner(_stream_of))
    _thread_names: dict[tuple[str, str], str] = field(default_factory=dict)
    _kinds: dict[object, int] = field(default_factory=lambda: _Kinds())
    _parts: dict[str, list[npt.NDArray[Any]]] = field(default_factory=lambda: {c: [] for c in _DTYPES})
    _edges: dict[tuple[str, str], list[_Edge]] = field(default_factory=dict)
    details: DetailsCollector = field(default_factory=DetailsCollector)

    def add(self, entries: Sequence[Entry]) -> None:
        """Add a batch of one entry or more; its first is the next of the file."""
        ordinals = np.arange(self.entries, self.entries + len(entries))
        self.entries += len(entries)
        self.add_counted(entries, ordinals)

    def add_counted(self, entries: Sequence[Entry], ordinals: Int64s) -> None:
        """Add one entry or more that ``entries`` counts already, by their numbers in the file."""
        kinds = self._kinds_of(entries)
        timed = kinds <= Kind.END
        if not timed.all():
            self._note_metadata(compress(entries, (kinds == Kind.METADATA).tobytes()))
            self.malformed += int(np.count_nonzero(kinds == Kind.MALFORMED))
            entries, kinds = list(compress(entries, timed.tobytes())), kinds[timed]
        if entries:
            self._add_timed(entries, kinds, ordinals[timed])

    def _add_timed(self, entries: Sequence[Entry], kinds: UInt8s, ordinal: Int64s) -> None:
        start = nanoseconds([entry.ts for entry in entries])
        duration = nanoseconds([entry.dur for entry in entries])
        end_fits = start.values <= LATEST_NS - np.maximum(duration.values, 0)
        known = start.known & duration.known & end_fits
        self.string_times += int(np.count_nonzero(known & (start.quoted | duration.quoted)))
        self.malformed += int(np.count_nonzero(~known))
        rows = known & (kinds < FIRST_KIND_WITHOUT_ROW)
        if not rows.all():
            self._note_edges(entries, kinds, known, start.values, ordinal)
            entries = list(compress(entries, rows.tobytes()))
        self._append(entries, kinds[rows], start.values[rows], duration.values[rows], ordinal[rows])

    def events(self) -> Events:
        """The columns, in the order of the file."""
        self._append_pairs()
        columns: dict[str, npt.NDArray[Any]] = {}
        for name, parts in self._parts.items():
            # One column after the other, so that only one stands in memory twice.
            columns[name] = joined(parts) if parts else np.empty(0, _DTYPES[name])
            parts.clear()
            if name in _IDS:
                columns[name] = _as_small(columns[name])
        ordinal = columns["ordinal"]
        if (ordinal[1:] < ordinal[:-1]).any():
            order = np.argsort(ordinal, kind="stable")
            columns = {name: column[order] for name, column in columns.items()}
        return Events(process=self._processes_of_lanes()[columns["lane"]], **columns)

    def put(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add rows that are numbers already: columns of ``Events``, without ``process``, and of details."""
        for name, parts in self._parts.items():
            parts.append(columns[name].view(_DTYPES[name]))
        self.details.put(
            **{name: column for name, column in columns.items() if name not in self._parts and len(column)}
        )

    def _processes_of_lanes(self) -> Int32s:
        return np.array([self.processes.id_of(pid) for pid, _ in self.lanes.ids], np.int32)

    def lane_table(self) -> tuple[Lane, ...]:
        """The lanes by id."""
        return tuple(Lane(pid, tid, self._thread_names.get((pid, tid))) for pid, tid in self.lanes.ids)

    def stream_table(self) -> tuple[Stream, ...]:
        """The streams by id."""
        return tuple(Stream(device, key) for device, key in self.streams.ids)

    def _kinds_of(self, entries: Sequence[Entry]) -> UInt8s:
        keys = [(entry.ph, entry.cat) for entry in entries]
        try:
            return np.fromiter(map(self._kinds.__getitem__, keys), np.uint8, len(keys))
        except TypeError:  # a list or object where a text belongs
            return np.array([kind_of(phase, category) for phase, category in keys], np.uint8)

    def _append(
        self, entries: Sequence[Entry], kinds: UInt8s, start_ns: Int64s, duration_ns: Int64s, ordinal: Int64s
    ) -> None:
        if not entries:
            return
        name = self.names.column([entry.name for entry in entries])
        lane = self.lanes.column([(entry.pid, entry.tid) for entry in entries])
        args = [entry.args or _NO_ARGS for entry in entries]
        category = _categories(entries, kinds)
        device, stream, size_bytes = self._places(entries, args, category)
        external_ids = [a.external_id_2021 if a.external_id is NO_NUMBER else a.external_id for a in args]
        correlation = whole_numbers([a.correlation for a in args], NO_CORRELATION)
        correlation[correlation == -1] = NO_CORRELATION
        batch: dict[str, npt.NDArray[Any]] = {
            "start_ns": start_ns,
            "duration_ns": duration_ns,
            "name": name,
            "category": category,
            "lane": lane,
            "correlation": correlation,
            "external_id": whole_numbers(external_ids, NONE),
            "device": device,
            "stream": stream,
            "size_bytes": size_bytes,
            "collective": _given([a.collective for a in args]),
            "ordinal": ordinal,
        }
        for column, parts in self._parts.items():
            parts.append(batch[column])
        self.details.add(category, args, ordinal)

    def _places(
        self, entries: Sequence[Entry], args: list[Args], category: UInt8s
    ) -> tuple[Int32s, Int32s, Int64s]:
        """Device, stream and bytes, which only GPU work has."""
        device = np.full(len(entries), NONE, np.int32)
        stream = np.full(len(entries), NONE, np.int32)
        size_bytes = np.full(len(entries), NONE, np.int64)
        gpu = _IS_GPU_WORK[category]
        if gpu.any():
            chosen = gpu.tobytes()
            rows = list(zip(compress(entries, chosen), compress(args, chosen), strict=True))
            device[gpu] = devices = _devices(rows)
            stream[gpu] = self.streams.column(
                [(d, _queue(e, a)) for d, (e, a) in zip(devices.tolist(), rows, strict=True)]
            )
            sizes = whole_numbers([a.size if a.bytes is NO_NUMBER else a.bytes for _, a in rows], NONE)
            size_bytes[gpu] = np.where(category[gpu] == Category.KERNEL, NONE, sizes)
        return device, stream, size_bytes

    def _note_metadata(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.name == "thread_name" and entry.args and isinstance(entry.args.name, str):
                self.note_thread_name(entry.pid, entry.tid, entry.args.name)

    def note_thread_name(self, pid: object, tid: object, name: str) -> None:
        """Keep the name of a thread, if it tells more than the one that is known."""
        lane = _lane_of((pid, tid))
        known = self._thread_names.get(lane)
        if known is None or _telling(name) > _telling(known):
            self._thread_names[lane] = name.strip()

    def _note_edges(
        self, entries: Sequence[Entry], kinds: UInt8s, known: Bools, start_ns: Int64s, ordinal: Int64s
    ) -> None:
        for i in np.flatnonzero(known & (kinds >= FIRST_KIND_WITHOUT_ROW)).tolist():
            entry = entries[i]
            edge = _Edge(int(start_ns[i]), int(ordinal[i]), int(kinds[i]), entry)
            self._edges.setdefault(_lane_of((entry.pid, entry.tid)), []).append(edge)

    def _append_pairs(self) -> None:
        """Add a row for every ``B`` and its ``E``; count those without partner."""
        pairs: list[tuple[_Edge, int]] = []
        for edges in self._edges.values():
            found = _paired(edges)
            self.malformed += len(edges) - 2 * len(found)
            pairs += found
        self._edges.clear()
        entries = [begin.entry for begin, _ in pairs]
        self._append(
            entries,
            np.array([row_kind(entry.cat) for entry in entries], np.uint8),
            np.array([begin.time_ns for begin, _ in pairs], np.int64),
            np.array([end_ns - begin.time_ns for begin, end_ns in pairs], np.int64),
            np.array([begin.ordinal for begin, _ in pairs], np.int64),
        )


def _as_small(ids: Int64s) -> Ids:
    """As int32 where all fit, which is nearly everywhere, in half the memory."""
    if len(ids) and ids.min() >= -_INT32_MAX and ids.max() <= _INT32_MAX:
        return ids.astype(np.int32)
    return ids


class _Kinds(dict[object, int]):
    def __missing__(self, key: tuple[object, object]) -> int:
        self[key] = found = int(kind_of(*key))
        return found


def _paired(edges: list[_Edge]) -> list[tuple[_Edge, int]]:
    """Each ``B`` of a lane with the end of the ``E`` that closes it, innermost first."""
    pairs = []
    open_edges: list[_Edge] = []
    for edge in sorted(edges, key=lambda e: (e.time_ns, e.ordinal)):
        if edge.kind == Kind.BEGIN:
            open_edges.append(edge)
        elif open_edges:
            pairs.append((open_edges.pop(), edge.time_ns))
    return pairs


def _lane_of(key: object) -> tuple[str, str]:
    assert isinstance(key, tuple)
    return text_of(key[0]), text_of(key[1])


def _stream_of(key: object) -> tuple[int, str]:
    assert isinstance(key, tuple)
    return key[0], text_of(key[1])


def _categories(entries: Sequence[Entry], kinds: UInt8s) -> UInt8s:
    category = kinds.copy()
    for i in np.flatnonzero(kinds >= Kind.BY_NAME).tolist():
        entry = entries[i]
        category[i] = category_by_name(int(kinds[i]), text_of(entry.pid), text_of(entry.name))
    return category


def _given(values: list[object]) -> Bools:
    if values.count(None) == len(values):
        return np.zeros(len(values), np.bool_)
    return np.array([value is not None for value in values], np.bool_)


def _devices(rows: list[tuple[Entry, Args]]) -> Int32s:
    found = whole_numbers([a.device for _, a in rows], NONE)
    for i in np.flatnonzero((found < 0) | (found > _INT32_MAX)).tolist():
        found[i] = _device(*rows[i])
    return found.astype(np.int32)


def _device(entry: Entry, args: Args) -> int:
    """The device of GPU work whose argument ``device`` is missing or odd."""
    for text in (args.from_device, args.in_device):
        number = whole_number(text, NONE)
        if 0 <= number <= _INT32_MAX:
            return number
    return device_of_process(entry.pid)


def device_of_process(pid: object) -> int:
    """The device that a ``pid`` names: its first number, 0 without one."""
    digits = _DIGITS.search(text_of(pid))
    return int(digits[0]) if digits else 0


def _queue(entry: Entry, args: Args) -> object:
    for value in (args.stream, args.sycl_queue, args.queue, args.l0_queue, args.hsa_queue):
        if value is not None:
            return value
    return entry.tid


def _telling(thread_name: str) -> int:
    """How much a thread's name says: a name of its own over that of the whole process."""
    inner = _IN_PARENTHESES.search(thread_name)
    own = (inner[1] if inner else thread_name).strip()
    if not own:
        return 0
    return 1 if _PROCESS_NAME.fullmatch(own) else 2
