"""What a process that analyses tells its libraries before it imports NumPy."""

from __future__ import annotations

import ctypes
import os
import sys

# Of GNU's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 64 << 20
_MAPPED_FROM_BYTES = 4 << 20


def prepare_process() -> None:
    """For a process of our own: a library must not change these for its users.

    OpenBLAS starts a thread for each processor as it is loaded, and they spin while they wait, which on
    two processors takes a tenth of the CPU time of a report of 100 MB; nothing here multiplies matrices.
    And the C library returns every freed column to the system, which clears its pages for the next one:
    a twentieth of that time, more of larger traces.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.platform == "linux":
        _keep_freed_memory()


def _keep_freed_memory() -> None:
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)
