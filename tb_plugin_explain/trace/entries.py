"""The fields that are read of an entry of ``traceEvents``, and their decoders.

Fields other than times take any type: what an odd one means is decided in ``columns``, so that
one odd value does not make a whole chunk unreadable. The structs are not tracked by the garbage
collector, which would otherwise visit all of a chunk's.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct, field

MISSING_TIME = Raw(b"nan")
NO_DURATION = Raw(b"0")


class Args(Struct, gc=False):
    """The arguments that become columns; the rest is read on demand."""

    correlation: Any = 0
    external_id: Any = field(name="External id", default=-1)
    external_id_2021: Any = field(name="external id", default=-1)
    device: Any = None
    stream: Any = None
    bytes: Any = None
    size: Any = None
    collective: Any = field(name="Collective name", default=None)
    name: Any = None
    from_device: Any = field(name="fromDevice", default=None)
    in_device: Any = field(name="inDevice", default=None)
    sycl_queue: Any = field(name="sycl queue", default=None)
    queue: Any = None
    l0_queue: Any = field(name="l0 queue", default=None)
    hsa_queue: Any = None


class QuickEntry(Struct, gc=False):
    """An entry with its times as numbers: enough for almost every file."""

    ph: Any = None
    cat: Any = None
    name: Any = None
    pid: Any = None
    tid: Any = None
    ts: int | float | None = None
    dur: int | float = 0
    args: Args | None = None


class ExactEntry(Struct, gc=False):
    """An entry with its times as the text in the file."""

    ph: Any = None
    cat: Any = None
    name: Any = None
    pid: Any = None
    tid: Any = None
    ts: Raw = MISSING_TIME
    dur: Raw = NO_DURATION
    args: Args | None = None


class BareEntry(Struct, gc=False):
    """An entry whose ``args`` is no object."""

    args: ClassVar[None] = None
    ph: Any = None
    cat: Any = None
    name: Any = None
    pid: Any = None
    tid: Any = None
    ts: Raw = MISSING_TIME
    dur: Raw = NO_DURATION


Entry = QuickEntry | ExactEntry | BareEntry
TextEntry = ExactEntry | BareEntry

_quick_decoder = msgspec.json.Decoder(list[QuickEntry])
_exact_decoder = msgspec.json.Decoder(list[ExactEntry])
_one_decoder = msgspec.json.Decoder(ExactEntry)
_bare_decoder = msgspec.json.Decoder(BareEntry)
_raw_decoder = msgspec.json.Decoder(list[Raw])

# RecursionError: deeper than the decoder goes. UnicodeDecodeError: a name that is no UTF-8.
_CANNOT_DECODE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def decode_quick(array: bytes) -> list[QuickEntry] | None:
    """The entries of a JSON array, None if it cannot be decoded so."""
    try:
        return _quick_decoder.decode(array)
    except _CANNOT_DECODE:
        return None


def decode_exact(array: bytes) -> list[ExactEntry] | None:
    """The entries of a JSON array with times as text, None if it cannot be decoded so."""
    try:
        return _exact_decoder.decode(array)
    except _CANNOT_DECODE:
        return None


def decode_raw(array: bytes) -> list[Raw] | None:
    """The texts of the elements of a JSON array, None if it cannot be decoded."""
    try:
        return _raw_decoder.decode(array)
    except _CANNOT_DECODE:
        return None


def decode_one(entry: bytes) -> TextEntry:
    """One entry, without fields if it is no object."""
    try:
        return _one_decoder.decode(entry)
    except _CANNOT_DECODE:
        pass
    try:
        return _bare_decoder.decode(entry)
    except _CANNOT_DECODE:
        return BareEntry()


def decode_args(entry: bytes) -> dict[str, Any]:
    """The whole ``args`` of one entry, empty if there are none or they are no object."""
    try:
        decoded = msgspec.json.decode(entry)
    except _CANNOT_DECODE:
        return {}
    args = decoded.get("args") if isinstance(decoded, dict) else None
    return args if isinstance(args, dict) else {}
