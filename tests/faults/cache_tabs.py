"""A tab on one log directory, over one cache directory, as the routes see it."""

from __future__ import annotations

import contextlib
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tb_plugin_explain.plugin import routes, share_routes
from tb_plugin_explain.plugin.answers import Answer, Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.stores import Stores
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.workers import REPORT_JOB
from tb_plugin_explain.runs import parse_logdirs
from tb_plugin_explain.timeline.store import DamagedStore
from tests.plugin.bodies import body
from tests.timeline.windows import store_of
from tests.trace_drawing import draw

_DEADLINE_S = 60.0
_ALL_ROUTES = {**routes.ROUTES, **share_routes.ROUTES}


class Tab:
    def __init__(self, services: Services) -> None:
        self.services = services

    def files(self) -> dict[str, str]:
        """File id by run/file, once the first scan has ended."""
        answer = self._until(lambda: body(self.get("/runs")), lambda answer: answer["scanned"])
        return {
            f"{run['name']}/{file['file']}": file["id"] for run in answer["runs"] for file in run["files"]
        }

    def get(self, path: str, **query: object) -> Answer:
        return _ALL_ROUTES[path](self.services, {name: str(value) for name, value in query.items()})

    def settled(self, path: str, **query: object) -> Any:
        """The JSON of an answer, or its bytes, once it is no longer queued or working."""

        def ask() -> Any:
            answer = self.get(path, **query)
            return body(answer) if answer.content_type == "application/json" else answer.body

        return self._until(
            ask, lambda found: isinstance(found, bytes) or found.get("state") not in ("queued", "working")
        )

    def _until(self, ask: Any, is_settled: Any) -> Any:
        deadline = time.monotonic() + _DEADLINE_S
        while not is_settled(answer := ask()):
            assert time.monotonic() < deadline, answer
            time.sleep(0.01)
        return answer


@contextlib.contextmanager
def open_tab(
    logdir: Path, cache: Path | None, *, job: str = REPORT_JOB, workers: int = 1, reload_s: float = 0.05
) -> Iterator[Tab]:
    watcher = RunsWatcher(parse_logdirs(str(logdir), ""), reload_s)
    services = routes.open_services(watcher, Cache(cache), workers, job=job)
    try:
        yield Tab(services)
    finally:
        services.pool.close()
        watcher.close()
        services.stores.close()


def step_events(number: int = 1, kernels: int = 20) -> list[dict[str, Any]]:
    """A step with launches and their kernels."""
    start = number * 1000
    step = {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1, "tid": 1}
    events: list[dict[str, Any]] = [{**step, "ts": start, "dur": 900}]
    for i in range(kernels):
        at, args = start + 40 * i, {"correlation": number * 1000 + i}
        thread, stream = {"ph": "X", "pid": 1, "tid": 1}, {"ph": "X", "pid": 0, "tid": 7}
        of_stream = {**args, "device": 0, "stream": 7, "grid": [i, 1, 1]}
        events += (
            {**thread, "cat": "cpu_op", "name": "aten::mm", "ts": at, "dur": 30},
            {
                **thread,
                "cat": "cuda_runtime",
                "name": "cudaLaunchKernel",
                "ts": at + 5,
                "dur": 5,
                "args": args,
            },
            {**stream, "cat": "kernel", "name": f"gemm_{i}", "ts": at + 20, "dur": 9, "args": of_stream},
        )
    return events


def write_trace(path: Path, *numbers: int) -> Path:
    """A trace of these steps."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [event for number in numbers or (1,) for event in step_events(number)]
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def keep_something(cache: Cache, stores: Stores, key: str) -> None:
    """Keeps a report and a timeline under a key and reads both: as they were written, or not at all."""
    text = b"{" + key.encode() * 40
    cache.put(key, gzip.compress(text, 0, mtime=0))
    found = Cache(cache.root).get(key)
    assert found is None or gzip.decompress(found.gzipped) == text
    with contextlib.suppress(DamagedStore):
        # The other process may remove it between the writing and the reading.
        store_of(draw("us :0    5\ncpu:[op  ]"), stores.path(key))
    store = stores.get(key)
    assert store is None or store.name(0) == "aten::mm"
