"""Rectangles, and how those too small to be seen become one.

A rectangle is *small* at a pixel if its longest event is shorter than the pixel. Neighbours on one
track that are both small, with a gap below a pixel between them, become one. Invariants: no merged
rectangle spans a gap of a pixel or more; merging what was merged at a finer pixel gives the same as
merging the events themselves, because a rectangle keeps the length of its longest event.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from tb_plugin_explain.trace.model import Int64s, UInt8s


class Rectangles(Struct, frozen=True, eq=False):
    """Columns of equal length, by track and start; those of one track do not overlap.

    start_ns, end_ns: int64. longest_ns: of its longest event. covered_ns: of all its events together.
    first: int64, number of its first event. count: int64, how many events it stands for, those that
    follow ``first``. category: uint8, of its longest event (tie: the earliest).
    track: int64.
    """

    start_ns: Int64s
    end_ns: Int64s
    longest_ns: Int64s
    covered_ns: Int64s
    first: Int64s
    count: Int64s
    category: UInt8s
    track: Int64s

    def __len__(self) -> int:
        return len(self.start_ns)


def joined(parts: Sequence[Rectangles]) -> Rectangles:
    """Several one after the other; at least one."""
    return Rectangles(**{name: np.concatenate([asdict(p)[name] for p in parts]) for name in asdict(parts[0])})


def first_of(found: Rectangles, count: int) -> Rectangles:
    """The first so many."""
    return Rectangles(**{name: column[:count] for name, column in asdict(found).items()})


def merge(found: Rectangles, pixel_ns: float, most: int | None = None) -> Rectangles:
    """The rectangles as they are seen where a pixel is so long.

    most: of how many one may be made, so that a part of it is found soon; then some neighbours remain
    that merging again would join.
    """
    if not len(found):
        return found
    small = found.longest_ns < pixel_ns
    joins = small[1:] & small[:-1] & (found.start_ns[1:] - found.end_ns[:-1] < pixel_ns)
    joins &= found.track[1:] == found.track[:-1]
    if most:
        joins[most - 1 :: most] = False
    if not joins.any():
        return found
    opens = np.flatnonzero(np.concatenate(([True], ~joins)))
    sizes = np.diff(opens, append=len(found))
    longest = np.maximum.reduceat(found.longest_ns, opens)
    at = np.where(found.longest_ns == np.repeat(longest, sizes), np.arange(len(found)), len(found))
    return Rectangles(
        start_ns=found.start_ns[opens],
        end_ns=found.end_ns[opens + sizes - 1],
        longest_ns=longest,
        covered_ns=np.add.reduceat(found.covered_ns, opens),
        first=found.first[opens],
        count=np.add.reduceat(found.count, opens),
        category=found.category[np.minimum.reduceat(at, opens)],
        track=found.track[opens],
    )
