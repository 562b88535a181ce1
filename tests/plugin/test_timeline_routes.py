"""The timeline's routes: real files, real analysis processes, real stores, no HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.plugin import routes
from tb_plugin_explain.plugin.answers import Answer, Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.runs import parse_logdirs
from tests.plugin.bodies import body
from tests.plugin.real_tensorboard import tensorboard
from tests.timeline.windows import read_block

EVENTS = [
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 90},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 20},
    {
        "ph": "X",
        "cat": "cuda_runtime",
        "name": "cudaLaunchKernel",
        "pid": 1,
        "tid": 1,
        "ts": 10,
        "dur": 5,
        "args": {"correlation": 7},
    },
    {
        "ph": "X",
        "cat": "kernel",
        "name": "<b>gemm</b>",
        "pid": 0,
        "tid": 7,
        "ts": 20,
        "dur": 30,
        "args": {"correlation": 7, "device": 0, "stream": 7, "grid": [1, 2, 3], "long": "x" * 9000},
    },
]


class Tab:
    """What the page sees of one file."""

    def __init__(self, services: Services) -> None:
        self.services = services
        deadline = time.monotonic() + 20
        while not (listed := body(routes.runs(services, {})))["scanned"]:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        [self.id] = [file["id"] for run in listed["runs"] for file in run["files"]]

    def get(self, path: str, **query: object) -> Answer:
        texts = {name: str(value) for name, value in {"file": self.id, **query}.items()}
        return routes.ROUTES[path](self.services, texts)

    def settled(self, path: str, **query: object) -> Any:
        deadline = time.monotonic() + 60
        while True:
            answer = self.get(path, **query)
            if answer.content_type != "application/json":
                return answer
            found = body(answer)
            if found.get("state") not in ("queued", "working"):
                return found
            assert time.monotonic() < deadline
            time.sleep(0.02)

    @property
    def stores(self) -> list[Path]:
        root = self.services.cache.root
        assert root is not None
        return list((root / "timelines").iterdir())


NewTab = Callable[..., Tab]


@pytest.fixture
def new_tab(tmp_path: Path) -> Iterator[NewTab]:
    opened: list[Services] = []
    logdir = tmp_path / "runs"
    logdir.mkdir()
    (logdir / "trace.json").write_text(json.dumps({"traceEvents": EVENTS}))

    def make(cache: Path | None = tmp_path / "cache") -> Tab:
        watcher = RunsWatcher(parse_logdirs(str(logdir), ""), 0.05)
        opened.append(routes.open_services(watcher, Cache(cache), 1))
        return Tab(opened[-1])

    yield make
    for services in opened:
        services.pool.close()
        services.watcher.close()
        services.stores.close()


def test_from_the_first_question_to_a_window(new_tab: NewTab) -> None:
    tab = new_tab()
    assert body(tab.get("/timeline")) == {"state": "queued", "position": 1}
    timeline = tab.settled("/timeline")["timeline"]
    assert [lane["label"] for lane in timeline["lanes"]] == ["Thread 1", "Stream 7"]
    assert [step["number"] for step in timeline["steps"]] == [1]
    assert timeline["schema"] == 1
    block = read_block(tab.get("/timeline/window", **{"from": 0, "to": 90_000, "px": 900}).body)
    assert block.name == ["ProfilerStep#1", "aten::mm", "cudaLaunchKernel", "<b>gemm</b>"]
    assert body(tab.get("/report"))["state"] == "ready"
    etags = {tab.get("/timeline").etag for _ in range(2)}
    assert len(etags) == 1
    assert None not in etags


def test_an_event_and_its_arguments(new_tab: NewTab) -> None:
    tab = new_tab()
    tab.settled("/timeline")
    answer = body(tab.get("/event", event=3))
    assert answer["details"]["full_name"] == "<b>gemm</b>"
    assert [link["kind"] for link in answer["details"]["chain"]] == ["operator", "launch", "kernel"]
    assert answer["explanation"]["category"] == "kernel"
    assert {term["id"] for term in answer["terms"]} == {"kernel", "gemm"}
    args = tab.settled("/event/args", event=3)["args"]
    values = {arg["name"]: (arg["value"], arg["whole"]) for arg in args["arguments"]}
    assert values["grid"] == ("[1, 2, 3]", True)
    assert values["long"] == ("x" * 4096, False)
    assert (args["event"], args["left_out"]) == (3, 0)
    assert tab.get("/event/args", event=3).gzipped
    assert tab.settled("/event/args", event=1)["args"]["arguments"] == []


def test_search(new_tab: NewTab) -> None:
    tab = new_tab()
    tab.settled("/timeline")
    found = body(tab.get("/search", q="GEMM"))["result"]
    assert [(name["name"], name["first"]["event"]) for name in found["names"]] == [("<b>gemm</b>", 3)]
    assert body(tab.get("/search", q="e", after=6_000, limit=1))["result"]["events"][0]["event"] == 2


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/timeline/window", {}),
        ("/timeline/window", {"from": 0, "to": 0, "px": 10}),
        ("/timeline/window", {"from": 9, "to": 5, "px": 10}),
        ("/timeline/window", {"from": 0, "to": 10, "px": 0}),
        ("/timeline/window", {"from": 0, "to": 10, "px": 10**6}),
        ("/timeline/window", {"from": 0, "to": "1e3", "px": 10}),
        ("/timeline/window", {"from": 0, "to": 10**30, "px": 10}),
        ("/timeline/window", {"from": 0, "to": "١٢", "px": 10}),
        ("/timeline/window", {"from": 0, "to": 10, "px": 10, "lanes": "1,,2"}),
        ("/timeline/window", {"from": 0, "to": 10, "px": 10, "lanes": "-1"}),
        ("/timeline/window", {"from": 0, "to": 10, "px": 10, "lanes": ",".join("1" * 5000)}),
        ("/event", {}),
        ("/event", {"event": -1}),
        ("/event/args", {"event": "x"}),
        ("/search", {}),
        ("/search", {"q": "x" * 300}),
        ("/search", {"q": "x", "limit": 0}),
        ("/search", {"q": "x", "limit": 1000}),
        ("/search", {"q": "x", "after": "now"}),
    ],
)
def test_bad_queries_get_one_plain_sentence(new_tab: NewTab, path: str, query: dict[str, object]) -> None:
    answer = new_tab().get(path, **query)
    assert answer.status == 400
    error = body(answer)["error"]
    assert error["kind"] == "bad_query"
    assert error["message"].endswith(".")
    assert "\n" not in error["message"]


@pytest.mark.parametrize("path", ["/timeline", "/timeline/window", "/event", "/event/args", "/search"])
def test_an_unknown_file(new_tab: NewTab, path: str) -> None:
    query = {"from": 0, "to": 9, "px": 9, "event": 0, "q": "x", "file": "../../etc/passwd"}
    answer = new_tab().get(path, **query)
    assert (answer.status, body(answer)["error"]["kind"]) == (404, "unknown_file")


@pytest.mark.parametrize("path", ["/event", "/event/args"])
def test_an_unknown_event(new_tab: NewTab, path: str) -> None:
    tab = new_tab()
    tab.settled("/timeline")
    answer = tab.get(path, event=99)
    assert (answer.status, body(answer)["error"]["kind"]) == (404, "unknown_event")


@pytest.mark.parametrize("damage", ["deleted", "cut", "scrambled"])
def test_a_damaged_store_is_made_anew(new_tab: NewTab, damage: str) -> None:
    tab = new_tab()
    tab.settled("/timeline")
    [store] = tab.stores
    if damage == "deleted":
        shutil.rmtree(store)
    elif damage == "cut":
        (store / "columns.bin").write_bytes(b"")
    else:
        columns = store / "columns.bin"
        columns.write_bytes(columns.read_bytes()[:-4] + b"\xfe\xfe\xfe\xfe")
    restarted = new_tab()
    window = restarted.settled("/timeline/window", **{"from": 0, "to": 90_000, "px": 900})
    assert len(read_block(window.body).name) == 4


def test_a_broken_file_says_so(new_tab: NewTab, tmp_path: Path) -> None:
    (tmp_path / "runs" / "trace.json").write_text("no trace")
    answer = new_tab().settled("/timeline")
    assert (answer["state"], answer["error"]["file"]) == ("error", "trace.json")


def test_without_a_cache_directory_it_goes_with_the_server(new_tab: NewTab) -> None:
    tab = new_tab(None)
    tab.settled("/timeline")
    directory = tab.services.stores.path("x").parent
    assert len(list(directory.iterdir())) == 1
    tab.services.stores.close()
    assert not directory.exists()


def test_a_changed_file_gets_a_new_timeline(new_tab: NewTab, tmp_path: Path) -> None:
    tab = new_tab()
    tab.settled("/timeline")
    (tmp_path / "runs" / "trace.json").write_text(json.dumps({"traceEvents": EVENTS[:2]}))
    assert tab.settled("/timeline")["timeline"]["events"] == 2


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for the report alone."""
    directory = tmp_path / "small"
    directory.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", str(directory)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small file system")
    yield directory
    subprocess.run(["umount", "-l", str(directory)], check=True)


def test_a_full_disk_costs_the_timeline_alone(new_tab: NewTab, small_disk: Path) -> None:
    tab = new_tab(small_disk)
    answer = tab.settled("/timeline")
    assert (answer["state"], answer["error"]["kind"]) == ("error", "not_kept")
    assert "No space left on device" in answer["error"]["message"]
    assert body(tab.get("/report"))["state"] == "ready"
    assert list((small_disk / "timelines").iterdir()) == []


def test_the_server_loads_no_analysis() -> None:
    script = (
        "import sys, tb_plugin_explain.plugin.routes;"
        "print(*{n.split('.')[1] for n in sys.modules if n.startswith('tb_plugin_explain.')})"
    )
    root = str(Path(routes.__file__).parents[2])
    loaded = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True
    ).stdout.split()
    assert "timeline" in loaded
    assert not {"analyses", "step_analyses", "rules", "report"} & set(loaded)


def test_over_http(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "trace.json").write_text(json.dumps({"traceEvents": EVENTS}))
    with tensorboard(tmp_path, "--logdir", str(tmp_path / "runs")) as server:
        [file_id] = server.files().values()
        window = f"timeline/window?file={file_id}&from=0&to=90000&px=900"
        assert server.plugin(window).json["state"] == "queued"
        deadline = time.monotonic() + 60
        while server.plugin(f"timeline?file={file_id}").json["state"] != "ready":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        reply = server.plugin(window, Accept_Encoding="gzip")
        assert reply.headers["Content-Type"] == "application/octet-stream"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert read_block(reply.body).name[0] == "ProfilerStep#1"
        assert server.plugin(f"timeline/window?file={file_id}&from=1&to=0&px=9").status == 400
        assert server.plugin(window, method="POST").status == 405
