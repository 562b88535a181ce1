"""Timelines for tests, and the block of a window read back as the page reads it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.report.rule_run import run_rules
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.basis import basis_of
from tb_plugin_explain.timeline.build import build_timeline
from tb_plugin_explain.timeline.store import Store, open_store, write_store
from tb_plugin_explain.timeline.window import Window, render
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.wire import to_json

Array = npt.NDArray[Any]


def store_of(trace: Trace, directory: Path) -> Store:
    """The timeline of a trace, written and opened again."""
    run = RunAnalyses(trace)
    built = build_timeline(basis_of(run), run_rules(run)[0])
    write_store(directory, to_json(built.timeline), built.columns)
    return open_store(directory)


@dataclass(frozen=True, eq=False)
class Block:
    """One answer of ``timeline/window``; lane and row by rectangle, shade by interval."""

    from_us: float
    to_us: float
    pixel_us: float
    start_us: Array
    end_us: Array
    ref: Array
    name: list[str | None]
    lane: Array
    row: Array
    category: Array
    fill: Array
    shade_start_us: Array
    shade_end_us: Array
    shade: Array
    shade_fill: Array
    bytes: int

    def rectangles(self) -> list[tuple[int, int, float, float, int, str | None]]:
        """(lane, row, start, end, ref, name), rounded to ns."""
        columns = (self.lane, self.row, self.start_us.round(3), self.end_us.round(3), self.ref)
        return list(zip(*(column.tolist() for column in columns), self.name, strict=True))


def read_block(block: bytes) -> Block:
    """Follows docs/http_api.md byte by byte; nothing may remain."""
    magic, version, tracks, count, shades, intervals, names, name_bytes = struct.unpack_from("<8I", block)
    from_us, to_us, pixel_us = struct.unpack_from("<3d", block, 32)
    assert (magic, version) == (0x57584254, 1)
    at = 56

    def take(dtype: str, length: int) -> Array:
        nonlocal at
        assert at % np.dtype(dtype).itemsize == 0, "a typed array must begin at a multiple of its size"
        column = np.frombuffer(block, dtype, length, at)
        at += column.nbytes
        return column

    start, end, ref = take("<f4", count), take("<f4", count), take("<i4", count)
    track_count = take("<u4", tracks)
    shade_start, shade_end = take("<f4", intervals), take("<f4", intervals)
    shade_count, lengths = take("<u4", shades), take("<u4", names)
    name_of, lane, row, shade = (
        take("<u2", count),
        take("<u2", tracks),
        take("<u2", tracks),
        take("<u2", shades),
    )
    category, fill, shade_fill = take("u1", count), take("u1", count), take("u1", intervals)
    texts = []
    for length in lengths.tolist():
        texts.append(block[at : at + length].decode())
        at += length
    assert at == len(block)
    assert sum(lengths.tolist()) == name_bytes
    return Block(
        from_us,
        to_us,
        pixel_us,
        start.astype(np.float64),
        end.astype(np.float64),
        ref,
        [None if i == 0xFFFF else texts[i] for i in name_of.tolist()],
        np.repeat(lane, track_count),
        np.repeat(row, track_count),
        category,
        fill,
        shade_start.astype(np.float64),
        shade_end.astype(np.float64),
        np.repeat(shade, shade_count),
        shade_fill,
        len(block),
    )


def see(store: Store, from_ns: int, to_ns: int, pixels: int = 1000, lanes: list[int] | None = None) -> Block:
    """A window, packed and read back."""
    return read_block(render(store, Window(from_ns, to_ns, pixels, lanes)))
