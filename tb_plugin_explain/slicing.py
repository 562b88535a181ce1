"""Cuts one step out of a trace: its CPU events and the GPU work launched in it, as a small trace."""

from __future__ import annotations

import gzip
import io
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Protocol

import msgspec
import numpy as np
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.narrowing import narrowed, touches
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.interning import text_of
from tb_plugin_explain.trace.model import NO_CORRELATION, Bools, Category, Trace
from tb_plugin_explain.trace.numbers import nanoseconds_of
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.trace.steps import ProfilerStep
from tb_plugin_explain.trace.verbatim import read_verbatim

Progress = Callable[[str, float | None], None]


class Output(Protocol):
    """Where the text of a slice goes."""

    def write(self, text: bytes, /) -> object: ...


_ON_THE_GPU = (
    Category.KERNEL,
    Category.MEMCPY,
    Category.MEMSET,
    Category.GPU_ANNOTATION,
    Category.SYNC_ROW,
)
# Nearly all entries are timed rows, which need no second look.
_TIMED = re.compile(rb'"ph"\s*:\s*"X"')
_FLOWS = ("s", "t", "f")
_BOTH_ENDS = {"s", "f"}


class Cut(Struct, frozen=True, eq=False):
    """What is kept of a file. ``entries``: bool, whether each entry of ``traceEvents`` is.

    windows: start and end in ns, by the text of the process, of the step on the CPU.
    correlations: those of kept calls and of kept GPU work.
    """

    entries: Bools
    windows: Mapping[str, tuple[int, int]]
    correlations: frozenset[int]


def choose(trace: Trace, number: int) -> Cut:
    """Which entries make up one step. On the CPU those of its process that run in it, with what encloses it.

    Raises:
        TraceError: the trace has no step of this number.
    """
    recording = Recording(trace)
    indices = [i for i, step in enumerate(recording.steps) if step.number == number]
    if not indices:
        raise _no_such_step(trace.meta.file, number, recording.steps)
    rows = np.zeros(len(trace.events), np.bool_)
    for index in indices:
        rows |= _rows_of_step(recording, index)
    rows &= ~_other_steps(trace, number)
    events = trace.events
    entries = np.zeros(trace.meta.events_in_file, np.bool_)
    entries[events.ordinal[rows]] = True
    steps = [recording.steps[index] for index in indices]
    windows = {trace.processes[s.process]: (s.start_ns, s.end_ns) for s in steps if s.process is not None}
    linked = distinct(events.correlation[rows & ~trace.is_category(Category.CPU_OP)])
    return Cut(entries, windows, frozenset(int(c) for c in linked if c != NO_CORRELATION))


def _rows_of_step(recording: Recording, index: int) -> Bools:
    trace, step = recording.trace, recording.steps[index]
    events, gpu = trace.events, recording.gpu
    work = recording.gpu_of_step[index]
    rows = touches(events, step.start_ns, step.end_ns) & ~trace.is_category(*_ON_THE_GPU)
    # The profiler's own work has a process of its own.
    rows &= (events.process == step.process) | trace.is_category(Category.OVERHEAD)
    if step.row is not None:
        rows[step.row] = True
    rows[gpu.row[work]] = True
    launch = gpu.launch[work]
    rows[launch[launch >= 0]] = True
    if len(work):
        begin, end = int(gpu.start_ns[work].min()), int(gpu.end_ns[work].max())
        about = trace.is_category(Category.GPU_ANNOTATION, Category.SYNC_ROW)
        rows |= about & touches(events, begin, end)
    return rows


def _other_steps(trace: Trace, number: int) -> Bools:
    """Whether each row is the annotation of another step, on the CPU or on the GPU."""
    other = trace.names_where(lambda name: vocabulary.step_number(name) not in (None, number))
    return other & (trace.is_step | trace.is_category(Category.GPU_ANNOTATION))


def _no_such_step(file: str, number: int, steps: Sequence[ProfilerStep]) -> TraceError:
    known = [step.number for step in steps if step.number is not None]
    has = wording.steps(known) if known else "no steps"
    return TraceError("no_such_step", f"{file}: there is no step {number}; it has {has}.", file=file)


class _Entry(Struct, gc=False):
    """What tells whether an entry that is no row is kept."""

    ph: Any = None
    cat: Any = None
    pid: Any = None
    tid: Any = None
    id: Any = None
    ts: Raw = Raw(b"")


_decoder = msgspec.json.Decoder(_Entry)


def _decoded(text: bytes) -> _Entry:
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Entry()


class _Writer(Struct):
    """Writes the kept entries as they come; flows wait for their other end."""

    cut: Cut
    out: Output
    written: int = 0
    open: dict[tuple[str, str], list[bool]] = field(default_factory=dict)
    flows: dict[tuple[str, str], list[tuple[str, bytes]]] = field(default_factory=dict)

    def take(self, first: int, texts: Sequence[bytes]) -> None:
        kept = self.cut.entries[first : first + len(texts)].tolist()
        for text, keep in zip(texts, kept, strict=True):
            if keep:
                self._write(text)
            if not _TIMED.search(text):
                self._take_other(text, keep)

    def finish(self, other_keys: Mapping[str, bytes]) -> None:
        for ends in self.flows.values():
            if {phase for phase, _ in ends} >= _BOTH_ENDS:
                for _, text in ends:
                    self._write(text)
        self.out.write(b"\n]" if self.written else b'{"traceEvents": []')
        for key, value in other_keys.items():
            self.out.write(b",\n" + msgspec.json.encode(key) + b": " + value)
        self.out.write(b"}\n")

    def _write(self, text: bytes) -> None:
        valid = text if text.isascii() else text.decode(errors="replace").encode()
        self.out.write((b",\n" if self.written else b'{"traceEvents": [\n') + valid)
        self.written += 1

    def _take_other(self, text: bytes, kept: bool) -> None:
        """An entry that is no row of its own: metadata, ends, flows, counters."""
        entry = _decoded(text)
        if entry.ph == "M":
            self._write(text)
        elif entry.ph == "B":
            self._open(entry).append(kept)
        elif entry.ph == "E":
            stack = self._open(entry)
            if stack and stack.pop():
                self._write(text)
        elif entry.ph in _FLOWS:
            if self._is_end_in_step(entry):
                flow = text_of(entry.cat), text_of(entry.id)
                self.flows.setdefault(flow, []).append((str(entry.ph), text))
        elif entry.ph == "C" and not kept and self._is_in_window(entry):
            self._write(text)

    def _open(self, entry: _Entry) -> list[bool]:
        return self.open.setdefault((text_of(entry.pid), text_of(entry.tid)), [])

    def _is_in_window(self, entry: _Entry) -> bool:
        window, time_ns = self.cut.windows.get(text_of(entry.pid)), nanoseconds_of(bytes(entry.ts))
        return window is not None and time_ns is not None and window[0] <= time_ns < window[1]

    def _is_end_in_step(self, entry: _Entry) -> bool:
        """On the CPU by its time; on a device by its number, which is the correlation."""
        if text_of(entry.pid) in self.cut.windows:
            return self._is_in_window(entry)
        number = text_of(entry.id)
        return number.isdigit() and int(number) in self.cut.correlations


def write_slice(path: str, number: int, out: Output, on_progress: Progress) -> int:
    """Writes the step ``number`` of a trace file as JSON to ``out``; returns how many events it has.

    Every event is written with the text that it has in the file, as are the keys beside ``traceEvents``.
    A file too large for the memory that may be used is narrowed to the step first.

    Raises:
        TraceError: the file gives no trace, or the trace no such step.
    """
    try:
        cut = _cut_of(path, path, number, on_progress)
    except MemoryError:
        cut = None
    except TraceError as error:
        if error.kind != "too_large":
            raise
        cut = None
    if cut:
        return _write_cut(path, cut, out, on_progress)
    with narrowed(path, number, on_progress) as smaller:
        return _write_cut(smaller, _cut_of(smaller, path, number, on_progress), out, on_progress)


def _cut_of(path: str, shown: str, number: int, on_progress: Progress) -> Cut:
    """What is kept of the file at ``path``, which errors call ``shown``."""
    try:
        trace = read_trace(path, lambda share: on_progress("reading", share))
    except TraceError as error:
        if path == shown:
            raise
        message = error.message.replace(path, f"step {number} of {shown}")
        raise TraceError(error.kind, message, file=shown) from None
    return choose(replace(trace, meta=replace(trace.meta, file=shown)), number)


def _write_cut(path: str, cut: Cut, out: Output, on_progress: Progress) -> int:
    writer = _Writer(cut, out)
    writer.finish(read_verbatim(path, writer.take, lambda share: on_progress("cutting", share)))
    return writer.written


def save_slice(path: str, number: int, target: str, on_progress: Progress) -> int:
    """The same into a file, which appears once it is whole; gzipped where its name ends in ``.gz``.

    Raises:
        TraceError: as ``write_slice``.
        OSError: the file cannot be written.
    """
    directory = os.path.dirname(os.path.abspath(target))
    handle, unfinished = tempfile.mkstemp(dir=directory, prefix=".slice-")
    try:
        with os.fdopen(handle, "wb") as file:
            written = _write_to(path, number, file, target.endswith(".gz"), on_progress)
        os.chmod(unfinished, 0o666 & ~_umask())
        os.replace(unfinished, target)
    except BaseException:
        os.unlink(unfinished)
        raise
    return written


def _umask() -> int:
    """What permissions new files of this process lack; there is no way to ask but to set it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write_to(path: str, number: int, file: IO[bytes], gzipped: bool, on_progress: Progress) -> int:
    if not gzipped:
        return write_slice(path, number, file, on_progress)
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as out:
        return write_slice(path, number, out, on_progress)


def slice_job(path: str, step: int, on_progress: Progress) -> bytes:
    """The same as the gzipped bytes of a file, as an analysis process makes them."""
    whole = io.BytesIO()
    _write_to(path, step, whole, True, on_progress)
    return whole.getvalue()
