"""Log directories of years of work: 10,000 runs, and 2,000 files in one of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tb_plugin_explain import runs
from tests.faults.cache_tabs import Tab, open_tab
from tests.load import cpu_s, slowness
from tests.plugin.bodies import body
from tests.plugin.real_tensorboard import REPOSITORY, tensorboard

PLAYING = (str(REPOSITORY / "tests" / "plugin" / "playing_tensorboard.py"),)
RUNS, FILES = 10_000, 2_000


def fill(logdir: Path, names: list[str]) -> Path:
    original = logdir.parent / f"{logdir.name}.json"
    original.write_text('{"traceEvents": []}')
    for name in names:
        path = logdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.link(original, path)
    return logdir


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [f"run_{n:05d}/w.17000000{n:05d}.pt.trace.json" for n in range(RUNS)]
    return fill(tmp_path_factory.mktemp("many") / "runs", names)


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [f"big/rank{n % 8}.17000000{n // 8:05d}.pt.trace.json" for n in range(FILES)]
    return fill(tmp_path_factory.mktemp("many") / "files", names)


def look_at_all(top: Path) -> None:
    for directory, _, names in os.walk(top):
        for name in names:
            os.stat(os.path.join(directory, name))


def assert_listed_soon(tab: Tab) -> None:
    """Beside what Python needs to write such an answer; the square of the files would take hundreds of it."""
    answer = body(tab.get("/runs"))
    assert cpu_s(lambda: tab.get("/runs")) < 20 * cpu_s(lambda: json.dumps(answer))


def test_ten_thousand_runs_are_listed_soon(many_runs: Path, tmp_path: Path) -> None:
    logdirs = runs.parse_logdirs(str(many_runs), "")
    assert len(runs.scan(logdirs).runs) == RUNS
    assert cpu_s(lambda: runs.scan(logdirs)) < 20 * cpu_s(lambda: look_at_all(many_runs))
    with open_tab(many_runs, tmp_path / "cache", reload_s=0) as tab:
        files = tab.files()
        assert len(files) == RUNS
        assert_listed_soon(tab)
        file_id = files["run_00007/w.1700000000007.pt.trace.json"]
        assert tab.settled("/report", file=file_id)["state"] == "ready"
        # Of one file, however many there are.
        assert cpu_s(lambda: tab.get("/report", file=file_id)) < cpu_s(lambda: tab.get("/runs")) / 10
        [ready] = [f for r in body(tab.get("/runs"))["runs"] for f in r["files"] if f["state"] != "unread"]
        assert (ready["id"], ready["state"]) == (file_id, "ready")


def test_two_thousand_files_in_one_run_are_listed_in_their_cycles(many_files: Path, tmp_path: Path) -> None:
    with open_tab(many_files, tmp_path / "cache", reload_s=0) as tab:
        assert len(tab.files()) == FILES
        assert_listed_soon(tab)
        [run] = body(tab.get("/runs"))["runs"]
        assert [file["worker"] for file in run["files"][:9]] == [*(f"rank{n}" for n in range(8)), "rank0"]
        assert run["files"][0]["span"] == f"17000000{(FILES - 1) // 8:05d}"


def test_other_tabs_do_not_wait_for_ten_thousand_runs(many_runs: Path, tmp_path: Path) -> None:
    # Without the stock plugin, which starts a process for each of them.
    with tensorboard(tmp_path, "--logdir", str(many_runs), program=PLAYING) as server:
        before = slowness()
        listing = server.get("data/plugins_listing")
        assert listing.json["explain"]["enabled"] is True
        assert listing.seconds < 2.0 * max(before, slowness())
        assert len(server.files()) == RUNS
        # A request that waits for a scan or a list waits each time.
        assert min(server.get("data/environment").seconds for _ in range(20)) < 0.5
