"""What may belong to one step of a trace, as a smaller trace: for files too large to be read as a whole.

Reads the file three times and keeps little of it in memory: where the step is, what it launched, then what
is to be written. More may be written than belongs to the step, never less, so that a step cut out of the
smaller trace is the one that would be cut out of the whole.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from msgspec import Raw, Struct, field

from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.columns import Columns
from tb_plugin_explain.trace.entries import BareEntry, decode_array, decode_one
from tb_plugin_explain.trace.interning import text_of
from tb_plugin_explain.trace.links import CALLS
from tb_plugin_explain.trace.model import NO_CORRELATION, Bools, Category, Events, Int64s
from tb_plugin_explain.trace.numbers import LATEST_NS, nanoseconds_of
from tb_plugin_explain.trace.verbatim import read_verbatim

Progress = Callable[[str, float | None], None]

_STEP_MARK = b"ProfilerStep#"
_STEPS = (Category.ANNOTATION, Category.CPU_OP)
_ON_THE_GPU = (*GPU_WORK, Category.GPU_ANNOTATION, Category.SYNC_ROW)
_ABOUT_THE_GPU = (Category.GPU_ANNOTATION, Category.SYNC_ROW)
_FLOWS = ("s", "t", "f")
_ALWAYS = ("M", "B", "E")
# A trace that has launches at all shows one among so many calls.
_MOST_LOOKED_AT = 100_000


class _Other(Struct, gc=False):
    """An entry that is no row by itself."""

    ph: Any = None
    id: Any = None
    ts: Raw = Raw(b"")


_other_decoder = msgspec.json.Decoder(_Other)


class _Batch(Struct, frozen=True, eq=False):
    """Entries of a file and the rows that they make; ``events.ordinal`` is the place in ``texts``."""

    texts: Sequence[bytes]
    events: Events
    names: Sequence[str]
    processes: Sequence[str]

    def is_category(self, *categories: Category) -> Bools:
        return np.isin(self.events.category, categories)

    @property
    def step_numbers(self) -> list[int | None]:
        """Of which step each row is the annotation, by its name."""
        of_name = [vocabulary.step_number(name) for name in self.names]
        return [of_name[name] for name in self.events.name.tolist()]


def _batch_of(texts: Sequence[bytes]) -> _Batch:
    columns = Columns()
    entries = decode_array(b"[%b]" % b",".join(texts))
    columns.add(entries or [decode_one(text) if text else BareEntry() for text in texts])
    return _Batch(texts, columns.events(), list(columns.names.ids), list(columns.processes.ids))


def touches(events: Events, begin_ns: int, end_ns: int) -> Bools:
    """Whether each row begins in a window or runs in it."""
    runs = events.start_ns + events.duration_ns > begin_ns
    touched: Bools = (events.start_ns < end_ns) & (runs | (events.start_ns >= begin_ns))
    return touched


class _Step(Struct):
    """Where a step may be, and which correlations lead to its work."""

    start_ns: int = LATEST_NS
    end_ns: int = -LATEST_NS
    correlations: Int64s = field(default_factory=lambda: np.zeros(0, np.int64))

    def touched_by(self, events: Events) -> Bools:
        return touches(events, self.start_ns, self.end_ns)


def _find_step(path: str, number: int, tell: Callable[[float], None]) -> _Step:
    step = _Step()

    def take(_first: int, texts: Sequence[bytes]) -> None:
        marked = [text for text in texts if _STEP_MARK in text]
        if not marked:
            return
        batch = _batch_of(marked)
        is_step = batch.is_category(*_STEPS) & [n == number for n in batch.step_numbers]
        if is_step.any():
            step.start_ns = min(step.start_ns, int(batch.events.start_ns[is_step].min()))
            step.end_ns = max(step.end_ns, int(batch.events.end_ns_of(is_step).max()))
        if len(batch.events) < len(marked):
            # A pair of B and E, whose end may be anywhere.
            step.start_ns, step.end_ns = -LATEST_NS, LATEST_NS

    read_verbatim(path, take, tell)
    return step


class _Launches(Struct):
    """The correlations of a step; and one that has a call and GPU work, if the trace has such.

    Whether a trace has links at all decides how its GPU work is told to steps.
    """

    step: _Step
    of_step: set[int] = field(default_factory=set)
    of_calls: set[int] = field(default_factory=set)
    of_work: set[int] = field(default_factory=set)

    def take(self, _first: int, texts: Sequence[bytes]) -> None:
        batch = _batch_of(texts)
        correlation = batch.events.correlation
        there = correlation != NO_CORRELATION
        own = self.step.touched_by(batch.events) & ~batch.is_category(*_ON_THE_GPU)
        self.of_step.update(correlation[own & there].tolist())
        for seen, categories in ((self.of_calls, CALLS), (self.of_work, GPU_WORK)):
            if len(seen) < _MOST_LOOKED_AT:
                seen.update(correlation[batch.is_category(*categories) & there].tolist())

    def found(self) -> Int64s:
        linked = self.of_calls & self.of_work
        return np.array(sorted(self.of_step | set(sorted(linked)[:1])), np.int64)


class _Writer(Struct, dict=True):
    step: _Step
    out: gzip.GzipFile
    written: int = 0
    processes_with_calls: set[str] = field(default_factory=set)

    def take(self, _first: int, texts: Sequence[bytes]) -> None:
        batch = _batch_of(texts)
        kept = np.zeros(len(texts), np.bool_)
        kept[batch.events.ordinal[self._rows(batch)]] = True
        is_row = np.zeros(len(texts), np.bool_)
        is_row[batch.events.ordinal] = True
        for text, keep, row in zip(texts, kept.tolist(), is_row.tolist(), strict=True):
            if keep or (not row and self._is_kept(text)):
                self.out.write((b",\n" if self.written else b"") + text)
                self.written += 1

    def _rows(self, batch: _Batch) -> Bools:
        events, step = batch.events, self.step
        rows = step.touched_by(events) | batch.is_category(*_ABOUT_THE_GPU)
        rows |= np.isin(events.correlation, step.correlations) & (events.correlation != NO_CORRELATION)
        rows |= np.array([number is not None for number in batch.step_numbers], np.bool_)
        rows[self._first_calls(batch)] = True
        return rows

    def _first_calls(self, batch: _Batch) -> list[int]:
        """The first call of each process: whether it made any decides whose calls its steps get."""
        calls = np.flatnonzero(batch.is_category(*CALLS))
        processes, first = np.unique(batch.events.process[calls], return_index=True)
        by_process = {batch.processes[p]: int(calls[i]) for p, i in zip(processes, first, strict=True)}
        new = by_process.keys() - self.processes_with_calls
        self.processes_with_calls |= new
        return [by_process[process] for process in new]

    def _is_kept(self, text: bytes) -> bool:
        """Of an entry that is no row: metadata, edges, flows, counters."""
        try:
            entry = _other_decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        if entry.ph in _ALWAYS:
            return True
        time_ns = nanoseconds_of(bytes(entry.ts))
        if time_ns is not None and self.step.start_ns <= time_ns < self.step.end_ns:
            return True
        return entry.ph in _FLOWS and text_of(entry.id) in self._flows

    @cached_property
    def _flows(self) -> frozenset[str]:
        """A flow to a device has the number of its correlation."""
        return frozenset(map(str, self.step.correlations.tolist()))


@contextmanager
def narrowed(path: str, number: int, on_progress: Progress) -> Iterator[str]:
    """A temporary file with all that may belong to the step ``number`` of a trace, and all step annotations.

    Raises:
        TraceError: the file is no trace, or too damaged to be read.
    """

    def tell(share: float) -> None:
        on_progress("reading", share)

    step = _find_step(path, number, tell)
    launches = _Launches(step)
    read_verbatim(path, launches.take, tell)
    step.correlations = launches.found()
    # A file that is open cannot be opened again on Windows, so that a directory is what goes in the end.
    with tempfile.TemporaryDirectory(prefix="tb-explain-") as directory:
        smaller = os.path.join(directory, "step.json.gz")
        with gzip.GzipFile(smaller, mode="wb", compresslevel=1, mtime=0) as out:
            out.write(b'{"traceEvents": [\n')
            other_keys = read_verbatim(path, _Writer(step, out).take, tell)
            out.write(b"\n]")
            for key, value in other_keys.items():
                out.write(b",\n" + msgspec.json.encode(key) + b": " + value)
            out.write(b"}\n")
        yield smaller
