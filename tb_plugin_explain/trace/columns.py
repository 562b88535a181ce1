"""Batches of decoded entries → the columns of ``Events`` and their tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import compress

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.trace.categories import (
    FIRST_KIND_WITHOUT_ROW,
    GPU_WORK,
    Kind,
    category_by_name,
    kind_of,
    row_kind,
)
from tb_plugin_explain.trace.entries import Args, Entry
from tb_plugin_explain.trace.interning import Interner, text_of
from tb_plugin_explain.trace.model import (
    NO_CORRELATION,
    NONE,
    Bools,
    Events,
    Int32s,
    Int64s,
    Lane,
    Stream,
    UInt8s,
)
from tb_plugin_explain.trace.times import INT64_MAX

_NO_ARGS = Args()
_WHOLE_NUMBER = re.compile(r"\s*(-?[0-9]{1,19})\s*")
_DIGITS = re.compile(r"[0-9]{1,9}")
_PROCESS_NAME = re.compile(r"python[0-9.]*|python-[0-9.]+", re.IGNORECASE)
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)\s*$")
_INT32_MAX = 2**31 - 1
_CATEGORY_OF_KIND = np.arange(Kind.BY_NAME, dtype=np.uint8)


@dataclass(frozen=True)
class Times:
    """Times of a batch: ``known`` where both could be told, ``quoted`` where one is a string."""

    start_ns: Int64s
    duration_ns: Int64s
    known: Bools
    quoted: Bools | None = None


@dataclass(frozen=True)
class _Edge:
    """A ``B`` or ``E`` that waits for its partner."""

    time_ns: int
    ordinal: int
    kind: int
    entry: Entry


@dataclass
class Columns:
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
    _parts: dict[str, list[npt.NDArray[np.generic]]] = field(
        default_factory=lambda: {f.name: [] for f in fields(Events)}
    )
    _edges: dict[int, list[_Edge]] = field(default_factory=dict)

    def add(self, entries: Sequence[Entry], times: Times) -> None:
        """Add a batch; its first entry is the next of the file."""
        first, count = self.entries, len(entries)
        self.entries += count
        kinds = self._kinds_of(entries)
        timed = kinds <= Kind.END
        kinds[timed & ~times.known] = Kind.MALFORMED
        self.malformed += int(np.count_nonzero(kinds == Kind.MALFORMED))
        if times.quoted is not None:
            self.string_times += int(np.count_nonzero(timed & times.quoted))
        highest = int(kinds.max()) if count else 0
        if highest >= FIRST_KIND_WITHOUT_ROW:
            self._note_metadata(compress(entries, (kinds == Kind.METADATA).tobytes()))
            self._note_edges(entries, kinds, times, first)
        rows = kinds < FIRST_KIND_WITHOUT_ROW
        self._append(
            list(compress(entries, rows.tobytes())),
            kinds[rows],
            times.start_ns[rows],
            times.duration_ns[rows],
            first + np.flatnonzero(rows),
        )

    def events(self) -> Events:
        """The columns, in the order of the file."""
        paired = self._append_pairs()
        columns: dict[str, npt.NDArray[np.generic]] = {}
        for name, parts in self._parts.items():
            # One column after the other, so that only one stands in memory twice.
            columns[name] = np.concatenate(parts) if parts else np.empty(0, _DTYPES[name])
            parts.clear()
        if paired:
            order = np.argsort(columns["ordinal"], kind="stable")
            columns = {name: column[order] for name, column in columns.items()}
        return Events(**columns)  # type: ignore[arg-type]

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
        self, entries: list[Entry], kinds: UInt8s, start_ns: Int64s, duration_ns: Int64s, ordinal: Int64s
    ) -> None:
        if not entries:
            return
        name = self.names.column([entry.name for entry in entries])
        lane = self.lanes.column([(entry.pid, entry.tid) for entry in entries])
        process = self.processes.column([entry.pid for entry in entries])
        args = [entry.args or _NO_ARGS for entry in entries]
        category = _categories(entries, kinds)
        device, stream, size_bytes = self._places(entries, args, category)
        correlation = _int64s([a.correlation for a in args], NO_CORRELATION)
        correlation[correlation == -1] = NO_CORRELATION
        collective = np.fromiter((a.collective is not None for a in args), np.bool_, len(args))
        batch = Events(
            start_ns=start_ns,
            duration_ns=duration_ns,
            name=name,
            category=category,
            process=process,
            lane=lane,
            correlation=correlation,
            external_id=_external_ids(args),
            device=device,
            stream=stream,
            size_bytes=size_bytes,
            collective=collective,
            ordinal=ordinal.astype(np.int64),
        )
        for column, parts in self._parts.items():
            parts.append(getattr(batch, column))

    def _places(
        self, entries: list[Entry], args: list[Args], category: UInt8s
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
            sizes = [a.bytes if a.bytes is not None else a.size for _, a in rows]
            size_bytes[gpu] = np.where(category[gpu] == _KERNEL, NONE, _int64s(sizes, NONE))
        return device, stream, size_bytes

    def _note_metadata(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.name == "thread_name" and entry.args and isinstance(entry.args.name, str):
                lane = _lane_of((entry.pid, entry.tid))
                known = self._thread_names.get(lane)
                if known is None or _telling(entry.args.name) > _telling(known):
                    self._thread_names[lane] = entry.args.name.strip()

    def _note_edges(self, entries: Sequence[Entry], kinds: UInt8s, times: Times, first: int) -> None:
        for i in np.flatnonzero((kinds == Kind.BEGIN) | (kinds == Kind.END)).tolist():
            entry = entries[i]
            edge = _Edge(int(times.start_ns[i]), first + i, int(kinds[i]), entry)
            lane = int(self.lanes.column([(entry.pid, entry.tid)])[0])
            self._edges.setdefault(lane, []).append(edge)

    def _append_pairs(self) -> bool:
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
        return bool(pairs)


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


def _categories(entries: list[Entry], kinds: UInt8s) -> UInt8s:
    category = kinds.copy()
    for i in np.flatnonzero(kinds >= Kind.BY_NAME).tolist():
        entry = entries[i]
        category[i] = category_by_name(int(kinds[i]), text_of(entry.pid), text_of(entry.name))
    return category


def _external_ids(args: list[Args]) -> Int64s:
    found = _int64s([a.external_id for a in args], NONE)
    if (found == NONE).any():
        spelled_2021 = _int64s([a.external_id_2021 for a in args], NONE)
        found = np.where(found == NONE, spelled_2021, found)
    return found


def _devices(rows: list[tuple[Entry, Args]]) -> Int32s:
    found = _int64s([a.device for _, a in rows], NONE)
    for i in np.flatnonzero((found < 0) | (found > _INT32_MAX)).tolist():
        found[i] = _device(*rows[i])
    return found.astype(np.int32)


def _device(entry: Entry, args: Args) -> int:
    """The device of GPU work whose argument ``device`` is missing or odd."""
    for value in (args.from_device, args.in_device, entry.pid):
        number = _int64(value, NONE)
        if 0 <= number <= _INT32_MAX:
            return number
    digits = _DIGITS.search(text_of(entry.pid))
    return int(digits[0]) if digits else 0


def _queue(entry: Entry, args: Args) -> object:
    for value in (args.stream, args.sycl_queue, args.queue, args.l0_queue, args.hsa_queue):
        if value is not None:
            return value
    return entry.tid


def _int64s(values: list[object], missing: int) -> Int64s:
    if set(map(type, values)) == {int}:
        try:
            return np.array(values, np.int64)
        except OverflowError:
            pass
    return np.array([_int64(value, missing) for value in values], np.int64)


def _int64(value: object, missing: int) -> int:
    """A whole number, also one written as float or text; ``missing`` if it is anything else."""
    if isinstance(value, str):
        found = _WHOLE_NUMBER.fullmatch(value)
        value = int(found[1]) if found else None
    elif isinstance(value, float):
        value = int(value) if value.is_integer() else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= INT64_MAX:
        return value
    return missing


def _telling(thread_name: str) -> int:
    """How much a thread's name says: a name of its own over that of the whole process."""
    inner = _IN_PARENTHESES.search(thread_name)
    own = (inner[1] if inner else thread_name).strip()
    if not own:
        return 0
    return 1 if _PROCESS_NAME.fullmatch(own) else 2


_KERNEL = GPU_WORK[0]
_IS_GPU_WORK = np.zeros(256, np.bool_)
_IS_GPU_WORK[list(GPU_WORK)] = True
_DTYPES = {
    "start_ns": np.int64,
    "duration_ns": np.int64,
    "name": np.int32,
    "category": np.uint8,
    "process": np.int32,
    "lane": np.int32,
    "correlation": np.int64,
    "external_id": np.int64,
    "device": np.int32,
    "stream": np.int32,
    "size_bytes": np.int64,
    "collective": np.bool_,
    "ordinal": np.int64,
}
