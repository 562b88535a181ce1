"""Jobs for the pool's tests, run in real analysis processes."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tb_plugin_explain.errors import TraceError

OnProgress = Callable[[str, float | None], None]


def count_events(
    path: str,
    run: str | None,
    worker: str | None,
    span: str | None,
    on_progress: OnProgress,
    store: str | None = None,
) -> dict[str, Any]:
    """A small stand-in for a report: reads the file for real."""
    on_progress("reading", 0.0)
    try:
        events = len(json.loads(Path(path).read_bytes())["traceEvents"])
    except ValueError as error:
        raise TraceError("truncated", "The file ends too early.", file=path, position="byte 7") from error
    on_progress("analysing", None)
    return {"run": run, "worker": worker, "span": span, "events": events, "pid": os.getpid()}


def play(path: str, on_progress: OnProgress, **_names: str | None) -> Any:
    """Does what the file's text says, after writing its own process id beside it."""
    with open(f"{path}.started", "a") as log:
        log.write(f"{os.getpid()}\n")
    on_progress("reading", 0.25)
    return PLAYS[Path(path).read_text().strip()](path)


def play_first(baseline: dict[str, str], candidate: dict[str, str], on_progress: OnProgress) -> Any:
    """``play`` of the first of two files."""
    return play(baseline["path"], on_progress)


def _sleep_long(_path: str) -> None:
    time.sleep(60)


def _sleep_until_told(path: str) -> str:
    while not os.path.exists(f"{path}.go"):
        time.sleep(0.01)
    return "told"


def _busy(_path: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        sum(range(10_000))


def _kill(_path: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _exit(_path: str) -> None:
    os._exit(7)


def _bug(_path: str) -> None:
    raise KeyError("no such\nthing")


def _memory(_path: str) -> None:
    raise MemoryError


def _print(_path: str) -> str:
    print("this must not get between the frames", flush=True)
    os.write(1, b"nor this\n")
    return "printed"


def _modules(_path: str) -> list[str]:
    return sorted({name.partition(".")[0] for name in sys.modules})


def _threads(_path: str) -> int:
    importlib.import_module("numpy")
    return len(os.listdir("/proc/self/task"))


def _big(_path: str) -> str:
    return "".join(f"{i}," for i in range(400_000))


def _nan(_path: str) -> list[float]:
    return [float("nan"), 1.0]


PLAYS: dict[str, Callable[[str], Any]] = {
    "sleep": _sleep_long,
    "wait": _sleep_until_told,
    "busy": _busy,
    "kill": _kill,
    "exit": _exit,
    "bug": _bug,
    "memory": _memory,
    "print": _print,
    "modules": _modules,
    "threads": _threads,
    "big": _big,
    "nan": _nan,
}
