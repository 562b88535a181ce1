"""Reads one trace file into columns.

What is read, and so what a trace is here:

* Text: plain or gzip (told by its first bytes, several members too), UTF-8 with or without BOM,
  or UTF-16 with BOM. NUL bytes after the document are ignored.
* Document: a JSON object whose ``traceEvents`` is a list, its keys in any order, or that list
  itself. Of the other keys those about device, ranks, modes, versions and clock are kept.
* Events: ``X``, pairs of ``B`` and ``E`` on one thread, and instants of ``cpu_instant_event``.
  Of metadata only ``thread_name``; flows, counters and other phases are counted, not kept.
  Malformed, and left out, is an entry without ``ph``, a timed one whose ``ts`` is missing or no
  number or whose ``dur`` is given and no number, and a ``B`` or ``E`` without its partner.
* Times: numbers, or strings of numbers, of microseconds; exact in integer nanoseconds.
* Arguments: those that become columns; all others are read on demand by ``Trace.fetch_args``.
* Damage: see ``repair`` and ``walker``. Whatever was mended or left out is told in
  ``Trace.meta.problems``; what cannot be mended is a TraceError. No other error leaves this
  module for any content of a file.

Memory: the text passes through in chunks of 256 KiB. What stays is about 60 bytes an event and
each distinct name. One event of more than 16 MiB is refused, and a file of more events than the
memory of this process is allowed to hold, see ``memory``.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.process import no_garbage_collection
from tb_plugin_explain.trace.arguments import ArgumentReader
from tb_plugin_explain.trace.columns import Columns
from tb_plugin_explain.trace.decompress import TextStream
from tb_plugin_explain.trace.document import Document, NotATrace, read_document
from tb_plugin_explain.trace.engine import Engine, default_engine
from tb_plugin_explain.trace.memory import refuse_too_large, room_for_a_thread
from tb_plugin_explain.trace.metadata import build_meta
from tb_plugin_explain.trace.model import ReadProblem, Trace
from tb_plugin_explain.trace.native import NativeScanner
from tb_plugin_explain.trace.scan import CHUNK_BYTES, ChunkIndex, scan_events
from tb_plugin_explain.trace.text import TextWindow
from tb_plugin_explain.trace.walker import CannotGoOn, Damage

_LARGEST_SHARE_LOST = 0.01


def read_trace(
    path: str | os.PathLike[str],
    on_progress: Callable[[float], None] | None = None,
    *,
    chunk_bytes: int = CHUNK_BYTES,
    engine: Engine | None = None,
) -> Trace:
    """Read a trace file.

    on_progress: called now and then with the share of the file that was read, 0 to 1.
    chunk_bytes: how much text is decoded at once; a matter of speed alone.
    engine: what decodes it, another matter of speed; the fastest there is if None.
    Raises TraceError if the file gives no trace; ``kind`` says why.
    """
    file, engine = os.fspath(path), engine or default_engine()
    refuse_too_large(file)
    # What decodes in Python holds the interpreter's lock, for which a thread would wait long.
    ahead = engine == "c" and room_for_a_thread()
    with TextStream(file, chunk_bytes, ahead=ahead) as stream, no_garbage_collection():
        return _Reading(stream, on_progress, chunk_bytes, engine).trace()


class _Reading:
    def __init__(
        self,
        stream: TextStream,
        on_progress: Callable[[float], None] | None,
        chunk_bytes: int,
        engine: Engine,
    ) -> None:
        self._stream = stream
        self._file = stream.path
        self._text = TextWindow(stream)
        self._columns = Columns()
        self._damage = Damage()
        self._index = ChunkIndex()
        self._on_progress = on_progress
        self._chunk_bytes = chunk_bytes
        self._engine = engine

    def trace(self) -> Trace:
        try:
            document = self._document()
        except CannotGoOn as stop:
            raise self._stopped(stop) from None
        except NotATrace as other:
            raise self._error_not_a_trace(str(other)) from None
        events = self._columns.events()
        if not document.complete or self._stream.damaged:
            self._require_events(len(events))
        self._report_progress(1.0)
        return Trace(
            meta=build_meta(
                self._file,
                self._stream.status.st_size,
                document.values,
                self._columns.entries,
                self._problems(document),
            ),
            events=events,
            names=tuple(self._columns.names.ids),
            processes=tuple(self._columns.processes.ids),
            lanes=self._columns.lane_table(),
            streams=self._columns.stream_table(),
            details=self._columns.details.details(events.ordinal),
            fetch_args=ArgumentReader(self._stream, self._index, events.ordinal),
        )

    def _document(self) -> Document:
        if self._text.skip_space(and_nul=True) < 0:
            raise self._error_empty()
        document = read_document(self._text, self._damage, self._scan)
        self._refuse_lost_entries()
        if document.top_level_array and 0 < self._columns.entries == self._columns.malformed:
            raise NotATrace("it is a list of other things than events")
        return document

    def _scan(self) -> bool:
        closed, self._index = scan_events(
            self._text,
            self._columns,
            self._damage,
            chunk_bytes=self._chunk_bytes,
            on_batch=lambda: self._report_progress(self._stream.share_read),
            native=NativeScanner(self._columns) if self._engine == "c" else None,
        )
        return closed

    def _report_progress(self, share: float) -> None:
        if self._on_progress:
            self._on_progress(share)

    def _refuse_lost_entries(self) -> None:
        lost = self._damage.lost_entries
        if lost > _LARGEST_SHARE_LOST * self._columns.entries:
            why = f"the JSON is not valid, {lost} of {self._columns.entries} events cannot be read"
            raise CannotGoOn("invalid_json", self._damage.first_lost_offset, why)

    def _problems(self, document: Document) -> tuple[ReadProblem, ...]:
        repairs = self._damage.repairs
        counts = {
            "json_repaired": repairs.values + repairs.too_deep,
            "control_chars_in_name": len(repairs.control_characters),
            "invalid_utf8": len(repairs.invalid_utf8),
            "string_timestamps": self._columns.string_times,
            "top_level_array": int(document.top_level_array),
            "malformed_events_skipped": self._columns.malformed,
        }
        problems = [ReadProblem(kind, count) for kind, count in counts.items() if count]
        if not document.complete or self._stream.damaged:
            problems.append(ReadProblem("truncated", 1, {"byte": self._text.end}))
        return tuple(problems)

    def _require_events(self, rows: int) -> None:
        if not rows:
            raise TraceError(
                "truncated",
                f"{self._file}: the file breaks off before its first whole event; record it again.",
                file=self._file,
                position=f"byte {self._text.end}",
            )

    def _stopped(self, stop: CannotGoOn) -> TraceError:
        position = _line_and_column(self._file, stop.offset)
        return TraceError(
            stop.kind,
            f"{self._file}: {stop}, {position}; record the trace again.",
            file=self._file,
            position=position,
        )

    def _error_not_a_trace(self, what: str) -> TraceError:
        return TraceError(
            "not_a_trace",
            f"{self._file}: this is no torch.profiler trace: {what}; open a file of "
            "tensorboard_trace_handler or export_chrome_trace.",
            file=self._file,
        )

    def _error_empty(self) -> TraceError:
        if self._stream.damaged:
            return TraceError(
                "broken_gzip",
                f"{self._file}: the gzip file is damaged, nothing can be unpacked; copy it again.",
                file=self._file,
            )
        return TraceError(
            "empty_file", f"{self._file}: the file is empty; record the trace again.", file=self._file
        )


def _line_and_column(file: str, offset: int) -> str:
    """Where a byte of the text lies, counted from 1, columns in characters."""
    line, line_start = 1, b""
    with TextStream(file) as stream:
        while offset > 0 and (piece := stream.read()):
            piece = piece[:offset]
            offset -= len(piece)
            before, newline, after = piece.rpartition(b"\n")
            line += before.count(b"\n") + len(newline)
            line_start = after if newline else line_start + after
    return f"line {line} column {len(line_start.decode(errors='replace')) + 1}"
