"""The routes that give files to keep: real scan, real pool, real cache; and once in a real TensorBoard."""

from __future__ import annotations

import gzip
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain import compare_markdown
from tb_plugin_explain.compare_html import comparison_page
from tb_plugin_explain.plugin import routes, share_routes
from tb_plugin_explain.plugin.answers import Answer, Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.report_html import report_page
from tb_plugin_explain.report_markdown import as_markdown
from tb_plugin_explain.runs import parse_logdirs
from tb_plugin_explain.stored_report import comparison_of, report_of
from tb_plugin_explain.wire import to_json
from tests.case_files import CASES
from tests.plugin.real_tensorboard import tensorboard

TUTORIAL = CASES / "T01-tutorial-64-cold.json"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    shutil.copy(TUTORIAL, directory / "wörker 0.pt.trace.json")
    return directory


@pytest.fixture
def services(logdir: Path, tmp_path: Path) -> Iterator[Services]:
    opened = routes.open_services(
        RunsWatcher(parse_logdirs(str(logdir), ""), 0.05), Cache(tmp_path / "cache"), 1
    )
    yield opened
    opened.pool.close()
    opened.watcher.close()


def wait_for_runs(services: Services) -> Any:
    deadline = time.monotonic() + 20
    while not (listed := json.loads(routes.runs(services, {}).body))["scanned"]:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return listed


def only_file(services: Services) -> str:
    [run] = wait_for_runs(services)["runs"]
    return str(run["files"][0]["id"])


def finished(services: Services, path: str, query: dict[str, str]) -> Answer:
    """The answer once it is no longer ``queued`` or ``working``; no question waits."""
    deadline = time.monotonic() + 60
    while True:
        began = time.monotonic()
        answer = share_routes.ROUTES[path](services, query)
        assert time.monotonic() - began < 2
        if answer.download or json.loads(answer.body).get("state") not in ("queued", "working"):
            return answer
        assert time.monotonic() < deadline
        time.sleep(0.02)


def stored(services: Services, file: str) -> dict[str, Any]:
    answer = routes.report(services, {"file": file})
    report: dict[str, Any] = json.loads(gzip.decompress(answer.body))["report"]
    return report


def test_a_report_is_exported_in_every_form(services: Services) -> None:
    file = only_file(services)
    page = finished(services, "/export", {"file": file, "format": "html"})
    report = stored(services, file)
    assert page.body.decode() == report_page([report_of(report)])
    assert (page.content_type, page.download) == ("text/html; charset=utf-8", "wörker 0.report.html")
    text = share_routes.export(services, {"file": file, "format": "markdown"})
    assert text.body.decode() == as_markdown(report_of(report))
    assert text.download == "wörker 0.report.md"
    whole = share_routes.export(services, {"file": file, "format": "json"})
    assert json.loads(whole.body) == report


def test_a_comparison_is_exported_in_every_form(tmp_path: Path) -> None:
    shutil.copytree(CASES / "T02-tutorial-4096-pair", tmp_path / "runs" / "a")
    watcher = RunsWatcher(parse_logdirs(str(tmp_path / "runs"), ""), 0.05)
    services = routes.open_services(watcher, Cache(tmp_path / "cache"), 1)
    listed = wait_for_runs(services)["runs"]
    ids = {run["name"].rpartition("/")[2]: run["files"][0]["id"] for run in listed}
    sides = {"baseline": ids["eager"], "candidate": ids["compiled"]}
    page = finished(services, "/export", {**sides, "format": "html"})
    stored = json.loads(gzip.decompress(routes.compare(services, sides).body))["comparison"]
    assert json.loads(to_json(comparison_of(stored))) == stored
    assert page.body.decode() == comparison_page([comparison_of(stored)])
    assert page.download == "a_eager to a_compiled.comparison.html"
    text = share_routes.export(services, {**sides, "format": "markdown"})
    assert text.body.decode() == compare_markdown.as_markdown(comparison_of(stored))
    whole = share_routes.export(services, {**sides, "format": "json"})
    assert json.loads(whole.body) == stored
    gone = share_routes.export(services, {"baseline": ids["eager"], "format": "json"})
    assert (gone.status, json.loads(gone.body)["error"]["kind"]) == (404, "unknown_file")
    services.pool.close()
    services.watcher.close()


def test_asking_for_an_export_starts_the_analysis_and_does_not_wait(services: Services) -> None:
    answer = share_routes.export(services, {"file": only_file(services), "format": "html"})
    assert json.loads(answer.body)["state"] in ("queued", "working")
    assert answer.download is None


def test_a_step_is_cut_out_and_kept(services: Services) -> None:
    file = only_file(services)
    answer = finished(services, "/slice", {"file": file, "step": "3"})
    assert (answer.gzipped, answer.download) == (True, "wörker 0.step3.json")
    names = [event.get("name") for event in json.loads(gzip.decompress(answer.body))["traceEvents"]]
    assert "ProfilerStep#3" in names
    again = share_routes.cut(services, {"file": file, "step": "3"})
    assert again == answer
    other = finished(services, "/slice", {"file": file, "step": "4"})
    assert other.body != answer.body


def test_a_slice_and_a_report_of_one_file_are_different_answers(services: Services) -> None:
    file = only_file(services)
    finished(services, "/slice", {"file": file, "step": "3"})
    finished(services, "/export", {"file": file, "format": "json"})
    assert stored(services, file)["schema"] == 1


def test_a_step_that_is_not_there_is_an_error_of_the_file(services: Services) -> None:
    answer = finished(services, "/slice", {"file": only_file(services), "step": "99"})
    said = json.loads(answer.body)
    assert (said["state"], said["error"]["kind"]) == ("error", "no_such_step")
    assert said["error"]["file"] == "wörker 0.pt.trace.json"


@pytest.mark.parametrize(
    ("path", "query", "status", "kind"),
    [
        ("/export", {"format": "pdf"}, 400, "unknown_format"),
        ("/export", {}, 400, "unknown_format"),
        ("/slice", {}, 400, "missing_step"),
        ("/slice", {"step": "-1"}, 400, "missing_step"),
        ("/slice", {"step": "1e9"}, 400, "missing_step"),
        ("/export", {"format": "html", "file": "../x"}, 404, "unknown_file"),
        ("/slice", {"step": "3", "file": "../x"}, 404, "unknown_file"),
    ],
)
def test_what_cannot_be_answered(
    services: Services, path: str, query: dict[str, str], status: int, kind: str
) -> None:
    file = only_file(services)
    answer = share_routes.ROUTES[path](services, {"file": file, **query})
    assert (answer.status, json.loads(answer.body)["error"]["kind"]) == (status, kind)


def test_every_route_is_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "http_api.md").read_text()
    for path in share_routes.ROUTES:
        assert f"## `{path.removeprefix('/')}" in documented


def test_in_a_real_tensorboard(logdir: Path, tmp_path: Path) -> None:
    with tensorboard(tmp_path, "--logdir", str(logdir)) as server:
        [file] = server.files().values()
        for query in ("export?format=html", "slice?step=3"):
            deadline = time.monotonic() + 60
            while not (reply := server.plugin(f"{query}&file={file}")).headers["Content-Disposition"]:
                assert reply.json["state"] in ("queued", "working")
                assert time.monotonic() < deadline
                time.sleep(0.02)
            assert reply.headers["Content-Disposition"].startswith(
                "attachment; filename*=UTF-8''w%C3%B6rker%200."
            )
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert server.plugin(f"{query}&file={file}", "POST").status == 405
