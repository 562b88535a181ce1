"""A pool of analysis processes for tests, with the files that it works on and what came out of it."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tb_plugin_explain.plugin.workers import Queued, Task, WorkerPool, Working
from tb_plugin_explain.wire import ErrorInfo

Outcome = bytes | ErrorInfo


class Bench:
    """A pool, the files that it works on, and what came out of it."""

    def __init__(
        self,
        directory: Path,
        workers: int = 2,
        job: str = "tests.plugin.plugin_jobs:play",
        idle_s: float = 60.0,
        longest_s: float = 60.0,
    ) -> None:
        self.directory = directory
        self.outcomes: dict[str, Outcome] = {}
        self.order: list[str] = []
        self._ended = threading.Condition()
        self.job = job
        self.pool = WorkerPool(workers, self._keep, self._keep, idle_s=idle_s, longest_s=longest_s)

    def ask(self, name: str, play: str) -> Queued | Working:
        path = self.directory / f"{name}.json"
        if not path.exists():
            path.write_text(play)
        return self.pool.ask(self.task(name, str(path)))

    def task(self, name: str, path: str, worker: str | None = "worker0", span: str | None = "17") -> Task:
        arguments = {"path": path, "run": "run", "worker": worker, "span": span}
        return Task(name, f"key of {name}", os.path.basename(path), self.job, "report", arguments)

    def outcome(self, name: str, seconds: float = 20.0) -> Outcome:
        with self._ended:
            assert self._ended.wait_for(lambda: name in self.outcomes, seconds), f"no outcome of {name}"
            return self.outcomes[name]

    def report(self, name: str) -> Any:
        outcome = self.outcome(name)
        assert isinstance(outcome, bytes), outcome
        return json.loads(gzip.decompress(outcome))["report"]

    def error(self, name: str) -> ErrorInfo:
        outcome = self.outcome(name)
        assert isinstance(outcome, ErrorInfo)
        return outcome

    def go(self, name: str) -> None:
        (self.directory / f"{name}.json.go").touch()

    def process_of(self, name: str) -> int:
        started = self.directory / f"{name}.json.started"
        until(lambda: started.exists() and started.read_text().endswith("\n"))
        return int(started.read_text().split()[-1])

    def starts(self, name: str) -> int:
        return len((self.directory / f"{name}.json.started").read_text().split())

    def _keep(self, task: Task, outcome: Outcome, _lasts: bool = True) -> None:
        with self._ended:
            self.outcomes[task.id] = outcome
            self.order.append(task.id)
            self._ended.notify_all()


NewBench = Callable[..., Bench]


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.005)


def lives(process_id: int) -> bool:
    """Whether the process is there, be it as a zombie."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True
