"""Files of any bytes, and traces that something happened to: what a reader may be given."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.faults.cache_tabs import step_events

# What a trace is made of, for texts that are nearly one.
_PIECES = [
    b'{"traceEvents":[',
    b'"traceEvents"',
    b'{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a","cat":"kernel"}',
    b'{"ph":"B","ts":1,"pid":1,"tid":1,"name":"ProfilerStep#1"}',
    b'{"ph":"E","ts":9,"pid":1,"tid":1}',
    b'{"ph":"M","name":"thread_name","args":{"name":"main"}}',
    b'{"ph":"i","cat":"cpu_instant_event","ts":1}',
    b'"args":{"correlation":1}',
    b'"deviceProperties":[{"id":0}]',
    b'"distributedInfo":{"rank":0}',
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xff",
    b"\0",
    b"\n",
    b" ",
    b"9" * 25,
    *b'[ ] { } , : " - \\ \\u \\ud800 null true 1e999 0.1 NaN Infinity [[[[ ]]]]'.split(b" "),
]


def odd_values() -> st.SearchStrategy[Any]:
    """What may stand where a number or a text belongs."""
    numbers = st.integers(-(2**70), 2**70) | st.floats() | st.integers(-2, 40)
    texts = st.text(max_size=8) | st.sampled_from(
        ["1", "1.5", "-1", "1e5", "", "ProfilerStep#1", "nan", "x" * 300]
    )
    scalars = st.none() | st.booleans() | numbers | texts
    return scalars | st.lists(scalars, max_size=3) | st.dictionaries(texts, scalars, max_size=2)


def _words(*lines: str) -> list[str]:
    return "|".join(lines).split("|")


_FIELDS = _words("ph|cat|name|pid|tid|ts|dur|args|id|correlation|device|stream|bytes")
_CATEGORIES = _words(
    "cpu_op|user_annotation|gpu_user_annotation|cuda_runtime|cuda_driver|kernel|gpu_memcpy|gpu_memset",
    "overhead|python_function|cuda_sync|cpu_instant_event|mtia_ccp_events|Trace|ac2g",
)
_NAMES = _words(
    "aten::mm|cudaLaunchKernel|cudaDeviceSynchronize|cudaMemcpyAsync|[memory]",
    "Memcpy HtoD (Pageable -> Device)|ProfilerStep#2|nn.Module: Linear_0|Activity Buffer Request",
    "ncclDevKernel_AllReduce|aten::item|Torch-Compiled Region: 0/0|cudaGraphLaunch|Context Sync",
    "train.py(3): main",
)
_ARGUMENTS = _words(
    "correlation|External id|device|stream|bytes|Input Dims|grid|block|Sequence number|Addr|Bytes|Device Id",
    "Device Type|Total Allocated|Total Reserved|Collective name|In msg nelems|dtype|Ev Idx|Python id",
    "est. achieved occupancy %|Python parent id",
)


@st.composite
def odd_events(draw: st.DrawFn) -> dict[str, Any]:
    """An event of plausible names with any values."""
    event: dict[str, Any] = {
        "ph": draw(st.sampled_from(["X", "X", "X", "X", "B", "E", "i", "M", "s", "f", "C"])),
        "cat": draw(st.sampled_from(_CATEGORIES)),
        "name": draw(st.sampled_from(_NAMES)),
        "pid": draw(st.integers(0, 2)),
        "tid": draw(st.integers(0, 3)),
        "ts": draw(st.integers(0, 3000) | st.floats(0, 3000)),
        "dur": draw(st.integers(-2, 900)),
        "args": {
            draw(st.sampled_from(_ARGUMENTS)): draw(st.integers(-1, 30) | odd_values())
            for _ in range(draw(st.integers(0, 4)))
        },
    }
    for _ in range(draw(st.integers(0, 1))):
        event[draw(st.sampled_from(_FIELDS))] = draw(odd_values())
    return event


Events = list[Any]
Change = Callable[[st.DrawFn, Events], None]


def _remove(draw: st.DrawFn, events: Events) -> None:
    begin = draw(st.integers(0, len(events)))
    del events[begin : begin + draw(st.integers(1, 30))]


def _double(draw: st.DrawFn, events: Events) -> None:
    begin = draw(st.integers(0, len(events)))
    events[begin:begin] = events[begin : begin + draw(st.integers(1, 30))]


def _move(draw: st.DrawFn, events: Events) -> None:
    begin = draw(st.integers(0, len(events)))
    moved = events[begin : begin + 20]
    del events[begin : begin + 20]
    at = draw(st.integers(0, len(events)))
    events[at:at] = moved


def _retype(draw: st.DrawFn, events: Events) -> None:
    whole = [i for i, event in enumerate(events) if isinstance(event, dict)]
    if whole:
        at = draw(st.sampled_from(whole))
        changed = dict(events[at])
        holder = changed["args"] = dict(changed["args"]) if isinstance(changed.get("args"), dict) else {}
        target = holder if draw(st.booleans()) and holder else changed
        target[draw(st.sampled_from(sorted(target) or ["ts"]))] = draw(odd_values())
        events[at] = changed


def _insert(draw: st.DrawFn, events: Events) -> None:
    events.insert(draw(st.integers(0, len(events))), draw(odd_events() | odd_values()))


_CHANGES: list[Change] = [_remove, _double, _move, _retype, _insert]
_KEYS = [
    "deviceProperties",
    "distributedInfo",
    "baseTimeNanoseconds",
    "record_shapes",
    "with_stack",
    "schemaVersion",
]


@st.composite
def changed_traces(draw: st.DrawFn) -> bytes:
    """A real-looking trace of three steps after some changes."""
    events: Events = [event for number in (1, 2, 3) for event in step_events(number, 6)]
    for _ in range(draw(st.integers(1, 6))):
        draw(st.sampled_from(_CHANGES))(draw, events)
    events += draw(st.lists(odd_events(), max_size=8))
    keys = draw(st.dictionaries(st.sampled_from(_KEYS), odd_values(), max_size=2))
    return json.dumps({**keys, "traceEvents": events}).encode()


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[bytes]) -> bytes:
    """A text with bytes that are changed, cut out, doubled or put in."""
    data = bytearray(draw(texts))
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 60))
        part = draw(
            st.binary(max_size=4) | st.sampled_from(_PIECES) | st.just(bytes(data[at : at + length]) * 2)
        )
        data[at : at + length] = part
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@st.composite
def gzipped(draw: st.DrawFn, texts: st.SearchStrategy[bytes]) -> bytes:
    """A text as gzip of several members, with wrong trailers, flags or sizes."""
    text = draw(texts)
    cut = draw(st.integers(0, len(text)))
    stored = gzip.compress(text[:cut], 1) + gzip.compress(text[cut:], 0)
    kind = draw(st.sampled_from(["whole", "no trailer", "raw", "zlib", "twice", "flags"]))
    if kind == "no trailer":
        return stored[: -draw(st.integers(1, 8))]
    if kind == "raw":
        return zlib.compress(text)[2:-4]
    if kind == "zlib":
        return zlib.compress(text)
    if kind == "twice":
        return gzip.compress(stored)
    if kind == "flags":
        return stored[:3] + bytes([draw(st.integers(0, 255))]) + stored[4:]
    return stored


def nearly_traces() -> st.SearchStrategy[bytes]:
    """Pieces of a trace in any order."""
    return st.lists(st.sampled_from(_PIECES) | st.binary(max_size=3), max_size=40).map(b"".join)


def any_files() -> st.SearchStrategy[bytes]:
    """All of it: half of them traces or nearly so."""
    texts = st.one_of(st.binary(max_size=400), nearly_traces(), changed_traces(), damaged(changed_traces()))
    return st.one_of(texts, texts, gzipped(texts), damaged(gzipped(texts)))
