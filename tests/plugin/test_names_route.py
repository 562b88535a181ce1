"""``/names``: as a function with the real analysis, and in a real TensorBoard."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.plugin import routes
from tb_plugin_explain.plugin.answers import Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.names_job import MOST_OF_A_CATEGORY, list_names
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.runs import parse_logdirs
from tests.case_files import CASES
from tests.plugin.bodies import body
from tests.plugin.real_tensorboard import tensorboard

T02 = CASES / "T02-tutorial-4096-pair"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One trace, and one file that is broken."""
    directory = tmp_path / "runs"
    shutil.copytree(T02 / "eager", directory / "eager")
    (directory / "broken").mkdir()
    (directory / "broken" / "worker0.1.pt.trace.json").write_text("")
    return directory


@pytest.fixture
def services(logdir: Path, tmp_path: Path) -> Iterator[Services]:
    watcher = RunsWatcher(parse_logdirs(str(logdir), ""), 0)
    opened = routes.open_services(watcher, Cache(tmp_path / "cache"), 1, static=tmp_path)
    yield opened
    opened.pool.close()
    watcher.close()


def ids(services: Services) -> dict[str, str]:
    deadline = time.monotonic() + 20
    while (scan := services.watcher.latest()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return {file.run: file.id for file in scan.by_id.values()}


def settled(services: Services, file: str) -> Any:
    deadline = time.monotonic() + 30
    while (answer := body(routes.names(services, {"file": file})))["state"] in ("queued", "working"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return answer


def test_the_names_of_a_file_come_with_counts_times_and_words(services: Services) -> None:
    file = ids(services)["eager"]
    assert body(routes.names(services, {"file": file})) == {"state": "queued", "position": 1}
    names = settled(services, file)["names"]
    by_name = {entry["name"]: entry for entry in names["entries"]}
    gemm = by_name["ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn"]
    assert (gemm["category"], gemm["count"]) == ("kernel", 5)
    assert gemm["human"].startswith("Matrix multiply")
    assert by_name["ProfilerStep#N"]["count"] == 5
    assert by_name["ProfilerStep#N"]["human"] == "Step N of the recording"
    assert names["left_out"] == 0


def test_a_finished_answer_is_cached_and_the_report_is_another_one(services: Services) -> None:
    file = ids(services)["eager"]
    settled(services, file)
    kept = routes.names(services, {"file": file})
    assert kept.gzipped
    assert kept.etag is not None
    assert body(routes.report(services, {"file": file}))["state"] == "queued"


def test_a_broken_file_and_an_unknown_one_are_told(services: Services) -> None:
    answer = settled(services, ids(services)["broken"])
    assert (answer["state"], answer["error"]["kind"]) == ("error", "empty_file")
    assert answer["error"]["file"] == "worker0.1.pt.trace.json"
    unknown = routes.names(services, {"file": "0" * 24})
    assert (unknown.status, body(unknown)["error"]["kind"]) == (404, "unknown_file")


def write_trace(path: Path, names: list[str], category: str) -> str:
    events = [
        {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": 10 * i, "dur": i + 1}
        for i, name in enumerate(names)
    ]
    path.write_text(json.dumps({"traceEvents": events}))
    return str(path)


def test_the_list_is_bounded_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    names = [f"aten::op{i}" for i in range(MOST_OF_A_CATEGORY + 7)]
    found = list_names(write_trace(tmp_path / "many.trace.json", names, "cpu_op"), lambda *_: None)
    assert (len(found.entries), found.left_out) == (MOST_OF_A_CATEGORY, 7)
    assert found.entries[0].name == names[-1]
    long = list_names(write_trace(tmp_path / "long.trace.json", ["<b>" * 4000], "kernel"), lambda *_: None)
    assert len(long.entries[0].name) == 1_000


def test_in_a_real_tensorboard(logdir: Path, tmp_path: Path) -> None:
    with tensorboard(tmp_path, "--logdir", str(logdir)) as server:
        file = next(i for name, i in server.files().items() if name.startswith("eager/"))
        deadline = time.monotonic() + 30
        while (reply := server.plugin(f"names?file={file}")).json["state"] != "ready":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        same = server.plugin(f"names?file={file}", If_None_Match=reply.headers["ETag"])
        assert (same.status, same.body) == (304, b"")
        assert server.plugin("names").status == 404
