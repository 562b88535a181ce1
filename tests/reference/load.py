"""A well-formed trace file → its events, in integer nanoseconds."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from . import names


class Event:
    """One timed event `[start, end)`; `launch`: call of a linked GPU event; `owned`: GPU events of a call."""

    __slots__ = (
        "category",
        "communication",
        "correlation",
        "device",
        "end",
        "external_id",
        "index",
        "kind",
        "launch",
        "name",
        "owned",
        "pid",
        "start",
        "stream",
        "tid",
    )

    def __init__(
        self, index: int, kind: str, category: str, name: str, pid: str, tid: str, start: int, end: int
    ) -> None:
        self.index, self.kind, self.category, self.name = index, kind, category, name
        self.pid, self.tid, self.start, self.end = pid, tid, start, end
        self.correlation: int | None = None
        self.external_id: int | None = None
        self.device: int = 0
        self.stream: tuple[int, str] = (0, "")
        self.communication = False
        self.launch: Event | None = None
        self.owned: list[Event] = []

    @property
    def launch_start(self) -> int:
        """Start of the launch call of a linked GPU event."""
        if self.launch is None:
            raise ValueError("no launch call is known")
        return self.launch.start

    @property
    def thread(self) -> tuple[str, str]:
        return self.pid, self.tid


class Loaded:
    """What the file holds, and what of it was lost."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.raw_events: list[Any] = []  # as the file has them; `Event.index` is a place in it
        self.events: list[Event] = []
        self.zero_events = 0
        self.zero_gpu_events = 0
        self.negative_cpu_events = 0
        self.negative_gpu_events = 0


def load(path: str | Path) -> Loaded:
    document = _parse(_read(path))
    if isinstance(document, list):
        document = {"traceEvents": document}
    loaded = Loaded({key: value for key, value in document.items() if key != "traceEvents"})
    loaded.raw_events = document["traceEvents"]
    for index, raw, start, duration in _timed(loaded.raw_events):
        _add(loaded, index, raw, start, duration)
    return loaded


def _read(path: str | Path) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def _parse(data: bytes) -> Any:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    else:
        text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return json.loads(text, parse_float=Decimal, parse_constant=lambda _: None)


def nanoseconds(value: object) -> int | None:
    """Microseconds as written in the file → nanoseconds: times 1000, rounded half to even."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value * 1000
    if isinstance(value, str):
        try:
            value = Decimal(value.strip())
        except InvalidOperation:
            return None
    if isinstance(value, Decimal) and value.is_finite():
        return int(value.scaleb(3).to_integral_value(ROUND_HALF_EVEN))
    return None


def _timed(raw_events: list[Any]) -> list[tuple[int, dict[str, Any], int, int]]:
    """`X` events and pairs of `B` and `E`: (index, event, start, duration)."""
    timed = []
    begun_or_ended = defaultdict(list)
    for index, raw in enumerate(raw_events):
        if not isinstance(raw, dict) or raw.get("ph") not in ("X", "B", "E"):
            continue
        start = nanoseconds(raw.get("ts"))
        if start is None:
            continue
        if raw["ph"] == "X":
            timed.append((index, raw, start, nanoseconds(raw.get("dur")) or 0))
        else:
            begun_or_ended[_text(raw.get("pid")), _text(raw.get("tid"))].append((start, index, raw))
    for marks in begun_or_ended.values():
        timed += _pairs(sorted(marks, key=lambda mark: mark[:2]))
    return sorted(timed, key=lambda item: item[0])


def _pairs(marks: list[tuple[int, int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any], int, int]]:
    """An `E` ends the last `B` of its thread that is still open."""
    pairs, still_open = [], []
    for instant, index, raw in marks:
        if raw["ph"] == "B":
            still_open.append((instant, index, raw))
        elif still_open:
            start, first, begun = still_open.pop()
            pairs.append((first, begun, start, instant - start))
    return pairs


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _add(loaded: Loaded, index: int, raw: dict[str, Any], start: int, duration: int) -> None:
    name, pid = _text(raw.get("name")), _text(raw.get("pid"))
    kind = names.kind_of(raw.get("cat"), name, pid)
    on_gpu = kind in names.GPU_KINDS
    if start == 0 and duration == 0:
        loaded.zero_events += 1
        loaded.zero_gpu_events += on_gpu
        return
    if kind is None:
        return
    if duration < 0:
        loaded.negative_gpu_events += on_gpu
        loaded.negative_cpu_events += not on_gpu
        if on_gpu:
            return
        duration = 0
    event = Event(
        index, kind, _text(raw.get("cat")).lower(), name, pid, _text(raw.get("tid")), start, start + duration
    )
    _read_args(event, raw.get("args"))
    loaded.events.append(event)


def _read_args(event: Event, args: object) -> None:
    if not isinstance(args, dict):
        args = {}
    if event.kind in names.GPU_KINDS or event.kind in names.CALL_KINDS:
        correlation = _integer(args.get("correlation"))
        event.correlation = None if correlation in (0, -1) else correlation
        event.external_id = _integer(args.get("External id", args.get("external id")))
    if event.kind in names.GPU_KINDS:
        event.device = _device(event, args)
        event.stream = (event.device, _stream(event, args))
        event.communication = event.kind == names.KERNEL and (
            "Collective name" in args or names.has_communication_name(event.name)
        )


def _integer(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]+\s*", value):
        return int(value)
    return None


def _device(event: Event, args: dict[str, Any]) -> int:
    for key in ("device", "fromDevice", "inDevice"):
        number = _integer(args.get(key))
        if number is not None:
            return number
    number = _integer(event.pid)
    if number is not None:
        return number
    digits = re.search(r"[0-9]+", event.pid)
    return int(digits.group()) if digits else 0


def _stream(event: Event, args: dict[str, Any]) -> str:
    for key in ("stream", "sycl queue", "queue", "hsa_queue"):
        if args.get(key) is not None:
            return str(args[key])
    return event.tid
