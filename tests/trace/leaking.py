"""Run as a program: uses the scanner many times, in order and not, and prints what of memory is left over.

Three numbers: blocks of Python objects, bytes of the process, and references to what was handed in.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tb_plugin_explain.trace.engine import scanner

EVENT = b'{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 2, "ts": 10.5, "dur": 2}'
TEXT = b",".join([EVENT] * 400)
BEGINS = 32
EVENTS = 1000
START, END, PARENT, BEYOND = (np.zeros(EVENTS, np.int64) for _ in range(4))
RANK, WRONG = np.zeros(EVENTS, np.uint8), np.zeros(EVENTS, np.float64)
READ_ONLY = np.zeros(EVENTS, np.int64)
READ_ONLY.flags.writeable = False


def plain(*_: object) -> int:
    return 1


def aside(*_: object) -> int:
    return BEGINS


def fails(*_: object) -> int:
    raise KeyError("meaning")


def is_none(*_: object) -> Any:
    return None


def is_huge(*_: object) -> int:
    return 2**70


def take() -> None:
    scan = scanner.Scanner(plain)
    scan.scan(TEXT, 0)
    columns = [np.asarray(column) for column in scan.take().values()]
    scan.scan(TEXT, 400)
    scan.take()
    del columns


def leave_rows() -> None:
    scanner.Scanner(plain).scan(TEXT, 0)


def set_aside() -> None:
    scanner.Scanner(aside).scan(TEXT, 0)


def answer_badly() -> None:
    for answer in (fails, is_none, is_huge):
        with contextlib.suppress(KeyError, TypeError, OverflowError):
            scanner.Scanner(answer).scan(TEXT, 0)
    no_text: Any = None
    with contextlib.suppress(TypeError):
        scanner.Scanner(plain).scan(no_text, 0)


def know_itself() -> None:
    """A cycle, which the collector has to find: the answer knows the scanner."""
    known: list[Any] = []
    known.append(scanner.Scanner(lambda *_: len(known)))
    known[0].scan(TEXT, 0)


def collect() -> None:
    gc.collect()


def sweep() -> None:
    scanner.sweep(START, END, RANK, 1000, PARENT, BEYOND)
    right = (START, END, RANK, PARENT, BEYOND)
    for place in range(5):
        for wrong in (WRONG, READ_ONLY, READ_ONLY[:2], None):
            given: list[Any] = [*right[:place], wrong, *right[place + 1 :]]
            with contextlib.suppress(ValueError, TypeError, BufferError):
                scanner.sweep(given[0], given[1], given[2], 1000, given[3], given[4])


def in_use() -> tuple[int, int, int]:
    gc.collect()
    held = (plain, aside, fails, START, END, RANK, PARENT, BEYOND, WRONG, TEXT)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return sys.getallocatedblocks(), pages * 4096, sum(map(sys.getrefcount, held))


def repeat(times: int) -> None:
    uses: tuple[Callable[[], None], ...] = (
        take,
        leave_rows,
        set_aside,
        answer_badly,
        know_itself,
        collect,
        sweep,
    )
    for _ in range(times):
        for use in uses:
            use()


def main() -> None:
    # What is made once is not what is asked for; nor need the collector look at it each time.
    gc.freeze()
    repeat(300)
    before = in_use()
    repeat(3000)
    print(*(now - then for now, then in zip(in_use(), before, strict=True)))


if __name__ == "__main__":
    main()
