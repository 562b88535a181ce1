"""Makes the next pieces of a text in a thread of its own, while the ones before are worked on.

Inflating and the scanner in C both run without the interpreter's lock, so that they overlap.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Self

_PIECES_AHEAD = 4
# How often a thread that makes nothing is asked whether it still lives.
_LOOK_S = 0.5


class ReadAhead:
    """The pieces of an iterator, in order; what it raises is raised here. ``close`` ends the thread.

    Raises RuntimeError where the system gives no thread, and then has read nothing.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._source = pieces
        self._made: SimpleQueue[bytes | BaseException | None] = SimpleQueue()
        # One for each piece that may be made; None ends the thread.
        self._permits: SimpleQueue[bool | None] = SimpleQueue()
        for _ in range(_PIECES_AHEAD):
            self._permits.put(True)
        self._closing = self._ended = False
        self._thread = threading.Thread(target=self._make, name="read-ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        if self._ended:
            raise StopIteration
        piece = self._next_made()
        if isinstance(piece, bytes):
            self._permits.put(True)
            return piece
        self._ended = True
        raise piece or StopIteration

    def _next_made(self) -> bytes | BaseException | None:
        while True:
            # A thread that could not even say so has died for want of memory.
            lives = self._thread.is_alive()
            try:
                return self._made.get(timeout=_LOOK_S)
            except Empty:
                if not lives:
                    return MemoryError()

    def close(self) -> None:
        """Stop making pieces, and wait until nothing is read any more."""
        self._closing = self._ended = True
        self._permits.put(None)
        self._thread.join()

    def _make(self) -> None:
        try:
            while self._permits.get() and not self._closing:
                self._made.put(next(self._source))
        except StopIteration:
            self._made.put(None)
        except BaseException as error:
            self._made.put(error)
