"""Processes that are killed or interrupted in the middle of a real analysis."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cache_tabs import write_trace
from tests.faults.large_traces import write_steps
from tests.faults.servers import lives, serving, settled, until, workers_of
from tests.load import slowness
from tests.plugin.real_tensorboard import Server

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

# On a machine that does nothing else.
AT_ONCE_S = 2.0
LARGE = "runs/large_trace.json.gz"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that takes seconds, and one that takes none."""
    directory = tmp_path_factory.mktemp("processes") / "runs"
    write_trace(directory / "small_trace.json", 1)
    write_steps(directory / "large_trace.json.gz", 1500)
    return directory


@pytest.fixture
def server(logdir: Path, tmp_path: Path) -> Iterator[Server]:
    arguments = ("--logdir", logdir, "--explain_workers", 1, "--explain_cache_dir", tmp_path / "kept")
    with serving(tmp_path, *arguments) as running:
        yield running


def at_work(server: Server) -> tuple[str, int]:
    """Starts the long analysis; its address and its process."""
    address = f"report?file={server.files()[LARGE]}"
    until(lambda: server.plugin(address).json, lambda answer: answer["state"] == "working")
    [worker] = workers_of(server)
    return address, worker


def test_an_analysis_that_the_system_kills_costs_its_own_answer(server: Server) -> None:
    address, worker = at_work(server)
    os.kill(worker, signal.SIGKILL)
    error = settled(server, address)["error"]
    assert (error["kind"], error["file"]) == ("worker_died", "large_trace.json.gz")
    assert "was killed" in error["message"]
    small = server.files()["runs/small_trace.json"]
    assert settled(server, f"report?file={small}")["state"] == "ready"
    assert settled(server, f"timeline?file={small}")["state"] == "ready"
    assert not lives(worker)


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_tensorboard_ends_within_two_seconds(
    server: Server, with_signal: signal.Signals, tmp_path: Path
) -> None:
    _, worker = at_work(server)
    before = slowness()
    assert server.stop(with_signal) < AT_ONCE_S * max(before, slowness())
    assert not lives(worker)
    assert "Traceback" not in "".join(server.log)
    left = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert left == []


def test_a_tensorboard_that_is_killed_takes_its_processes_along(server: Server) -> None:
    _, worker = at_work(server)
    server.stop(signal.SIGKILL)
    until(lambda: lives(worker), lambda alive: not alive)


def test_what_a_killed_tensorboard_left_is_no_hindrance(logdir: Path, tmp_path: Path) -> None:
    arguments = ("--logdir", logdir, "--explain_cache_dir", tmp_path / "kept")
    for turn in range(2):
        with serving(tmp_path, *arguments) as server:
            small = server.files()["runs/small_trace.json"]
            address = f"timeline?file={small}"
            if turn:
                assert settled(server, address)["state"] == "ready"
            else:
                server.plugin(address)
                server.stop(signal.SIGKILL)


def test_the_flag_of_memory_reaches_the_analysis(logdir: Path, tmp_path: Path) -> None:
    arguments = ("--logdir", logdir, "--explain_cache_dir", "none", "--explain_max_memory", "128MB")
    with serving(tmp_path, *arguments) as server:
        files = server.files()
        assert settled(server, f"report?file={files[LARGE]}")["error"]["kind"] == "too_large"
        assert settled(server, f"report?file={files['runs/small_trace.json']}")["state"] == "ready"
