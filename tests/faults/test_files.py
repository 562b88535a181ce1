"""Files that change, vanish or were never what their names say, with the real analysis."""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cache_tabs import Tab, open_tab, step_events, write_trace
from tests.faults.large_traces import run_python


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    return directory


@pytest.fixture
def tab(logdir: Path, tmp_path: Path) -> Iterator[Tab]:
    with open_tab(logdir, tmp_path / "cache") as opened:
        yield opened


def steps_of(tab: Tab, file_id: str) -> list[int]:
    return [step["number"] for step in tab.settled("/report", file=file_id)["report"]["steps"]]


def test_a_file_that_grows_while_it_is_asked_for(logdir: Path, tab: Tab) -> None:
    """Written piece by piece by another thread, as a profiler does: every answer is of some state of it."""
    text = json.dumps({"traceEvents": [e for n in range(1, 9) for e in step_events(n)]}).encode()
    path = logdir / "trace.json"
    path.write_bytes(b"")
    [file_id] = tab.files().values()

    def grow() -> None:
        with open(path, "ab", buffering=0) as file:
            for begin in range(0, len(text), 1000):
                file.write(text[begin : begin + 1000])

    writer = threading.Thread(target=grow)
    writer.start()
    seen = []
    while writer.is_alive():
        answer = tab.settled("/report", file=file_id)
        seen.append(answer["report"]["headline"] if answer["state"] == "ready" else answer["error"]["kind"])
    writer.join()
    assert {kind for kind in seen if isinstance(kind, str)} <= {"empty_file", "truncated"}
    assert steps_of(tab, file_id) == list(range(1, 9))
    assert tab.settled("/report", file=file_id)["report"]["warnings"] == []


def test_a_file_that_shrinks(logdir: Path, tab: Tab) -> None:
    path = write_trace(logdir / "trace.json", 1, 2, 3)
    [file_id] = tab.files().values()
    assert steps_of(tab, file_id) == [1, 2, 3]
    text = path.read_bytes()
    with open(path, "r+b") as file:
        file.truncate(len(text) // 2)
    report = tab.settled("/report", file=file_id)["report"]
    assert "truncated" in {warning["kind"] for warning in report["warnings"]}
    with open(path, "r+b") as file:
        file.truncate(0)
    assert tab.settled("/report", file=file_id)["error"]["kind"] == "empty_file"
    # What was said of the file as it is again comes from the cache.
    path.write_bytes(text)
    assert steps_of(tab, file_id) == [1, 2, 3]


def test_a_file_that_vanishes_and_comes_back(logdir: Path, tab: Tab) -> None:
    path = write_trace(logdir / "trace.json", 1)
    [file_id] = tab.files().values()
    assert steps_of(tab, file_id) == [1]
    path.rename(path.with_name("elsewhere"))
    for route, query in (("/report", {}), ("/timeline", {}), ("/event/args", {"event": 1}), ("/names", {})):
        error = tab.settled(route, file=file_id, **query)["error"]
        assert (error["kind"], error["file"]) == ("not_found", "trace.json")
    path.with_name("elsewhere").rename(path)
    assert steps_of(tab, file_id) == [1]


def test_a_rank_that_vanishes(logdir: Path, tmp_path: Path) -> None:
    """What the ranks of a cycle say together needs all of them."""
    paths = [write_trace(logdir / f"rank{n}.1700000000001.pt.trace.json", 1, 2) for n in range(3)]
    with open_tab(logdir, tmp_path / "cache", reload_s=0) as tab:
        file_id = tab.files()[f"runs/{paths[0].name}"]
        assert tab.settled("/ranks", file=file_id)["state"] == "ready"
        paths[2].unlink()
        error = tab.settled("/ranks", file=file_id)["error"]
        assert error["kind"] == "not_found"
        assert paths[2].name in error["message"]
        assert tab.settled("/report", file=file_id)["state"] == "ready"


def test_a_file_that_is_replaced_while_arguments_are_asked_for(logdir: Path, tab: Tab) -> None:
    path = write_trace(logdir / "trace.json", 1)
    [file_id] = tab.files().values()
    assert tab.settled("/event/args", file=file_id, event=3)["args"]["arguments"]
    write_trace(logdir / "new", 4).replace(path)
    assert tab.settled("/timeline", file=file_id)["state"] == "ready"
    assert steps_of(tab, file_id) == [4]
    [grid] = [
        a
        for a in tab.settled("/event/args", file=file_id, event=3)["args"]["arguments"]
        if a["name"] == "grid"
    ]
    assert grid["value"] == "[0, 1, 1]"


def test_plain_text_that_becomes_gzip_and_something_else(logdir: Path, tmp_path: Path) -> None:
    path = write_trace(logdir / "trace.json", 1)
    with open_tab(logdir, tmp_path / "cache", reload_s=0) as tab:
        [file_id] = tab.files().values()
        assert steps_of(tab, file_id) == [1]
        path.write_bytes(gzip.compress(path.read_bytes()))
        assert steps_of(tab, file_id) == [1]
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
        assert tab.settled("/report", file=file_id)["error"]["kind"] == "not_a_trace"
        path.unlink()
        path.mkdir()
        assert tab.settled("/report", file=file_id)["error"]["kind"] == "unreadable"
        path.rmdir()
        os.mkfifo(path)
        assert tab.settled("/report", file=file_id)["error"]["kind"] == "unreadable"


# --- What the scan lists ---


def test_directories_and_links_named_like_traces(logdir: Path, tmp_path: Path, tab: Tab) -> None:
    outside = write_trace(tmp_path / "outside" / "secret.json", 5)
    write_trace(logdir / "a_trace.json" / "inner_trace.json", 1)
    (logdir / "b_trace.json.gz").mkdir()
    (logdir / "dangling_trace.json").symlink_to("nowhere")
    (logdir / "loop_trace.json").symlink_to("loop_trace.json")
    (logdir / "ping_trace.json").symlink_to("pong_trace.json")
    (logdir / "pong_trace.json").symlink_to("ping_trace.json")
    (logdir / "up").symlink_to("..")
    (logdir / "self").symlink_to(".")
    (logdir / "outside_trace.json").symlink_to(outside)
    files = tab.files()
    assert set(files) == {"a_trace.json/inner_trace.json", "runs/outside_trace.json"}
    assert steps_of(tab, files["a_trace.json/inner_trace.json"]) == [1]
    # A link is somebody's wish to see what it leads to.
    assert steps_of(tab, files["runs/outside_trace.json"]) == [5]


def test_a_link_that_is_turned_to_another_file(logdir: Path, tmp_path: Path) -> None:
    """As ``latest`` is, before the next scan: each answer is of the file that the link leads to."""
    first, second = (write_trace(tmp_path / f"run{n}" / "trace.json", n) for n in (1, 2))
    latest = logdir / "latest_trace.json"
    latest.symlink_to(first)
    with open_tab(logdir, tmp_path / "cache", reload_s=0) as tab:
        [file_id] = tab.files().values()
        for number, target in ((1, first), (2, second), (1, first)):
            (logdir / "new").symlink_to(target)
            (logdir / "new").replace(latest)
            assert steps_of(tab, file_id) == [number]


# --- Files of others ---

# Imports while it may, then gives up its rights: the interpreter may lie where only root reads.
_AS_NOBODY = """
import json, os, sys
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.runs import as_it_is_now, files_of_run, parse_logdirs, scan
# What is imported late must be there before: Python itself may be out of reach afterwards.
explain_path(sys.argv[2])
scan(parse_logdirs(os.path.dirname(sys.argv[2]), ""))
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
found = scan(parse_logdirs(sys.argv[1], ""))
told = {}
for file in found.by_id.values():
    try:
        as_it_is_now(file)
        told[file.run] = [step.number for step in explain_path(file.path).steps]
    except TraceError as error:
        told[file.run] = f"{error.kind}: {error}"
    except OSError as error:
        told[file.run] = f"not_found: {error}"
beside = [file.file for file in files_of_run(sys.argv[1])]
print(json.dumps({"told": told, "notes": list(found.notes), "beside": beside}))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_what_another_user_may_not_read() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        logdir = Path(scratch)
        sample = write_trace(logdir / "open" / "trace.json", 1)
        write_trace(logdir / "beside_trace.json", 2)
        (logdir / "latest").symlink_to(logdir / "closed_directory" / "inner")
        write_trace(logdir / "closed_file" / "trace.json", 1).chmod(0o600)
        write_trace(logdir / "closed_directory" / "trace.json", 1).parent.chmod(0o700)
        write_trace(logdir / "only_listed" / "trace.json", 1).parent.chmod(0o744)
        ended = run_python(_AS_NOBODY, logdir, sample)
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["beside"] == ["beside_trace.json"]
    assert answer["told"].pop(logdir.name) == [2]
    assert answer["told"].pop("open") == [1]
    refused = answer["told"].pop("closed_file")
    assert refused.startswith("unreadable: ")
    assert "cannot be read (Permission denied)" in refused
    assert answer["told"] == {}
    [note] = answer["notes"]
    assert re.search(
        "(closed_directory|only_listed|latest) and 2 more could not be read: check the permissions", note
    )
