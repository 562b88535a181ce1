"""What a process that analyses tells Python and its libraries."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Of GNU's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 64 << 20
_MAPPED_FROM_BYTES = 4 << 20


def prepare_process() -> None:
    """Before NumPy is imported, in a process of our own: a library must not change these for its users.

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


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """For what makes many objects and few cycles: collecting would visit them over and over."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
