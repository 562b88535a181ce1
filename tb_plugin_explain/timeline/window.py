"""A window of a timeline as one block of little-endian arrays: docs/http_api.md, ``timeline/window``.

Invariants: every event of the window is in exactly one rectangle; the block has at most ``LIMIT_BYTES``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.timeline.merging import Rectangles, first_of, merge
from tb_plugin_explain.timeline.pyramid import Tracks, find_rectangles
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Int64s

MAGIC, VERSION = 0x57584254, 1
LIMIT_BYTES = 200_000
HEADER = struct.Struct("<8I3d")
NO_NAME = 0xFFFF
_MOST_RECTANGLES = 8000
_MOST_SHADES = 2000
_LARGEST_REF = np.iinfo(np.int32).max
_FULL = 255

Bytes = npt.NDArray[np.uint8]


class Window(Struct, frozen=True):
    """What is asked for: ``[from_ns, to_ns)`` on so many pixels; lanes None: all of them."""

    from_ns: int
    to_ns: int
    pixels: int
    lanes: Sequence[int] | None = None

    @property
    def pixel_ns(self) -> float:
        return (self.to_ns - self.from_ns) / self.pixels


class Picture(Struct, frozen=True, eq=False):
    """What a window shows; ``pixel_ns``: at which pixel it was merged, the window's or coarser."""

    rectangles: Rectangles | None
    shades: Rectangles | None
    pixel_ns: float


def _at_most(found: Rectangles | None, most: int, pixel_ns: float) -> tuple[Rectangles | None, float]:
    """The rectangles at the finest pixel at which there are not too many, and that pixel.

    Each track has one at least: those of the last tracks are left out where there are more tracks.
    """
    if found is not None and len(tracks := distinct(found.track)) > most:
        found = first_of(found, int(np.searchsorted(found.track, tracks[most])))
    while found is not None and len(found) > most:
        pixel_ns *= 2
        found = merge(found, pixel_ns)
    return found, pixel_ns


def _tracks_of(store: Store, window: Window) -> Sequence[int]:
    first_track = store.columns["first_track"].tolist()
    count = len(store.timeline.lanes)
    lanes = range(count) if window.lanes is None else sorted({i for i in window.lanes if 0 <= i < count})
    return [track for lane in lanes for track in range(first_track[lane], first_track[lane + 1])]


def _shades_of(store: Store, window: Window) -> Sequence[int]:
    """The shaded times of the lanes asked for, and of all devices."""
    return [
        i
        for i, shade in enumerate(store.timeline.shades)
        if window.lanes is None or shade.lane is None or shade.lane in window.lanes
    ]


def draw(store: Store, window: Window) -> Picture:
    """What a window shows."""
    pixel_ns = window.pixel_ns

    def inside(tracks: Tracks, chosen: Sequence[int]) -> Rectangles | None:
        return find_rectangles(tracks, chosen, window.from_ns, window.to_ns, pixel_ns)

    found, merged_at_ns = _at_most(
        inside(store.events, _tracks_of(store, window)), _MOST_RECTANGLES, pixel_ns
    )
    shades, _ = _at_most(inside(store.shades, _shades_of(store, window)), _MOST_SHADES, pixel_ns)
    return Picture(found, shades, merged_at_ns)


def pack(store: Store, window: Window, picture: Picture) -> bytes:
    """The picture as one block."""
    found, shades = picture.rectangles, picture.shades
    start, end = _times(found, window)
    shade_start, shade_end = _times(shades, window)
    tracks, counts = _runs(found)
    shade_tracks, shade_counts = _runs(shades)
    lanes, rows = _places(store, tracks)
    columns = [
        *(start, end, _refs(store, found)),
        counts.astype("<u4"),
        *(shade_start, shade_end),
        shade_counts.astype("<u4"),
    ]
    small = [lanes, rows, shade_tracks.astype("<u2")]
    bytes_ = [_categories(found), _fill(found), _fill(shades)]
    used = HEADER.size + sum(c.nbytes for c in (*columns, *small, *bytes_))
    used += 2 * (0 if found is None else len(found))
    names, name_of = _names(store, found, LIMIT_BYTES - used)
    lengths = np.array([len(name) for name in names], "<u4")
    header = HEADER.pack(
        *(MAGIC, VERSION, len(tracks), len(start), len(shade_tracks), len(shade_start), len(names)),
        sum(map(len, names)),
        *(window.from_ns / 1000, window.to_ns / 1000, picture.pixel_ns / 1000),
    )
    arrays = [*columns, lengths, name_of, *small, *bytes_]
    return b"".join([header, *(array.tobytes() for array in arrays), *names])


def _times(found: Rectangles | None, window: Window) -> tuple[npt.NDArray[np.float32], ...]:
    """Starts and ends in µs from the window's, cut one window's length beside it to stay exact."""
    if found is None:
        return np.zeros(0, "<f4"), np.zeros(0, "<f4")
    length = window.to_ns - window.from_ns
    return tuple(
        (np.clip(times - window.from_ns, -length, 2 * length) / 1000).astype("<f4")
        for times in (found.start_ns, found.end_ns)
    )


def _runs(found: Rectangles | None) -> tuple[Int64s, Int64s]:
    """The tracks that have rectangles, and how many each."""
    if found is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    tracks, counts = np.unique(found.track, return_counts=True)
    return tracks, counts.astype(np.int64)


def _places(store: Store, tracks: Int64s) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    first_track = store.columns["first_track"].astype(np.int64)
    lane = np.searchsorted(first_track, tracks, side="right") - 1
    return lane.astype("<u2"), (tracks - first_track[lane]).astype("<u2")


def _refs(store: Store, found: Rectangles | None) -> npt.NDArray[np.int32]:
    """The event's index in the file, or minus how many events are merged."""
    if found is None:
        return np.zeros(0, "<i4")
    refs = -found.count
    single = found.count == 1
    refs[single] = store.columns["ordinal"][found.first[single]]
    return np.clip(refs, -_LARGEST_REF, _LARGEST_REF).astype("<i4")


def _categories(found: Rectangles | None) -> Bytes:
    return np.zeros(0, np.uint8) if found is None else found.category.astype(np.uint8)


def _fill(found: Rectangles | None) -> Bytes:
    """How much of each rectangle its events cover: 255 is all of it, and 0 nothing."""
    if found is None:
        return np.zeros(0, np.uint8)
    length = np.maximum(found.end_ns - found.start_ns, 1)
    share = np.where(found.end_ns > found.start_ns, found.covered_ns / length, 1.0)
    fill: Bytes = np.ceil(np.clip(share, 0, 1) * _FULL).astype(np.uint8)
    return fill


def _names(store: Store, found: Rectangles | None, room: int) -> tuple[list[bytes], npt.NDArray[np.uint16]]:
    """The names of single events, the longest rectangles first while there is room, and which has which."""
    if found is None:
        return [], np.zeros(0, "<u2")
    name_of = np.full(len(found), NO_NAME, "<u2")
    single = np.flatnonzero(found.count == 1)
    name = store.columns["kind_name"][store.events.kind[found.first[single]]]
    kinds, inverse = np.unique(name, return_inverse=True)
    widest = np.zeros(len(kinds), np.int64)
    np.maximum.at(widest, inverse.reshape(-1), found.longest_ns[single])
    kept: list[bytes] = []
    number = np.full(len(kinds), NO_NAME, np.int64)
    for i in np.argsort(-widest, kind="stable").tolist():
        text = store.short_name(int(kinds[i]))
        if len(text) + 4 > room or len(kept) == NO_NAME:
            break
        room -= len(text) + 4
        number[i] = len(kept)
        kept.append(text)
    name_of[single] = number[inverse.reshape(-1)]
    return kept, name_of


def render(store: Store, window: Window) -> bytes:
    """A window as one block of bytes."""
    return pack(store, window, draw(store, window))
