"""Real TensorBoards for tests of faults: with the real analysis, or with one that a trace's text directs."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.plugin.real_tensorboard import REPOSITORY, Server, tensorboard

EXPLAINING = (str(REPOSITORY / "tests" / "faults" / "explain_tensorboard.py"),)
PLAYING = (str(REPOSITORY / "tests" / "plugin" / "playing_tensorboard.py"),)
_DEADLINE_S = 60.0


def serving(
    scratch: Path, *arguments: object, program: Sequence[str] = EXPLAINING
) -> contextlib.AbstractContextManager[Server]:
    return tensorboard(scratch, *map(str, arguments), program=program)


def until(ask: Callable[[], Any], is_settled: Callable[[Any], bool]) -> Any:
    """What ``ask`` gives once it is what was waited for."""
    deadline = time.monotonic() + _DEADLINE_S
    while not is_settled(answer := ask()):
        assert time.monotonic() < deadline, answer
        time.sleep(0.02)
    return answer


def settled(server: Server, path: str) -> Any:
    """The JSON of a route of ours once it is no longer queued or working."""
    return until(lambda: server.plugin(path).json, lambda a: a.get("state") not in ("queued", "working"))


def workers_of(server: Server) -> list[int]:
    """The analysis processes of a TensorBoard."""
    children = [process for process in _processes() if _parent(process) == server.process.pid]
    return [process for process in children if b"worker_process" in _command(process)]


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _parent(process: int) -> int | None:
    with contextlib.suppress(OSError):
        state, parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
        return None if state == "Z" else int(parent)
    return None


def _command(process: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def lives(process: int) -> bool:
    return _parent(process) is not None
