"""The whole document: the keys beside ``traceEvents``, before and after it, in any order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec
from msgspec import Struct, field

from tb_plugin_explain.trace.repair import BadSyntax, Incomplete, Mender
from tb_plugin_explain.trace.text import TextWindow, TooDeep, skip_value, string_end
from tb_plugin_explain.trace.walker import LARGEST_ENTRY_BYTES, CannotGoOn, Damage

VERSION_KEYS = (
    "cupti_version",
    "cuda_runtime_version",
    "cuda_driver_version",
    "roctracer_version",
    "rocprofiler-sdk_version",
    "hip_runtime_version",
    "hip_driver_version",
)
MODE_KEYS = ("record_shapes", "with_stack", "profile_memory", "with_modules", "with_flops")
_WANTED = {"deviceProperties", "distributedInfo", "baseTimeNanoseconds", *MODE_KEYS, *VERSION_KEYS}
_EVENTS = "traceEvents"
_EXECUTION_GRAPH_KEYS = {"schema", "nodes"}
_CHECKED_BYTES = 1 << 20


class NotATrace(Exception):
    """The file is something else; the text says what."""


class BreaksOff(Exception):
    """The text ends inside the document."""


class Document(Struct):
    """What was read of the document. ``values``: the wanted keys beside ``traceEvents``."""

    top_level_array: bool = False
    has_events: bool = False
    complete: bool = False
    keys: set[str] = field(default_factory=set)
    values: dict[str, object] = field(default_factory=dict)


ScanArray = Callable[[], bool]


def read_document(text: TextWindow, damage: Damage, scan_array: ScanArray) -> Document:
    """Walk through the document; ``scan_array`` reads the events once ``text`` stands in them.

    ``scan_array`` returns whether the array was closed. Raises NotATrace or CannotGoOn.
    """
    document = Document()
    first = text.skip_space(and_nul=True)
    try:
        if first == ord("["):
            _read_array(text, document, scan_array)
        elif first == ord("{"):
            _read_object(text, damage, document, scan_array)
        else:
            raise NotATrace("it does not begin like JSON")
    except BreaksOff:
        return document
    except TooDeep:
        raise CannotGoOn("too_deep", text.offset, "a value is nested too deeply") from None
    document.complete = True
    _refuse_what_follows(text, document)
    return document


def _read_array(text: TextWindow, document: Document, scan_array: ScanArray) -> None:
    text.drop(1)
    first = text.skip_space()
    if first == ord("["):
        raise NotATrace("it is a list of lists, as a memory timeline has it")
    if first >= 0 and first not in b"{]":
        raise NotATrace("it is no JSON of events")
    document.top_level_array = document.has_events = True
    if not scan_array():
        raise BreaksOff


def _read_object(text: TextWindow, damage: Damage, document: Document, scan_array: ScanArray) -> None:
    text.drop(1)
    while _next_byte(text) != ord("}"):
        key = _read_key(text)
        document.keys.add(key)
        if key == _EVENTS and not document.has_events:
            _read_events(text, document, scan_array)
        else:
            _read_value(text, damage, document, key)
        if _next_byte(text) == ord(","):
            text.drop(1)
        elif text.data[0] != ord("}"):
            raise _invalid(text, 0)
    text.drop(1)


def _read_events(text: TextWindow, document: Document, scan_array: ScanArray) -> None:
    if _next_byte(text) != ord("["):
        raise NotATrace("its traceEvents is no list")
    text.drop(1)
    document.has_events = True
    if not scan_array():
        raise BreaksOff


def _read_key(text: TextWindow) -> str:
    if text.data[0] != ord('"'):
        raise _invalid(text, 0)
    while (end := string_end(text.data, 1)) < 0:
        if text.ended:
            raise BreaksOff
        if len(text.data) > _CHECKED_BYTES:
            raise _invalid(text, 0)
        text.fill(2 * len(text.data))
    key = text.data[1 : end - 1].decode(errors="replace")
    text.drop(end)
    if _next_byte(text) != ord(":"):
        raise _invalid(text, 0)
    text.drop(1)
    return key


def _read_value(text: TextWindow, damage: Damage, document: Document, key: str) -> None:
    """Take the value of a wanted key, or check a short one of another; skip a long one."""
    _next_byte(text)
    largest = LARGEST_ENTRY_BYTES if key in _WANTED else _CHECKED_BYTES
    mender = Mender(text.data)
    while True:
        try:
            value = mender.run(ended=text.ended)
        except Incomplete:
            if text.ended:
                raise BreaksOff from None
            if len(text.data) > largest:
                break
            text.fill(2 * len(text.data))
        except BadSyntax as bad:
            raise _invalid(text, bad.position) from None
        else:
            damage.repairs.values += mender.repairs.total
            text.drop(mender.position)
            if key in _WANTED:
                # A number that no float holds tells nothing; the key then counts as missing.
                with contextlib.suppress(msgspec.DecodeError):
                    document.values[key] = msgspec.json.decode(value)
            return
    if not skip_value(text):
        raise BreaksOff


def _refuse_what_follows(text: TextWindow, document: Document) -> None:
    if not document.has_events:
        raise NotATrace(_what_it_is(document))
    following = text.skip_space(and_nul=True)
    if following < 0:
        return
    if following in b"[{":
        raise CannotGoOn("several_documents", text.offset, "it holds several JSON documents")
    raise _invalid(text, 0)


def _what_it_is(document: Document) -> str:
    if document.keys >= _EXECUTION_GRAPH_KEYS:
        return "it is a PyTorch execution graph, which has no times of GPU work"
    return "it has no traceEvents"


def _next_byte(text: TextWindow) -> int:
    following = text.skip_space()
    if following < 0:
        raise BreaksOff
    return following


def _invalid(text: TextWindow, position: int) -> CannotGoOn:
    return CannotGoOn("invalid_json", text.offset + position, "the JSON is not valid")
