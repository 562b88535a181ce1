"""Traces drawn as lanes of text, and traces built from a few small rows.

One character is one microsecond (``us=10``: ten). Columns count from the colon, which must stand
at the same place in every line; a second line of the same label draws on the same lane::

    trace = draw('''
        us  :0    5    10   15   20
        step:[1                     ]
        cpu :  [a]  [op    ]  [sync]
        cpu :         [b]
        s7  :      [a     ][b   ]
    ''')

A block ``[text]`` covers its brackets too. ``x`` outside brackets is a block ``x`` of one
microsecond, ``|x`` one of length zero. Spaces, dots and dashes mean nothing; lane ``us`` is a ruler.

==================  ===============================================================================
lane                what its blocks are
==================  ===============================================================================
``step``            ``ProfilerStep#N`` on the thread of lane ``cpu`` (``step2``: of ``cpu2``)
``cpu``, ``cpu2``   a thread. ``[a]``: a kernel launch with the correlation "a". ``[copy a]``,
                    ``[set a]``: of a copy, of a memset. ``[sync]``, ``[malloc]`` …: see ``WORDS``.
                    Other words are names: of a runtime call (``cuda…``, ``hip…``), of a driver
                    call (``cuX…``), else of a CPU operator; ``[name a]`` gives a correlation.
``s7``, ``s8``      a stream. ``[a]``: a GPU event launched by "a"; several may be of one launch.
                    ``[?]``: without a launch.
``overhead``        the profiler's rows: ``prof``, ``load``, ``full``
==================  ===============================================================================

``q.cpu`` is a thread of a second process "q", ``d1.s7`` a stream of device 1. ``names`` replaces
the name of what a GPU letter or a CPU word stands for: ``names={"a": "Memcpy HtoD (Pageable ->
Device)"}``; a GPU event is a copy or a memset where its name begins so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tb_plugin_explain.trace.model import Category, Events, Lane, Stream, Trace, TraceMeta

WORDS: Mapping[str, tuple[Category, str]] = {
    "copy": (Category.RUNTIME, "cudaMemcpyAsync"),
    "set": (Category.RUNTIME, "cudaMemsetAsync"),
    "sync": (Category.RUNTIME, "cudaDeviceSynchronize"),
    "wait": (Category.RUNTIME, "cudaStreamSynchronize"),
    "malloc": (Category.RUNTIME, "cudaMalloc"),
    "module": (Category.DRIVER, "cuModuleLoadData"),
    "call": (Category.RUNTIME, "cudaGetDevice"),
    "op": (Category.CPU_OP, "aten::mm"),
    "data": (Category.ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
    "opt": (Category.ANNOTATION, "Optimizer.step#SGD.step"),
    "lookup": (Category.CPU_OP, "TorchDynamo Cache Lookup"),
    "compile": (Category.CPU_OP, "compile_inner (dynamo_timed)"),
    "py": (Category.PYTHON, "train.py(1): main"),
    "prof": (Category.OVERHEAD, "Activity Buffer Request"),
    "load": (Category.OVERHEAD, "Runtime Triggered Module Loading"),
    "full": (Category.OVERHEAD, "Command Buffer Full"),
}
_GPU_NAMES = {"copy": "Memcpy HtoD (Pinned -> Device)", "set": "Memset (Device)"}
_BLOCK = re.compile(r"\[([^\]]*)\]|\|(\w)|(\w)")
_LABEL = re.compile(r"(?:(?P<where>\w+)\.)?(?P<kind>step|cpu|overhead|s)(?P<number>\d*)")


class Row(NamedTuple):
    """One event of ``trace_of``; times in µs. ``process`` is ignored on streams."""

    category: Category
    name: str
    start_us: float
    duration_us: float
    process: str = "main"
    thread: str = "1"
    correlation: int = 0
    external_id: int = -1
    device: int = -1
    stream: str = ""
    size_bytes: int = -1
    collective: bool = False


def trace_of(rows: Sequence[Row], meta: TraceMeta | None = None) -> Trace:
    """A trace of these rows, in their order."""
    lanes = list(dict.fromkeys(_lane(r) for r in rows))
    names = list(dict.fromkeys(r.name for r in rows))
    processes = list(dict.fromkeys(_lane(r).pid for r in rows))
    streams = list(dict.fromkeys(Stream(r.device, r.stream) for r in rows if r.stream))
    number = {stream: i for i, stream in enumerate(streams)}

    def column(values: Iterator[int], dtype: type) -> Any:
        return np.fromiter(values, dtype, len(rows))

    events = Events(
        start_ns=column((round(r.start_us * 1000) for r in rows), np.int64),
        duration_ns=column((round(r.duration_us * 1000) for r in rows), np.int64),
        name=column((names.index(r.name) for r in rows), np.int32),
        category=column((r.category for r in rows), np.uint8),
        process=column((processes.index(_lane(r).pid) for r in rows), np.int32),
        lane=column((lanes.index(_lane(r)) for r in rows), np.int32),
        correlation=column((r.correlation for r in rows), np.int64),
        external_id=column((r.external_id for r in rows), np.int64),
        device=column((r.device for r in rows), np.int32),
        stream=column((number.get(Stream(r.device, r.stream), -1) for r in rows), np.int32),
        size_bytes=column((r.size_bytes for r in rows), np.int64),
        collective=column((r.collective for r in rows), np.bool_),
        ordinal=np.arange(len(rows), dtype=np.int64),
    )
    about = meta or TraceMeta("drawn.json", 0)
    return Trace(about, events, tuple(names), tuple(processes), tuple(lanes), tuple(streams))


def _lane(row: Row) -> Lane:
    return Lane(str(row.device), row.stream) if row.stream else Lane(row.process, row.thread)


@dataclass(frozen=True)
class _Block:
    """One block of a picture: ``where`` is a process or a device, ``kind`` and ``number`` its lane."""

    where: str
    kind: str
    number: str
    words: tuple[str, ...]
    start_us: int
    duration_us: int

    @property
    def letter(self) -> str:
        """The correlation of a call or of a GPU event, '' where it has none."""
        last = self.words[-1] if self.words else ""
        return last if len(last) == 1 and last.isalpha() else ""


def _blocks(picture: str, us: int) -> Iterator[_Block]:
    lines = [line.partition(":") for line in picture.splitlines() if line.strip()]
    if len({len(label) for label, _, _ in lines}) > 1:
        raise ValueError("the colons of a drawing must stand below each other")
    for label, _, lane in lines:
        if label.strip() == "us":
            continue
        match = _LABEL.fullmatch(label.strip())
        if match is None:
            raise ValueError(f"no lane is called {label.strip()!r}")
        for block in _BLOCK.finditer(lane):
            inside, instant, short = block.groups()
            text = next(t for t in (inside, instant, short) if t is not None)
            length = 0 if instant else block.end() - block.start()
            yield _Block(
                match["where"] or "", match["kind"], match["number"],
                tuple(re.sub(r"[.-]+", " ", text).split()) if inside else (text,),
                block.start() * us, length * us,
            )  # fmt: skip


def _call_category(name: str) -> Category:
    if name.startswith(("cuda", "hip")):
        return Category.RUNTIME
    return Category.DRIVER if re.match("cu[A-Z]", name) else Category.CPU_OP


def _cpu_row(block: _Block, names: Mapping[str, str]) -> Row:
    word = block.words[0] if block.words else "op"
    correlation = ord(block.letter) if block.letter else 0
    if word == block.letter:
        category, name = Category.RUNTIME, "cudaLaunchKernel"
    else:
        category, name = WORDS.get(word) or (_call_category(word), word)
        name = names.get(word, name)
    process, thread = block.where or "main", block.number or "1"
    if block.kind == "overhead":
        process, thread = "overhead", "0"
    return Row(category, name, block.start_us, block.duration_us, process, thread, correlation)


def _gpu_row(block: _Block, names: Mapping[str, str], launched_by: Mapping[str, str]) -> Row:
    letter = block.letter
    plain = f"kernel_{letter or 'unlinked'}"
    name = names.get(letter or "?") or _GPU_NAMES.get(launched_by.get(letter, ""), plain)
    kinds = {"Memcpy": Category.MEMCPY, "Memset": Category.MEMSET}
    return Row(
        kinds.get(name[:6], Category.KERNEL),
        name,
        block.start_us,
        block.duration_us,
        correlation=ord(letter) if letter else 0,
        device=int(block.where[1:] or 0) if block.where else 0,
        stream=block.number,
    )


def rows_of(picture: str, us: int = 1, names: Mapping[str, str] | None = None) -> list[Row]:
    """The rows of a picture, lane by lane."""
    blocks = list(_blocks(picture, us))
    launched_by = {b.letter: b.words[0] for b in blocks if b.kind == "cpu" and len(b.words) == 2}
    rows = []
    for block in blocks:
        if block.kind == "step":
            name = f"ProfilerStep#{block.words[0]}"
            row = Row(Category.ANNOTATION, name, block.start_us, block.duration_us, block.where or "main",
                      block.number or "1")  # fmt: skip
        elif block.kind == "s":
            row = _gpu_row(block, names or {}, launched_by)
        else:
            row = _cpu_row(block, names or {})
        rows.append(row)
    return rows


def in_us(times_ns: Mapping[str, int]) -> dict[str, float]:
    """Times by name in µs, without the names of which there is none."""
    return {name: ns / 1000 for name, ns in times_ns.items() if ns}


def draw(picture: str, us: int = 1, names: Mapping[str, str] | None = None) -> Trace:
    """The trace of a picture; see above."""
    return trace_of(rows_of(picture, us, names))
