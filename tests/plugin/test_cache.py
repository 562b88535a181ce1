"""Answers survive restarts; nothing that is wrong with the disk reaches a user."""

from __future__ import annotations

import gzip
import logging
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tb_plugin_explain.plugin import cache as cache_module
from tb_plugin_explain.plugin.cache import Cache, key_of
from tb_plugin_explain.runs import Logdir, TraceFile, scan
from tb_plugin_explain.wire import ErrorInfo


def answer(text: str = "answer", size: int = 0) -> bytes:
    return gzip.compress(b"{" + text.encode() + os.urandom(size), mtime=0)


def key(number: int) -> str:
    return f"{number:064x}"


def stored(directory: Path) -> list[str]:
    return sorted(path.name for path in (directory / "reports").iterdir())


@pytest.fixture
def trace(tmp_path: Path) -> TraceFile:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "trace.json").write_text("{}")
    [file] = scan([Logdir(str(tmp_path / "runs"), "runs")]).by_id.values()
    return file


def test_an_answer_survives_a_restart(tmp_path: Path) -> None:
    Cache(tmp_path).put(key(1), answer())
    restarted = Cache(tmp_path)
    assert restarted.has(key(1))
    body = restarted.get(key(1))
    assert body is not None
    assert gzip.decompress(body.gzipped) == b"{answer"
    assert restarted.get(key(2)) is None
    assert not restarted.has(key(2))


def test_an_answer_that_holds_for_now_is_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_briefly(key(1), answer("long"), 60.0)
    cache.put_briefly(key(2), answer("short"), 0.0)
    assert cache.has(key(1))
    assert cache.get(key(1)) is not None
    assert not cache.has(key(2))
    assert cache.get(key(2)) is None
    assert Cache(tmp_path).get(key(1)) is None
    cache.put(key(2), answer("for good"))
    assert cache.get(key(2)) is not None


def test_the_etag_follows_the_content(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number, text in enumerate(("one", "one", "two")):
        cache.put(key(number), answer(text))
    first, second, third = (cache.get(key(number)) for number in range(3))
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.etag == second.etag != third.etag


@pytest.mark.parametrize(
    "changed",
    [{"inode": 1}, {"bytes": 999}, {"modified_ns": 1}, {"real_path": "/other"}, {"run": "other"}],
)
def test_the_key_follows_the_file(trace: TraceFile, changed: dict[str, object]) -> None:
    assert key_of(replace(trace)) == key_of(trace)
    assert key_of(replace(trace, **changed)) != key_of(trace)


@pytest.mark.parametrize("name", ["SCHEMA_VERSION", "__version__"])
def test_the_key_follows_our_version(trace: TraceFile, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(trace)
    monkeypatch.setattr(cache_module, name, 999)
    assert key_of(trace) != before


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    Cache(tmp_path / "new").put(key(1), answer())
    directory = tmp_path / "new" / "reports"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    [file] = directory.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"no gzip",
        gzip.compress(b"not json", mtime=0),
        answer("cut")[:-9],
        answer("bits")[:12] + b"\xff" * 12,
    ],
)
def test_a_damaged_file_is_no_answer_and_goes(tmp_path: Path, damage: bytes) -> None:
    Cache(tmp_path).put(key(1), answer())
    file = tmp_path / "reports" / f"{key(1)}.json.gz"
    file.write_bytes(damage)
    cache = Cache(tmp_path)
    assert cache.get(key(1)) is None
    assert not file.exists()
    cache.put(key(1), answer("new"))
    assert Cache(tmp_path).get(key(1)) is not None


def test_a_cache_that_cannot_be_written_keeps_answers_in_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        cache.put(key(1), answer())
        cache.put(key(2), answer())
    assert cache.get(key(1)) is not None
    assert cache.get(key(3)) is None
    [record] = caplog.records
    assert "memory only" in record.message


def test_a_directory_that_vanishes_is_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.put(key(1), answer())
    (tmp_path / "cache" / "reports" / f"{key(1)}.json.gz").unlink()
    (tmp_path / "cache" / "reports").rmdir()
    cache.put(key(2), answer())
    assert stored(tmp_path / "cache") == [f"{key(2)}.json.gz"]


def test_without_a_directory_answers_stay_in_memory() -> None:
    cache = Cache(None)
    cache.put(key(1), answer())
    assert cache.has(key(1))
    assert cache.get(key(1)) is not None


def test_memory_is_bounded_but_keeps_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MEMORY_LIMIT_BYTES", 1000)
    cache = Cache(None)
    for number in range(4):
        cache.put(key(number), answer(size=400))
    assert [cache.has(key(number)) for number in range(4)] == [False, False, True, True]
    cache.put(key(9), answer(size=5000))
    assert cache.get(key(9)) is not None


def test_the_answers_used_longest_ago_make_room(tmp_path: Path) -> None:
    for number in range(4):
        Cache(tmp_path).put(key(number), answer(size=1000))
        hour_ago = time.time() - 3600 + number
        os.utime(tmp_path / "reports" / f"{key(number)}.json.gz", (hour_ago, hour_ago))
    assert Cache(tmp_path).get(key(0)) is not None
    Cache(tmp_path, disk_limit_bytes=3500).put(key(4), answer(size=1000))
    assert stored(tmp_path) == [f"{key(number)}.json.gz" for number in (0, 3, 4)]


def test_an_answer_above_the_limit_is_not_stored(tmp_path: Path) -> None:
    cache = Cache(tmp_path, disk_limit_bytes=100)
    cache.put(key(1), answer(size=1000))
    assert not (tmp_path / "reports").exists()
    assert cache.get(key(1)) is not None


def test_nothing_of_others_is_removed(tmp_path: Path) -> None:
    directory = tmp_path / "reports"
    directory.mkdir()
    (directory / "worker0.pt.trace.json.gz").write_bytes(b"x" * 10_000)
    abandoned, unfinished = directory / "explain-unfinished-a", directory / "explain-unfinished-b"
    abandoned.touch()
    unfinished.touch()
    os.utime(abandoned, (1, 1))
    Cache(tmp_path, disk_limit_bytes=500).put(key(1), answer())
    assert stored(tmp_path) == [f"{key(1)}.json.gz", "explain-unfinished-b", "worker0.pt.trace.json.gz"]


def test_errors_are_remembered_for_one_state_of_the_file(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    error = ErrorInfo("truncated", "It is cut.")
    cache.put_error(key(1), error)
    cache.put_error(key(2), error, keep_s=0.0)
    assert cache.error(key(1)) == error
    assert cache.error(key(2)) is None
    assert cache.error(key(3)) is None
    assert Cache(tmp_path).error(key(1)) is None


def test_errors_are_bounded() -> None:
    cache = Cache(None)
    for number in range(1500):
        cache.put_error(key(number), ErrorInfo("empty_file", "It is empty."))
    assert cache.error(key(0)) is None
    assert cache.error(key(1499)) is not None


_HAMMER = """
import gzip, sys
from pathlib import Path
from tb_plugin_explain.plugin.cache import Cache
for turn in range(60):
    cache = Cache(Path(sys.argv[1]), disk_limit_bytes=12_000)
    for number in range(5):
        key = f"{number:064x}"
        cache.put(key, gzip.compress(b"{" + key.encode() * 50 + sys.argv[2].encode() * 300, 0, mtime=0))
        body = Cache(Path(sys.argv[1])).get(key)
        assert body is None or gzip.decompress(body.gzipped).startswith(b"{" + key.encode())
"""


def test_several_tensorboards_share_a_directory(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _HAMMER, str(tmp_path), name], env={**os.environ, "PYTHONPATH": _ROOT}
        )
        for name in "ab"
    ]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert not [name for name in stored(tmp_path) if not name.endswith(".json.gz")]


_ROOT = str(Path(cache_module.__file__).parents[2])


def test_threads_share_a_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path, disk_limit_bytes=2000)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for number in range(40):
                cache.put(key(number % 7), answer(size=300))
                cache.get(key((number + 3) % 7))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
