"""The plugin in a real TensorBoard, over HTTP."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.plugin_files import make_many_runs
from tests.plugin.real_tensorboard import Server, tensorboard

EAGER = "eager/worker0.1700000000000000001.pt.trace.json"
# Analyses here last 60 s, and TensorBoard ends within 0.5 s: the rest is for machines with other work.
AT_ONCE_S = 5.0
PLAYING = (str(Path(__file__).with_name("playing_tensorboard.py")),)


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_many_runs(tmp_path_factory.mktemp("many"))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def playing(scratch: Path, *arguments: str) -> contextlib.AbstractContextManager[Server]:
    """A TensorBoard whose analysis does what the trace's text says."""
    return tensorboard(scratch, *arguments, program=PLAYING)


def settled(server: Server, file_id: str) -> Any:
    deadline = time.monotonic() + 30
    while (answer := server.plugin(f"report?file={file_id}").json)["state"] in ("queued", "working"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return answer


def process_of(trace: Path) -> int:
    """The analysis process that works on a trace."""
    started = trace.with_name(trace.name + ".started")
    deadline = time.monotonic() + 30
    while not started.exists() or not started.read_text().endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int(started.read_text().split()[-1])


def lives(process_id: int) -> bool:
    """Whether the process still runs; a zombie does not, its own parent being gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def server(scratch: Path) -> Iterator[Server]:
    write(scratch / "runs" / EAGER, "big")
    write(scratch / "runs" / "broken" / "trace.json", "bug")
    with playing(scratch, "--logdir", str(scratch / "runs"), "--path_prefix", "/some/prefix") as running:
        yield running


def test_the_tab_is_listed(server: Server) -> None:
    reply = server.get("data/plugins_listing")
    listed = reply.json["explain"]
    assert (listed["enabled"], listed["tab_name"], listed["disable_reload"]) == (True, "Explain", False)
    assert listed["loading_mechanism"]["module_path"].endswith("/explain/static/index.js")
    assert reply.seconds < 0.5


def test_a_report_over_http(server: Server) -> None:
    file_id = server.files()[EAGER]
    assert settled(server, file_id)["report"].endswith("399999,")
    reply = server.plugin(f"report?file={file_id}", Accept_Encoding="gzip")
    assert reply.status == 200
    assert reply.headers["Content-Encoding"] == "gzip"
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Cache-Control"] == "no-cache, must-revalidate"
    # The best of a few: the machine that runs the tests may be busy.
    assert min(server.plugin(f"report?file={file_id}").seconds for _ in range(10)) < 0.05
    plain = server.plugin(f"report?file={file_id}")
    assert plain.headers["Content-Encoding"] is None
    assert plain.json == reply.json


def test_an_unchanged_report_is_not_sent_again(server: Server) -> None:
    file_id = server.files()[EAGER]
    settled(server, file_id)
    etag = server.plugin(f"report?file={file_id}").headers["ETag"]
    reply = server.plugin(f"report?file={file_id}", If_None_Match=etag, Accept_Encoding="gzip")
    assert (reply.status, reply.body) == (304, b"")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert server.plugin(f"report?file={file_id}", If_None_Match='"other"').status == 200


def test_an_error_of_the_analysis_is_one_line(server: Server) -> None:
    answer = settled(server, server.files()["broken/trace.json"])
    assert answer["error"]["kind"] == "internal"
    assert answer["error"]["file"] == "trace.json"
    assert "Traceback" not in answer["error"]["message"]


def test_experiments_need_nothing_special(server: Server) -> None:
    assert server.get("experiment/foo/data/plugin/explain/runs").json["scanned"] is True


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("route", ["runs", "report", "static/index.js"])
def test_only_get_is_answered(server: Server, method: str, route: str) -> None:
    reply = server.plugin(route, method)
    assert (reply.status, reply.headers["Allow"]) == (405, "GET")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "report",
        "report?file=..%2F..%2Fetc%2Fpasswd",
        "static/..%2floader.py",
        "static/../loader.py",
        "static/%2e%2e/loader.py",
        "static//etc/passwd",
        "static/missing.js",
    ],
)
def test_made_up_names_are_404_as_json(server: Server, path: str) -> None:
    server.files()  # Before the first scan no name is known to be made up.
    reply = server.plugin(path)
    assert reply.status == 404
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert set(reply.json["error"]) == {"kind", "message", "file", "position"}


def test_new_runs_appear_without_a_restart(server: Server, scratch: Path) -> None:
    write(scratch / "runs" / "later" / "trace.json", "print")
    deadline = time.monotonic() + 20
    while "later/trace.json" not in server.files():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert settled(server, server.files()["later/trace.json"])["report"] == "printed"


def test_three_thousand_runs_hold_nothing_up(tmp_path: Path, many_runs: Path) -> None:
    # Without the stock plugin, which starts a process for each of them.
    with playing(tmp_path, "--logdir", str(many_runs)) as server:
        reply = server.get("data/plugins_listing")
        assert reply.json["explain"]["enabled"] is True
        assert reply.seconds < 0.5
        started = time.monotonic()
        assert len(server.files()) == 3000
        assert time.monotonic() - started < 3.0
        assert server.stop() < AT_ONCE_S


def test_an_empty_logdir_hides_the_tab_at_once(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with tensorboard(tmp_path, "--logdir", str(tmp_path / "runs")) as server:
        reply = server.get("data/plugins_listing")
        assert reply.json["explain"]["enabled"] is False
        assert reply.seconds < 1.0


def test_names_of_a_logdir_spec_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "a" / "trace.json", "print")
    write(tmp_path / "b" / "sub" / "trace.json", "print")
    spec = f"base:{tmp_path / 'a'},new:{tmp_path / 'b'}"
    with tensorboard(tmp_path, "--logdir_spec", spec) as server:
        assert set(server.files()) == {"base/trace.json", "new/sub/trace.json"}


@pytest.mark.parametrize("play", ["sleep", "busy"])
@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_tensorboard_ends_at_once_while_it_works(
    tmp_path: Path, play: str, with_signal: signal.Signals
) -> None:
    trace = write(tmp_path / "runs" / "trace.json", play)
    with playing(tmp_path, "--logdir", str(tmp_path / "runs"), "--explain_cache_dir", "none") as server:
        server.plugin(f"report?file={server.files()['runs/trace.json']}")
        worker = process_of(trace)
        assert server.plugin("runs").seconds < 0.5
        assert server.stop(with_signal) < AT_ONCE_S
        assert not lives(worker)
        assert "Traceback" not in "".join(server.log)


def test_a_killed_tensorboard_leaves_no_process(tmp_path: Path) -> None:
    trace = write(tmp_path / "runs" / "trace.json", "busy")
    with playing(tmp_path, "--logdir", str(tmp_path / "runs")) as server:
        server.plugin(f"report?file={server.files()['runs/trace.json']}")
        worker = process_of(trace)
        server.stop(signal.SIGKILL)
        deadline = time.monotonic() + 5
        while lives(worker):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_the_cache_is_used_after_a_restart(tmp_path: Path) -> None:
    trace = write(tmp_path / "runs" / "trace.json", "print")
    directory = tmp_path / "reports of mine"
    for _ in range(2):
        arguments = ("--logdir", str(tmp_path / "runs"), "--explain_cache_dir", str(directory))
        with playing(tmp_path, *arguments) as server:
            assert settled(server, server.files()["runs/trace.json"])["report"] == "printed"
            server.stop()
    assert len(trace.with_name("trace.json.started").read_text().split()) == 1
    assert len(os.listdir(directory / "reports")) == 1
