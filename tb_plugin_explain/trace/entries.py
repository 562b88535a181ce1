"""The fields that are read of an entry of ``traceEvents``, and their decoders.

Numbers stay the text that they are in the file, other fields take any type: what an odd one
means is decided in ``columns``, so that it does not make a whole chunk unreadable. The structs are
not tracked by the garbage collector, which would otherwise visit all of a chunk's.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct, field

MISSING_TIME = Raw(b"nan")
NO_DURATION = Raw(b"0")
NO_NUMBER = Raw(b"-1")


class Args(Struct, gc=False):
    """The arguments that become columns; the rest is read on demand."""

    correlation: Raw = Raw(b"0")
    external_id: Raw = field(name="External id", default=NO_NUMBER)
    external_id_2021: Raw = field(name="external id", default=NO_NUMBER)
    device: Raw = NO_NUMBER
    from_device: Raw = field(name="fromDevice", default=NO_NUMBER)
    in_device: Raw = field(name="inDevice", default=NO_NUMBER)
    bytes: Raw = NO_NUMBER
    size: Raw = NO_NUMBER
    stream: Any = None
    sycl_queue: Any = field(name="sycl queue", default=None)
    queue: Any = None
    l0_queue: Any = field(name="l0 queue", default=None)
    hsa_queue: Any = None
    collective: Any = field(name="Collective name", default=None)
    elements_in: Raw = field(name="In msg nelems", default=NO_NUMBER)
    elements_out: Raw = field(name="Out msg nelems", default=NO_NUMBER)
    dtype: Any = None
    name: Any = None
    sequence: Raw = field(name="Sequence number", default=NO_NUMBER)
    dims: Raw = field(name="Input Dims", default=NO_NUMBER)
    dims_2021: Raw = field(name="Input dims", default=NO_NUMBER)
    grid: Raw = NO_NUMBER
    block: Raw = NO_NUMBER
    occupancy: Raw = field(name="est. achieved occupancy %", default=NO_NUMBER)
    address: Raw = field(name="Addr", default=NO_NUMBER)
    memory_bytes: Raw = field(name="Bytes", default=NO_NUMBER)
    allocated: Raw = field(name="Total Allocated", default=NO_NUMBER)
    reserved: Raw = field(name="Total Reserved", default=NO_NUMBER)
    device_type: Raw = field(name="Device Type", default=NO_NUMBER)
    device_id: Raw = field(name="Device Id", default=NO_NUMBER)


class FullEntry(Struct, gc=False):
    """An entry whose ``args`` is an object, or missing."""

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


Entry = FullEntry | BareEntry

_array_decoder = msgspec.json.Decoder(list[FullEntry])
_one_decoder = msgspec.json.Decoder(FullEntry)
_bare_decoder = msgspec.json.Decoder(BareEntry)
_raw_decoder = msgspec.json.Decoder(list[Raw])

# RecursionError: deeper than the decoder goes. UnicodeDecodeError: a name that is no UTF-8.
_CANNOT_DECODE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def decode_array(array: bytes) -> list[FullEntry] | None:
    """The entries of a JSON array, None if it cannot be decoded so."""
    try:
        return _array_decoder.decode(array)
    except _CANNOT_DECODE:
        return None


def decode_raw(array: bytes) -> list[Raw] | None:
    """The texts of the elements of a JSON array, None if it cannot be decoded."""
    try:
        return _raw_decoder.decode(array)
    except _CANNOT_DECODE:
        return None


def decode_one(entry: bytes) -> Entry:
    """One entry, without fields if it is no object."""
    try:
        return _one_decoder.decode(entry)
    except _CANNOT_DECODE:
        pass
    try:
        return _bare_decoder.decode(entry)
    except _CANNOT_DECODE:
        return BareEntry()


def decode_args(entry: bytes) -> dict[str, Any] | None:
    """The whole ``args`` of one entry, empty if there are none or they are no object.

    None if the entry cannot be decoded.
    """
    try:
        decoded = msgspec.json.decode(entry)
    except _CANNOT_DECODE:
        return None
    args = decoded.get("args") if isinstance(decoded, dict) else None
    return args if isinstance(args, dict) else {}
