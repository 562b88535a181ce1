"""Arguments that only some kinds of events have, as tables of their own: see ``model.Details``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Raw, Struct, field

from tb_plugin_explain.trace.entries import NO_NUMBER, Args
from tb_plugin_explain.trace.interning import Interner, text_of
from tb_plugin_explain.trace.model import (
    NONE,
    Category,
    CollectiveDetails,
    Details,
    Ids,
    Int64s,
    KernelDetails,
    MemoryDetails,
    OperatorDetails,
    UInt8s,
)
from tb_plugin_explain.trace.numbers import whole_number, whole_numbers

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


def joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The parts of one column in a row; of a single one no copy is made."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


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
    width = element_bytes(args.dtype)
    elements = max(whole_number(args.elements_in, NONE), whole_number(args.elements_out, NONE))
    if not width or not 0 <= elements <= _MOST_ELEMENTS:
        return NONE
    return elements * width


def _small_numbers(texts: Sequence[Raw]) -> npt.NDArray[np.int32]:
    """Numbers of devices and their types; -1 for what cannot be one."""
    numbers = whole_numbers(texts, NONE)
    return np.where(np.abs(numbers) < 2**31, numbers, NONE).astype(np.int32)


def launch_shape(grid: bytes, block: bytes) -> bytes:
    """The shape of a kernel from the texts of its grid and block."""
    return b"%b x %b" % (grid, block)


def element_bytes(dtype: object) -> int:
    """The size of an element of this type, 0 where that is not known."""
    return _ELEMENT_BYTES.get(dtype, 0) if isinstance(dtype, str) else 0


def _plain(key: object) -> bytes:
    """A shape without white space, so that layouts of a file do not tell equal ones apart."""
    assert isinstance(key, bytes)
    return b"".join(key.split())


class DetailsCollector(Struct):
    """Collects the tables batch by batch; rows are known by their ordinals until the end."""

    dims: Interner[bytes] = field(default_factory=lambda: Interner(_plain))
    launches: Interner[bytes] = field(default_factory=lambda: Interner(_plain))
    addresses: Interner[bytes] = field(default_factory=lambda: Interner(_plain))
    collectives: Interner[str] = field(default_factory=lambda: Interner(text_of))
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

    def put(self, **columns: npt.NDArray[Any]) -> None:
        """Adds rows to the tables: columns by the names that ``details`` asks for."""
        for name, column in columns.items():
            self._parts.setdefault(name, []).append(column)

    def _add_operators(self, args: Sequence[Args], ordinal: Int64s) -> None:
        dims = [a.dims_2021 if a.dims is NO_NUMBER else a.dims for a in args]
        given = [a.sequence is not NO_NUMBER or d is not NO_NUMBER for a, d in zip(args, dims, strict=True)]
        if not any(given):
            return
        self.put(
            operator_row=ordinal[given],
            operator_sequence=whole_numbers([a.sequence for a in compress(args, given)], NONE),
            operator_shape=np.array(
                [NONE if d is NO_NUMBER else self.dims[bytes(d)] for d in compress(dims, given)], np.int32
            ),
        )

    def _add_kernels(self, args: Sequence[Args], ordinal: Int64s) -> None:
        launched = [
            NONE
            if a.grid is NO_NUMBER or a.block is NO_NUMBER
            else self.launches[launch_shape(a.grid, a.block)]
            for a in args
        ]
        self.put(
            kernel_row=ordinal,
            kernel_shape=np.array(launched, np.int32),
            kernel_occupancy=_percentages([a.occupancy for a in args]),
        )

        named = [a.collective is not None for a in args]
        if any(named):
            told = list(compress(args, named))
            self.put(
                communication_row=ordinal[named],
                communication_collective=self.collectives.column([a.collective for a in told]),
                communication_bytes=np.array([_message_bytes(a) for a in told], np.int64),
            )

    def _add_memory(self, args: Sequence[Args], ordinal: Int64s) -> None:
        self.put(
            memory_row=ordinal,
            memory_address=self.addresses.column([bytes(a.address) for a in args]),
            memory_size=whole_numbers([a.memory_bytes for a in args], 0),
            memory_allocated=whole_numbers([a.allocated for a in args], NONE),
            memory_reserved=whole_numbers([a.reserved for a in args], NONE),
            memory_device_type=_small_numbers([a.device_type for a in args]),
            memory_device=_small_numbers([a.device_id for a in args]),
        )

    def details(self, ordinal_of_row: Ids) -> Details:
        """The tables, once all rows are in their final, ascending order."""
        columns = {name: joined(parts) for name, parts in self._parts.items()}
        self._parts.clear()
        if "kernel_shape" in columns:
            shape = columns["kernel_shape"]
            columns["kernel_shape"] = np.where(shape >= 0, shape + len(self.dims.ids), NONE).astype(np.int32)

        def table(prefix: str, *names: str) -> list[npt.NDArray[Any]]:
            if f"{prefix}_row" not in columns:
                return [np.zeros(0, np.int64) for _ in ("row", *names)]
            # Pairs of B and E are added last: their rows stand among the others.
            order = np.argsort(columns[f"{prefix}_row"], kind="stable")
            ordinal = columns[f"{prefix}_row"][order].astype(ordinal_of_row.dtype)
            row = np.searchsorted(ordinal_of_row, ordinal)
            return [row, *(columns[f"{prefix}_{name}"][order] for name in names)]

        return Details(
            operators=OperatorDetails(*table("operator", "sequence", "shape")),
            kernels=KernelDetails(*table("kernel", "shape", "occupancy")),
            memory=MemoryDetails(
                *table("memory", "address", "size", "allocated", "reserved", "device_type", "device")
            ),
            shapes=tuple(shape.decode(errors="replace") for shape in (*self.dims.ids, *self.launches.ids)),
            communication=CollectiveDetails(*table("communication", "collective", "bytes")),
            collectives=tuple(self.collectives.ids),
        )
