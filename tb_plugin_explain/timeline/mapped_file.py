"""A file mapped into memory, and whether somebody else has changed it since.

Whoever reads on in a mapped file that was cut short is ended by the system (SIGBUS), and nothing is raised
before. So ask ``is_as_opened`` before each use.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class MappedFile:
    """One file, open as long as this object lives; its arrays stay readable also where it was removed.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is empty.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)
        self._opened_as = self._version()
        self._bytes = mmap.mmap(self._descriptor, 0, access=mmap.ACCESS_READ)

    def _version(self) -> tuple[int, int]:
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns

    def is_as_opened(self) -> bool:
        """Whether size and time of modification are still those of when it was opened."""
        try:
            return self._version() == self._opened_as
        except OSError:
            # Of a network file system: another machine has removed it.
            return False

    def array(self, dtype: str, shape: Sequence[int], begin: int) -> npt.NDArray[Any]:
        """A plain array over the bytes from ``begin`` on: slices of memmap cost a microsecond each.

        Raises:
            TypeError, ValueError: there is no such array in the file.
        """
        if min(shape, default=0) < 0:
            raise ValueError(f"no array has the shape {shape}")
        return np.frombuffer(self._bytes, dtype, math.prod(shape), begin).reshape(shape)
