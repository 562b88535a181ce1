"""A real TensorBoard in a process of its own, with the plugin on its path."""

from __future__ import annotations

import contextlib
import gzip
import importlib.metadata
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tb_plugin_explain.demo import end

REPOSITORY = Path(__file__).resolve().parent.parent.parent
_ENTRY_POINT = "[tensorboard_plugins]\nexplain = tb_plugin_explain.loader:ExplainLoader\n"
_SERVING = re.compile(r"http://127\.0\.0\.1:(\d+)\S*")
_START_S = 60.0
_END_S = 30.0


class Reply:
    """An answer of the server; ``json`` unpacks it."""

    def __init__(self, status: int, headers: Message, body: bytes, seconds: float) -> None:
        self.status = status
        self.headers = headers
        self.seconds = seconds
        self.body = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """``get`` takes paths relative to the server's root; ``plugin`` those of our plugin."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: list[str]) -> None:
        self.process = process
        self.url = url
        self.log = log

    def get(self, path: str, method: str = "GET", **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = Request(self.url + path, method=method, headers=named)
        started = time.monotonic()
        try:
            with urlopen(request, timeout=30) as response:
                body = response.read()
                return Reply(response.status, response.headers, body, time.monotonic() - started)
        except HTTPError as error:
            return Reply(error.code, error.headers, error.read(), time.monotonic() - started)

    def plugin(self, path: str, method: str = "GET", **headers: str) -> Reply:
        return self.get(f"data/plugin/explain/{path}", method, **headers)

    def files(self) -> dict[str, str]:
        """File id by run/file, once the first scan has ended."""
        deadline = time.monotonic() + 20
        while not (answer := self.plugin("runs").json)["scanned"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return {
            f"{run['name']}/{file['file']}": file["id"] for run in answer["runs"] for file in run["files"]
        }

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> float:
        """Seconds from the signal to the end. SIGINT goes to all processes of it, as from a terminal."""
        started = time.monotonic()
        if with_signal is signal.SIGINT:
            os.killpg(self.process.pid, with_signal)
        else:
            self.process.send_signal(with_signal)
        try:
            self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"TensorBoard did not end:\n{self._where_it_stands()}") from None
        return time.monotonic() - started

    def _where_it_stands(self) -> str:
        """Ends it, and its helpers, who hold the log open; the log then has the stack of every thread."""
        self.process.send_signal(signal.SIGABRT)
        self.process.wait(_END_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        time.sleep(0.5)
        return "".join(self.log)


@contextlib.contextmanager
def tensorboard(
    directory: Path, *arguments: str, program: Sequence[str] = ("-m", "tensorboard.main")
) -> Iterator[Server]:
    """TensorBoard with these arguments. ``directory`` is a scratch directory for what it needs."""
    command = [sys.executable, *program, "--host", "127.0.0.1", "--port", "0", *arguments]
    path = os.pathsep.join([str(_make_installed(directory)), str(REPOSITORY), str(Path(__file__).parent)])
    ours = {"PYTHONPATH": path, "XDG_CACHE_HOME": str(directory / "cache"), "PYTHONFAULTHANDLER": "1"}
    with subprocess.Popen(
        # In a directory of its own: with --logdir_spec the stock plugin, if installed, searches this one.
        command,
        cwd=directory,
        env={**os.environ, **ours},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        log: list[str] = []
        try:
            yield Server(process, _wait_for_url(process, log), log)
        finally:
            # Not killed: the stock plugin's helpers would live on, and hold the pipe open.
            end(process)


def _make_installed(directory: Path) -> Path:
    """A minimal installation record with our entry point, where the environment has none."""
    site = directory / "site"
    record = site / "tb_plugin_explain_checkout-0.dist-info"
    record.mkdir(parents=True, exist_ok=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: tb-plugin-explain-checkout\nVersion: 0\n")
    entry_points = importlib.metadata.entry_points(group="tensorboard_plugins")
    installed = any(entry_point.name == "explain" for entry_point in entry_points)
    (record / "entry_points.txt").write_text("" if installed else _ENTRY_POINT)
    return site


def _wait_for_url(process: subprocess.Popen[str], log: list[str]) -> str:
    """Reads the log in a thread, so that a full pipe never stops the server."""
    found: list[str] = []
    said = threading.Event()

    def read() -> None:
        # It is closed when the test is over.
        with contextlib.suppress(ValueError):
            for line in process.stderr or ():
                log.append(line)
                if serving := _SERVING.search(line):
                    found.append(serving[0])
                    said.set()
        said.set()

    threading.Thread(target=read, daemon=True).start()
    assert said.wait(_START_S), "TensorBoard did not start in time"
    assert found, "".join(log)
    return found[0]
