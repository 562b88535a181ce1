"""The scanner in C, where it was built: entries of ``traceEvents`` → ``Columns`` in one pass.

It takes what is plain; what is not, it leaves to ``scan``. What a spelling means is said here, once for
each distinct one, by the same functions that the Python engine uses: so both give the same.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from tb_plugin_explain.trace.categories import category_by_name, kind_of
from tb_plugin_explain.trace.columns import Columns, device_of_process
from tb_plugin_explain.trace.details import element_bytes, launch_shape
from tb_plugin_explain.trace.engine import default_engine, scanner
from tb_plugin_explain.trace.entries import decode_one
from tb_plugin_explain.trace.interning import text_of
from tb_plugin_explain.trace.model import Int64s, UInt8s

_decode = msgspec.json.decode


def native_sweep() -> Callable[[Int64s, Int64s, UInt8s, int, Int64s, Int64s], None] | None:
    """The sweep over the events of a thread in C, see ``analyses.nesting``; None where there is none."""
    return scanner.sweep if default_engine() == "c" else None


class NativeScanner:
    """Adds plain entries to ``columns``; ``finish`` has to be called in the end."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        answers = _answers(columns)
        # Knows nothing of this object: a circle would keep the rows after use, whose size no collector sees.
        self._scanner = scanner.Scanner(
            lambda question, text, second, number: answers[question](text, second, number)
        )

    def scan(self, text: bytearray) -> tuple[int, bool]:
        """Take entries from the start of ``text`` on.

        Returns how many bytes they are, each with the comma behind it, and whether the next entry is
        unclear; else more text is needed.
        """
        columns = self._columns
        taken, entries, unclear, apart = self._scanner.scan(text, columns.entries)
        columns.entries += entries
        if apart:
            begins, ends, ordinals = zip(*apart, strict=True)
            decoded = [decode_one(bytes(text[begin:end])) for begin, end in zip(begins, ends, strict=True)]
            columns.add_counted(decoded, np.array(ordinals, np.int64))
        return taken, unclear

    def finish(self) -> None:
        """Hand the rows over."""
        self._columns.malformed += self._scanner.malformed
        columns = {name: np.asarray(column) for name, column in self._scanner.take().items()}
        # By size alone: C's long long is a type of its own to NumPy where int64 is long.
        self._columns.put({name: column.view(column.dtype.str) for name, column in columns.items()})


def _answers(columns: Columns) -> tuple[Callable[[bytes, bytes, int], int], ...]:
    """The answers to what the scanner asks, in the order of ASK_KIND and on in table.h."""
    details = columns.details
    thread_names: list[str] = []

    def add_thread_name(name: bytes, _: bytes, __: int) -> int:
        thread_names.append(_decode(name))
        return len(thread_names) - 1

    def note_thread(process: bytes, thread: bytes, name: int) -> int:
        columns.note_thread_name(_decode(process), _decode(thread), thread_names[name])
        return 0

    return (
        lambda phase, category, _: kind_of(_decode(phase), _decode(category)),
        lambda process, name, kind: category_by_name(kind, text_of(_decode(process)), text_of(_decode(name))),
        lambda name, _, __: columns.names[_decode(name)],
        lambda process, thread, _: columns.lanes[_decode(process), _decode(thread)],
        lambda process, _, __: device_of_process(_decode(process)),
        lambda queue, _, device: columns.streams[device, _decode(queue)],
        lambda dims, _, __: details.dims[dims],
        lambda grid, block, _: details.launches[launch_shape(grid, block)],
        lambda address, _, __: details.addresses[address],
        lambda collective, _, __: details.collectives[_decode(collective)],
        lambda dtype, _, __: element_bytes(_decode(dtype)),
        add_thread_name,
        note_thread,
    )
