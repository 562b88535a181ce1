"""The list of runs stays fresh, and nobody waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tb_plugin_explain import runs
from tb_plugin_explain.plugin import watcher
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.runs import parse_logdirs
from tests.plugin.plugin_files import make_many_runs

Watch = Callable[..., RunsWatcher]


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_many_runs(tmp_path_factory.mktemp("many"))


@pytest.fixture
def watch() -> Iterator[Watch]:
    made: list[RunsWatcher] = []

    def make(logdir: Path | str, interval_s: float = 0.05) -> RunsWatcher:
        made.append(RunsWatcher(parse_logdirs(str(logdir), ""), interval_s))
        return made[-1]

    yield make
    for each in made:
        each.close()


def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.005)


def timed(ask: Callable[[], bool]) -> tuple[bool, float]:
    started = time.monotonic()
    return ask(), time.monotonic() - started


def test_active_at_the_first_call_with_three_thousand_runs(many_runs: Path, watch: Watch) -> None:
    active, seconds = timed(watch(many_runs).is_active)
    assert active
    assert seconds < 0.5


def test_inactive_at_once_without_a_trace(shared_cases: Path, watch: Watch) -> None:
    for run in ("run_a", "run_b"):
        active, seconds = timed(watch(shared_cases / "B59-empty-logdir-must-not-hang" / run).is_active)
        assert not active
        assert seconds < 0.25


@pytest.mark.parametrize("logdir", ["gs://bucket/runs", "does/not/exist"])
def test_inactive_at_once_where_there_is_nothing_to_look_at(logdir: str, watch: Watch) -> None:
    active, seconds = timed(watch(logdir).is_active)
    assert not active
    assert seconds < 0.25


def test_no_request_waits_for_a_slow_disk(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace.json").touch()
    disk_answers = threading.Event()
    scan = runs.scan

    def slow_scan(*arguments: object) -> runs.Scan:
        disk_answers.wait(10)
        return scan(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "scan", slow_scan)
    slow = watch(tmp_path)
    active, seconds = timed(slow.is_active)
    assert not active
    assert seconds < watcher.FIRST_LOOK_S + 0.2
    assert slow.latest() is None
    disk_answers.set()
    until(slow.is_active)


def test_new_and_vanished_files_are_seen(tmp_path: Path, watch: Watch) -> None:
    fresh = watch(tmp_path)
    assert not fresh.is_active()
    trace = tmp_path / "later" / "trace.json"
    trace.parent.mkdir()
    trace.touch()
    until(fresh.is_active)
    trace.unlink()
    until(lambda: not fresh.is_active())


def test_interval_zero_looks_once(tmp_path: Path, watch: Watch) -> None:
    once = watch(tmp_path, interval_s=0)
    until(lambda: once.latest() is not None)
    (tmp_path / "trace.json").touch()
    time.sleep(0.2)
    assert not once.is_active()


def test_a_failing_scan_is_told_and_tried_again(
    tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace.json").touch()
    scan = runs.scan
    failures = iter([RuntimeError("broken")])

    def failing_once(*arguments: object) -> runs.Scan:
        for error in failures:
            raise error
        return scan(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "scan", failing_once)
    broken = watch(tmp_path)
    until(lambda: broken.latest())
    until(broken.is_active)
