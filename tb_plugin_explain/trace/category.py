"""What kinds of events there are."""

from __future__ import annotations

from enum import IntEnum


class Category(IntEnum):
    """What kind of event a row is, whatever its file's age calls it (see vocabulary)."""

    OTHER = 0
    CPU_OP = 1
    ANNOTATION = 2
    GPU_ANNOTATION = 3
    RUNTIME = 4
    DRIVER = 5
    KERNEL = 6
    MEMCPY = 7
    MEMSET = 8
    OVERHEAD = 9
    PYTHON = 10
    SYNC_ROW = 11
    INSTANT = 12
