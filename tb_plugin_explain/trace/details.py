"""Arguments that only some kinds of events have, as tables of their own: see ``model.Details``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Raw

from tb_plugin_explain.trace.entries import NO_NUMBER, Args
from tb_plugin_explain.trace.interning import Interner, text_of
from tb_plugin_explain.trace.model import (
    NONE,
    Category,
    CollectiveDetails,
    Details,
    Int64s,
    KernelDetails,
    MemoryDetails,
    OperatorDetails,
    UInt8s,
)
from tb_plugin_explain.trace.numbers import whole_number, whole_numbers

_NO_SHAPE = b""
# torch's names of element types, c10/core/ScalarType.h.
_ELEMENT_BYTES = {
    **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e5m2", "Float8_e4m3fn"), 1),
    **dict.fromkeys(("Float8_e5m2fnuz", "Float8_e4m3fnuz"), 1),
    **dict.fromkeys(("Short", "Half", "BFloat16"), 2),
    **dict.fromkeys(("Int", "Float"), 4),
    **dict.fromkeys(("Long", "Double", "ComplexFloat"), 8),
    "ComplexDouble": 16,
}
# More is no count of elements: their bytes would not fit int64.
_MOST_ELEMENTS = 2**58


def _percentages(texts: Sequence[Raw]) -> npt.NDArray[np.float32]:
    """Percentages as written; NaN where there is none."""
    joined = b",".join(texts)
    if not joined.translate(None, b"0123456789.,-"):
        values = np.fromstring(joined, np.float32, sep=",")
        values[[text is NO_NUMBER for text in texts]] = np.nan
        return values
    with np.errstate(over="ignore"):
        return np.array([_percentage(text) for text in texts], np.float32)


def _percentage(text: Raw) -> float:
    try:
        return float(bytes(text).strip(b'" ')) if text is not NO_NUMBER else float("nan")
    except ValueError:
        return float("nan")


def _message_bytes(args: Args) -> int:
    """The size of the larger of a collective's messages, -1 where not recorded."""
    width = _ELEMENT_BYTES.get(args.dtype) if isinstance(args.dtype, str) else None
    elements = max(whole_number(args.elements_in, NONE), whole_number(args.elements_out, NONE))
    if width is None or not 0 <= elements <= _MOST_ELEMENTS:
        return NONE
    return elements * width


def _small_numbers(texts: Sequence[Raw]) -> npt.NDArray[np.int32]:
    """Numbers of devices and their types; -1 for what cannot be one."""
    numbers = whole_numbers(texts, NONE)
    return np.where(np.abs(numbers) < 2**31, numbers, NONE).astype(np.int32)


def _plain(key: object) -> bytes:
    """A shape without white space, so that layouts of a file do not tell equal ones apart."""
    assert isinstance(key, bytes)
    return b"".join(key.split())


@dataclass
class DetailsCollector:
    """Collects the tables batch by batch; rows are known by their ordinals until the end."""

    _shapes: Interner[bytes] = field(default_factory=lambda: Interner(_plain))
    _addresses: Interner[bytes] = field(default_factory=lambda: Interner(_plain))
    _collectives: Interner[str] = field(default_factory=lambda: Interner(text_of))
    _parts: dict[str, list[npt.NDArray[Any]]] = field(default_factory=dict)

    def add(self, category: UInt8s, args: Sequence[Args], ordinal: Int64s) -> None:
        """Adds what the rows of a batch have."""
        for kind, take in (
            (Category.CPU_OP, self._add_operators),
            (Category.KERNEL, self._add_kernels),
            (Category.INSTANT, self._add_memory),
        ):
            chosen = category == kind
            if chosen.any():
                take(list(compress(args, chosen.tobytes())), ordinal[chosen])

    def _put(self, **columns: npt.NDArray[Any]) -> None:
        for name, column in columns.items():
            self._parts.setdefault(name, []).append(column)

    def _shape_ids(self, texts: Sequence[bytes]) -> npt.NDArray[np.int32]:
        ids = self._shapes.column(texts)
        ids[[not text for text in texts]] = NONE
        return ids

    def _add_operators(self, args: Sequence[Args], ordinal: Int64s) -> None:
        dims = [a.dims_2021 if a.dims is NO_NUMBER else a.dims for a in args]
        given = [a.sequence is not NO_NUMBER or d is not NO_NUMBER for a, d in zip(args, dims, strict=True)]
        if not any(given):
            return
        self._put(
            operator_row=ordinal[given],
            operator_sequence=whole_numbers([a.sequence for a in compress(args, given)], NONE),
            operator_shape=self._shape_ids(
                [_NO_SHAPE if d is NO_NUMBER else bytes(d) for d in compress(dims, given)]
            ),
        )

    def _add_kernels(self, args: Sequence[Args], ordinal: Int64s) -> None:
        launched = [
            _NO_SHAPE if a.grid is NO_NUMBER or a.block is NO_NUMBER else b"%b x %b" % (a.grid, a.block)
            for a in args
        ]
        self._put(
            kernel_row=ordinal,
            kernel_shape=self._shape_ids(launched),
            kernel_occupancy=_percentages([a.occupancy for a in args]),
        )

        named = [a.collective is not None for a in args]
        if any(named):
            told = list(compress(args, named))
            self._put(
                communication_row=ordinal[named],
                communication_collective=self._collectives.column([a.collective for a in told]),
                communication_bytes=np.array([_message_bytes(a) for a in told], np.int64),
            )

    def _add_memory(self, args: Sequence[Args], ordinal: Int64s) -> None:
        self._put(
            memory_row=ordinal,
            memory_address=self._addresses.column([bytes(a.address) for a in args]),
            memory_size=whole_numbers([a.memory_bytes for a in args], 0),
            memory_allocated=whole_numbers([a.allocated for a in args], NONE),
            memory_reserved=whole_numbers([a.reserved for a in args], NONE),
            memory_device_type=_small_numbers([a.device_type for a in args]),
            memory_device=_small_numbers([a.device_id for a in args]),
        )

    def details(self, ordinal_of_row: Int64s) -> Details:
        """The tables, once all rows are in their final, ascending order."""
        columns = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        self._parts.clear()

        def table(prefix: str, *names: str) -> list[npt.NDArray[Any]]:
            if f"{prefix}_row" not in columns:
                return [np.zeros(0, np.int64) for _ in ("row", *names)]
            # Pairs of B and E are added last: their rows stand among the others.
            order = np.argsort(columns[f"{prefix}_row"], kind="stable")
            row = np.searchsorted(ordinal_of_row, columns[f"{prefix}_row"][order])
            return [row, *(columns[f"{prefix}_{name}"][order] for name in names)]

        return Details(
            operators=OperatorDetails(*table("operator", "sequence", "shape")),
            kernels=KernelDetails(*table("kernel", "shape", "occupancy")),
            memory=MemoryDetails(
                *table("memory", "address", "size", "allocated", "reserved", "device_type", "device")
            ),
            shapes=tuple(shape.decode(errors="replace") for shape in self._shapes.ids),
            communication=CollectiveDetails(*table("communication", "collective", "bytes")),
            collectives=tuple(self._collectives.ids),
        )
