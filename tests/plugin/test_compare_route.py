"""``/compare``: as a function with the real analysis, and in a real TensorBoard."""

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
from tb_plugin_explain.plugin.workers import COMPARE_JOB
from tb_plugin_explain.runs import parse_logdirs
from tests.case_files import CASES
from tests.plugin.bodies import body
from tests.plugin.real_tensorboard import tensorboard

T02 = CASES / "T02-tutorial-4096-pair"
PLAY = "tests.plugin.plugin_jobs:play_first"


class Pairs:
    """What the page sees when it compares files of a log directory."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def ids(self) -> dict[str, str]:
        """File id by run, once the first scan has ended."""
        deadline = time.monotonic() + 20
        while (scan := self.services.watcher.latest()) is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        return {file.run: file.id for file in scan.by_id.values()}

    def ask(self, baseline: str, candidate: str) -> Answer:
        return routes.compare(self.services, {"baseline": baseline, "candidate": candidate})

    def settled(self, baseline: str, candidate: str) -> Any:
        """The answer once it is no longer ``queued`` or ``working``."""
        deadline = time.monotonic() + 30
        while (answer := body(self.ask(baseline, candidate)))["state"] in ("queued", "working"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return answer


Open = Callable[..., Pairs]


@pytest.fixture
def open_pairs(tmp_path: Path) -> Iterator[Open]:
    opened: list[Services] = []

    def make(logdir: Path, compare_job: str = COMPARE_JOB) -> Pairs:
        watcher = RunsWatcher(parse_logdirs(str(logdir), ""), 0)
        cache = Cache(tmp_path / "cache")
        opened.append(routes.open_services(watcher, cache, 1, static=tmp_path, compare_job=compare_job))
        return Pairs(opened[-1])

    yield make
    for services in opened:
        services.pool.close()
        services.watcher.close()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Eager, compiled, and a run whose file is broken."""
    directory = tmp_path / "runs"
    shutil.copytree(T02, directory)
    (directory / "broken").mkdir()
    (directory / "broken" / "worker0.1.pt.trace.json").write_text("")
    return directory


def test_two_files_are_compared(logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    ids = pairs.ids()
    assert body(pairs.ask(ids["eager"], ids["compiled"])) == {"state": "queued", "position": 1}
    comparison = pairs.settled(ids["eager"], ids["compiled"])["comparison"]
    assert comparison["headline"]["verdict"] == "within_noise"
    assert [comparison[s]["trace"]["run"] for s in ("baseline", "candidate")] == ["eager", "compiled"]
    (busy,) = [d for d in comparison["deltas"] if d["metric"] == "gpu_busy_us"]
    assert (busy["difference"], busy["interval"]) == (-23.0, [-684.0, 638.0])
    assert comparison["gates"] == []


def test_exchanged_sides_are_another_comparison(logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    ids = pairs.ids()
    there = pairs.settled(ids["eager"], ids["compiled"])["comparison"]["deltas"]
    back = pairs.settled(ids["compiled"], ids["eager"])["comparison"]["deltas"]
    assert [d["difference"] for d in there if d["difference"]] == [
        -d["difference"] for d in back if d["difference"]
    ]


def test_a_finished_comparison_is_cached_until_a_file_changes(logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    ids = pairs.ids()
    pairs.settled(ids["eager"], ids["compiled"])
    first = pairs.ask(ids["eager"], ids["compiled"])
    assert (first.gzipped, first.etag is None) == (True, False)
    restarted = open_pairs(logdir)
    restarted.ids()
    assert restarted.ask(ids["eager"], ids["compiled"]).etag == first.etag
    for run in ("eager", "compiled"):
        (file,) = (logdir / run).iterdir()
        os.utime(file, (1, 1))
        assert body(restarted.ask(ids["eager"], ids["compiled"]))["state"] in ("queued", "working")
        restarted.settled(ids["eager"], ids["compiled"])


@pytest.mark.parametrize("broken", ["baseline", "candidate"])
def test_which_side_is_broken_is_told(broken: str, logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    ids = pairs.ids()
    sides = {"baseline": ids["eager"], "candidate": ids["eager"], broken: ids["broken"]}
    answer = pairs.settled(**sides)
    assert (answer["side"], answer["error"]["kind"]) == (broken, "empty_file")
    assert answer["error"]["file"] == "worker0.1.pt.trace.json"
    assert "broken/worker0.1.pt.trace.json: the file is empty" in answer["error"]["message"]


@pytest.mark.parametrize("gone", ["baseline", "candidate"])
def test_a_file_that_vanished_is_told(gone: str, logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    ids = pairs.ids()
    shutil.rmtree(logdir / "compiled")
    answer = pairs.settled(**{"baseline": ids["eager"], "candidate": ids["eager"], gone: ids["compiled"]})
    assert (answer["side"], answer["error"]["kind"]) == (gone, "not_found")
    assert "is gone" in answer["error"]["message"]


@pytest.mark.parametrize("unknown", ["baseline", "candidate"])
def test_an_unknown_id_is_404_and_says_for_which_side(unknown: str, logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    known = pairs.ids()["eager"]
    other = "candidate" if unknown == "baseline" else "baseline"
    for query in ({other: known}, {other: known, unknown: "0" * 24}, {other: known, unknown: str(logdir)}):
        answer = routes.compare(pairs.services, query)
        assert answer.status == 404
        assert body(answer)["error"]["kind"] == "unknown_file"
        assert f"no file for the {unknown}" in body(answer)["error"]["message"]


def test_before_the_first_scan_a_comparison_is_queued(logdir: Path, open_pairs: Open) -> None:
    pairs = open_pairs(logdir)
    pairs.services.watcher.latest = lambda: None  # type: ignore[method-assign]
    assert body(pairs.ask("0", "1")) == {"state": "queued", "position": 1}


def test_asking_never_waits_and_reports_stay_as_they_were(logdir: Path, open_pairs: Open) -> None:
    (eager,) = (logdir / "eager").iterdir()
    eager.write_text("wait")
    pairs = open_pairs(logdir, PLAY)
    ids = pairs.ids()
    started = time.monotonic()
    while body(pairs.ask(ids["eager"], ids["compiled"]))["state"] != "working":
        assert time.monotonic() < started + 20
        time.sleep(0.005)
    # The one process is busy: everything else is queued.
    assert body(pairs.ask(ids["compiled"], ids["eager"])) == {"state": "queued", "position": 1}
    listed = json.loads(routes.runs(pairs.services, {}).body)
    assert {file["state"] for run in listed["runs"] for file in run["files"]} == {"unread"}
    eager.with_name(f"{eager.name}.go").touch()
    assert pairs.settled(ids["eager"], ids["compiled"])["comparison"] == "told"


def test_a_killed_process_is_about_neither_side(logdir: Path, open_pairs: Open) -> None:
    (eager,) = (logdir / "eager").iterdir()
    eager.write_text("kill")
    pairs = open_pairs(logdir, PLAY)
    ids = pairs.ids()
    answer = pairs.settled(ids["eager"], ids["compiled"])
    assert (answer["side"], answer["error"]["kind"]) == (None, "worker_died")
    names = f"{eager.name} and worker0.1780012900000000000.pt.trace.json"
    assert f"The analysis of {names} was killed." in answer["error"]["message"]


def test_in_a_real_tensorboard(logdir: Path, tmp_path: Path) -> None:
    with tensorboard(tmp_path, "--logdir", str(logdir)) as server:
        ids = {name.partition("/")[0]: file_id for name, file_id in server.files().items()}
        path = f"compare?baseline={ids['eager']}&candidate={ids['compiled']}"
        deadline = time.monotonic() + 30
        while (reply := server.plugin(path, Accept_Encoding="gzip")).json["state"] != "ready":
            assert (reply.status, reply.json["state"]) in ((200, "queued"), (200, "working"))
            assert reply.seconds < 5
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert reply.headers["Content-Encoding"] == "gzip"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.json["comparison"]["headline"]["verdict"] == "within_noise"
        same = server.plugin(path, If_None_Match=reply.headers["ETag"])
        assert (same.status, same.body) == (304, b"")
        assert server.plugin("compare").status == 404
        assert server.plugin(path, "POST").status == 405
