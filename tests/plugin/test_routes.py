"""The routes as functions: real scan, real pool, real cache, no HTTP."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.plugin import routes
from tb_plugin_explain.plugin.answers import Answer, Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.workers import REPORT_JOB, WorkerPool
from tb_plugin_explain.runs import parse_logdirs
from tests.plugin.bodies import body
from tests.plugin.plugin_files import make_many_runs

COUNT, PLAY = "tests.plugin.plugin_jobs:count_events", "tests.plugin.plugin_jobs:play"
GROWING = "B61-file-still-growing"


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_many_runs(tmp_path_factory.mktemp("many"))


class Tab:
    """What the page sees of a log directory."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def runs(self) -> Any:
        deadline = time.monotonic() + 20
        while not (answer := json.loads(routes.runs(self.services, {}).body))["scanned"]:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        return answer

    def files(self) -> list[Any]:
        return [file for run in self.runs()["runs"] for file in run["files"]]

    def only(self) -> Any:
        [file] = self.files()
        return file

    def ask(self, file_id: str) -> Answer:
        return routes.report(self.services, {"file": file_id})

    def settled(self, file_id: str) -> Any:
        """The answer once it is no longer ``queued`` or ``working``."""
        deadline = time.monotonic() + 30
        while (answer := body(self.ask(file_id)))["state"] in ("queued", "working"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return answer


Open = Callable[..., Tab]


@pytest.fixture
def open_tab(tmp_path: Path) -> Iterator[Open]:
    opened: list[Services] = []

    def make(logdir: Path, job: str = COUNT, interval_s: float = 0.05) -> Tab:
        watcher = RunsWatcher(parse_logdirs(str(logdir), ""), interval_s)
        static = tmp_path / "static"
        opened.append(routes.open_services(watcher, Cache(tmp_path / "cache"), 1, static=static, job=job))
        return Tab(opened[-1])

    yield make
    for services in opened:
        services.pool.close()
        services.watcher.close()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    return directory


def test_from_the_list_to_a_report(logdir: Path, open_tab: Open) -> None:
    (logdir / "eager").mkdir()
    (logdir / "eager" / "worker0.17.pt.trace.json").write_text('{"traceEvents": [1, 2]}')
    tab = open_tab(logdir)
    answer = tab.runs()
    assert (answer["schema"], answer["logdirs"], answer["notes"]) == (1, [str(logdir)], [])
    [run] = answer["runs"]
    assert run["name"] == "eager"
    [file] = run["files"]
    expected = {
        "file": "worker0.17.pt.trace.json",
        "worker": "worker0",
        "span": "17",
        "bytes": 23,
        "state": "unread",
    }
    assert {name: file[name] for name in expected} == expected
    assert file["modified_s"] == pytest.approx(time.time(), abs=60)
    assert body(tab.ask(file["id"])) == {"state": "queued", "position": 1}
    report = tab.settled(file["id"])["report"]
    assert (report["run"], report["worker"], report["span"], report["events"]) == (
        "eager",
        "worker0",
        "17",
        2,
    )
    assert tab.only()["state"] == "ready"


def test_a_cached_report_is_quick_after_a_restart_too(logdir: Path, open_tab: Open) -> None:
    (logdir / "trace.json").write_text("big")
    first = open_tab(logdir, PLAY)
    file_id = first.only()["id"]
    first.settled(file_id)
    again = open_tab(logdir, PLAY)
    assert again.only()["state"] == "ready"
    started = time.monotonic()
    answer = again.ask(file_id)
    assert time.monotonic() - started < 0.05
    assert answer.gzipped
    assert answer.etag == first.ask(file_id).etag


def test_the_state_of_a_file_is_listed(logdir: Path, open_tab: Open) -> None:
    (logdir / "a_trace.json").write_text("wait")
    (logdir / "b_trace.json").write_text("bug")
    (logdir / "c_trace.json").write_text("print")
    tab = open_tab(logdir, PLAY)
    ids = {file["worker"]: file["id"] for file in tab.files()}
    tab.ask(ids["a_trace"])
    states: dict[str, str] = {}
    while states.get("a_trace") != "working":
        states = {file["worker"]: file["state"] for file in tab.files()}
    tab.ask(ids["b_trace"])
    assert {file["worker"]: file["state"] for file in tab.files()} == {
        "a_trace": "working",
        "b_trace": "queued",
        "c_trace": "unread",
    }
    assert body(tab.ask(ids["a_trace"]))["phase"] == "reading"
    (logdir / "a_trace.json.go").touch()
    tab.settled(ids["a_trace"])
    assert tab.settled(ids["b_trace"])["error"]["kind"] == "internal"
    assert {file["worker"]: file["state"] for file in tab.files()} == {
        "a_trace": "ready",
        "b_trace": "error",
        "c_trace": "unread",
    }


def test_an_unknown_file_is_404(logdir: Path, open_tab: Open) -> None:
    (logdir / "trace.json").write_text("{}")
    tab = open_tab(logdir)
    tab.runs()
    for query in ({}, {"file": ""}, {"file": "0" * 24}, {"file": str(logdir / "trace.json")}):
        answer = routes.report(tab.services, query)
        assert answer.status == 404
        assert body(answer)["error"]["kind"] == "unknown_file"


def test_a_file_that_vanished_is_an_error_of_that_file(logdir: Path, open_tab: Open) -> None:
    (logdir / "trace.json").write_text("{}")
    tab = open_tab(logdir, interval_s=0)
    file_id = tab.only()["id"]
    (logdir / "trace.json").unlink()
    answer = tab.settled(file_id)
    assert answer["error"]["kind"] == "not_found"
    assert "trace.json is gone" in answer["error"]["message"]


def test_before_the_first_scan_a_report_is_queued(logdir: Path, open_tab: Open) -> None:
    tab = open_tab(logdir)
    tab.services.watcher.latest = lambda: None  # type: ignore[method-assign]
    assert body(tab.ask("0" * 24)) == {"state": "queued", "position": 1}
    answer = body(routes.runs(tab.services, {}))
    assert (answer["scanned"], answer["runs"]) == (False, [])


def test_a_growing_file_is_read_again(logdir: Path, shared_cases: Path, open_tab: Open) -> None:
    name = "w.1700000000001.pt.trace.json"
    shutil.copy(shared_cases / GROWING / "snap1" / name, logdir)
    tab = open_tab(logdir)
    file_id = tab.only()["id"]
    error = tab.settled(file_id)["error"]
    assert (error["kind"], error["file"]) == ("truncated", name)
    shutil.copy(shared_cases / GROWING / "snap2" / name, logdir)
    assert tab.settled(file_id)["report"]["events"] > 0
    while tab.only()["state"] != "ready":
        time.sleep(0.01)  # until the next scan has seen the new size


def test_a_growing_file_with_the_real_analysis(logdir: Path, shared_cases: Path, open_tab: Open) -> None:
    name = "w.1700000000001.pt.trace.json"
    shutil.copy(shared_cases / GROWING / "snap1" / name, logdir)
    tab = open_tab(logdir, REPORT_JOB)
    file_id = tab.only()["id"]
    assert "truncated" in {warning["kind"] for warning in tab.settled(file_id)["report"]["warnings"]}
    shutil.copy(shared_cases / GROWING / "snap2" / name, logdir)
    report = tab.settled(file_id)["report"]
    assert report["warnings"] == []
    assert report["steps"][0]["duration_us"] == 600.0
    assert report["trace"]["run"] == "runs"


def test_a_file_that_changes_during_the_analysis_is_read_again(logdir: Path, open_tab: Open) -> None:
    trace = logdir / "trace.json"
    trace.write_text("wait")
    tab = open_tab(logdir, PLAY)
    file_id = tab.only()["id"]
    while body(tab.ask(file_id))["state"] != "working":
        time.sleep(0.005)
    trace.write_text("print")
    assert body(tab.ask(file_id))["state"] == "working"
    (logdir / "trace.json.go").touch()
    assert tab.settled(file_id)["report"] == "printed"


def test_touching_a_file_that_failed_tries_again(logdir: Path, open_tab: Open) -> None:
    trace = logdir / "trace.json"
    trace.write_text("bug")
    tab = open_tab(logdir, PLAY)
    file_id = tab.only()["id"]
    tab.settled(file_id)
    tab.settled(file_id)
    started = logdir / "trace.json.started"
    assert len(started.read_text().split()) == 1
    os.utime(trace, (1, 1))
    tab.settled(file_id)
    assert len(started.read_text().split()) == 2


@pytest.mark.parametrize(("play", "kind"), [("kill", "worker_died"), ("busy", "too_slow")])
def test_an_analysis_that_was_ended_is_tried_again_later(
    logdir: Path, open_tab: Open, monkeypatch: pytest.MonkeyPatch, play: str, kind: str
) -> None:
    defaults = WorkerPool.__init__.__kwdefaults__
    assert defaults
    monkeypatch.setitem(defaults, "longest_s", 2.0)
    monkeypatch.setitem(routes._ERRORS_KEPT_S, kind, 0.5)
    (logdir / "trace.json").write_text(play)
    tab = open_tab(logdir, PLAY)
    file_id = tab.only()["id"]
    assert tab.settled(file_id)["error"]["kind"] == kind
    assert body(tab.ask(file_id))["state"] == "error"
    time.sleep(0.6)
    assert body(tab.ask(file_id))["state"] == "queued"


def test_the_same_file_in_two_runs_names_its_run(logdir: Path, open_tab: Open) -> None:
    (logdir / "real").mkdir()
    (logdir / "real" / "trace.json").write_text('{"traceEvents": []}')
    (logdir / "alias").symlink_to("real")
    tab = open_tab(logdir)
    reports = [tab.settled(file["id"])["report"]["run"] for file in tab.files()]
    assert sorted(reports) == ["alias", "real"]


def test_markup_in_file_names_stays_text(logdir: Path, open_tab: Open) -> None:
    name = "<img src=x onerror=alert(1)>trace.json"
    (logdir / name).write_text("{}")
    answer = routes.runs(open_tab(logdir).services, {})
    assert answer.content_type == "application/json"
    assert open_tab(logdir).only()["file"] == name


def test_file_names_that_are_no_text_are_listed(logdir: Path, open_tab: Open) -> None:
    with open(os.fsencode(logdir) + b"/trace\xff.json", "wb") as file:
        file.write(b'{"traceEvents": []}')
    tab = open_tab(logdir)
    listed = tab.only()
    assert listed["file"] == "trace?.json"
    assert tab.settled(listed["id"])["report"]["events"] == 0


def test_three_thousand_runs_are_answered_soon(many_runs: Path, open_tab: Open) -> None:
    tab = open_tab(many_runs)
    started = time.monotonic()
    assert len(tab.runs()["runs"]) == 3000
    assert time.monotonic() - started < 3.0
    started = time.monotonic()
    tab.runs()
    assert time.monotonic() - started < 0.5


def test_static_files(tmp_path: Path, logdir: Path, open_tab: Open) -> None:
    services = open_tab(logdir).services
    assert routes.static(services, "index.js").status == 404
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "index.js").write_text("export {}")
    (tmp_path / "static" / "chunk-a1B2c3D4.js").write_text("chunk")
    index, chunk = routes.static(services, "index.js"), routes.static(services, "chunk-a1B2c3D4.js")
    assert (index.status, index.content_type, index.keep_s) == (200, "text/javascript", 0)
    assert index.etag is not None
    assert chunk.keep_s > 10**6


def test_every_route_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "http_api.md").read_text()
    for path in routes.ROUTES:
        assert f"## `{path.removeprefix('/')}" in documented
