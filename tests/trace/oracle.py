"""A slow reader of well-formed traces: the json module, decimals, one event after the other."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from tb_plugin_explain.trace.model import Category

_CATEGORIES = {
    "cpu_op": "CPU_OP",
    "operator": "CPU_OP",
    "user_annotation": "ANNOTATION",
    "gpu_user_annotation": "GPU_ANNOTATION",
    "cuda_runtime": "RUNTIME",
    "runtime": "RUNTIME",
    "xpu_runtime": "RUNTIME",
    "mtia_runtime": "RUNTIME",
    "privateuse1_runtime": "RUNTIME",
    "cuda_driver": "DRIVER",
    "xpu_driver": "DRIVER",
    "privateuse1_driver": "DRIVER",
    "kernel": "KERNEL",
    "gpu_memcpy": "MEMCPY",
    "memcpy": "MEMCPY",
    "gpu_memset": "MEMSET",
    "memset": "MEMSET",
    "overhead": "OVERHEAD",
    "python_function": "PYTHON",
    "python": "PYTHON",
    "cuda_sync": "SYNC_ROW",
    "xpu_sync": "SYNC_ROW",
    "cuda_event": "SYNC_ROW",
    "mtia_workloadd": "SYNC_ROW",
    "cpu_instant_event": "INSTANT",
}
_MTIA = {"dma_request": "MEMCPY", "event_wait": "SYNC_ROW", "event_record": "SYNC_ROW"}
_GPU_WORK = ("KERNEL", "MEMCPY", "MEMSET")


class Row(NamedTuple):
    """One timed event, as the columns should have it."""

    ordinal: int
    start_ns: int
    duration_ns: int
    name: str
    category: int
    pid: str
    tid: str
    correlation: int
    external_id: int
    device: int
    size_bytes: int


def events_of(path: Path) -> list[Any]:
    """The entries of ``traceEvents``, numbers with a fraction as Decimal."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    document = json.loads(text, parse_float=Decimal)
    events: list[Any] = document if isinstance(document, list) else document["traceEvents"]
    return events


def rows_of(events: list[Any]) -> list[Row]:
    """The rows of complete events and memory instants; without pairs of B and E."""
    return [
        _row(ordinal, event)
        for ordinal, event in enumerate(events)
        if event["ph"] == "X" or (event["ph"] == "i" and event.get("cat") == "cpu_instant_event")
    ]


def nanoseconds(value: int | Decimal) -> int:
    """Microseconds times 1000, rounded half to even."""
    return round(Decimal(value) * 1000)


def _row(ordinal: int, event: dict[str, Any]) -> Row:
    args = event.get("args") or {}
    category = _category(event)
    on_gpu = category in _GPU_WORK
    correlation = args.get("correlation", 0)
    return Row(
        ordinal=ordinal,
        start_ns=nanoseconds(event["ts"]),
        duration_ns=nanoseconds(event.get("dur", 0)),
        name=event["name"],
        category=int(Category[category]),
        pid=str(event["pid"]),
        tid=str(event["tid"]),
        correlation=0 if correlation == -1 else correlation,
        external_id=args.get("External id", args.get("external id", -1)),
        device=int(args.get("device", event["pid"])) if on_gpu else -1,
        size_bytes=int(args.get("bytes", args.get("size", -1))) if on_gpu and category != "KERNEL" else -1,
    )


def _category(event: dict[str, Any]) -> str:
    category = event.get("cat", "").lower()
    if category == "mtia_ccp_events":
        return _MTIA.get(event["name"], "KERNEL")
    return _CATEGORIES.get(category, "OTHER")
