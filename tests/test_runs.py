"""Which files are traces, which runs they form, and in which order."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain import runs
from tb_plugin_explain.runs import Logdir, Scan, as_it_is_now, parse_logdirs, rank_of, scan, split_name
from tests.plugin.plugin_files import make_many_runs

SPAN_1, SPAN_2 = "1700000000000000001", "1700000900000000001"


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_many_runs(tmp_path_factory.mktemp("many"))


def touch(path: Path, age_s: float = 0.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (1_800_000_000 - age_s,) * 2)
    return path


def scan_of(*directories: Path) -> Scan:
    return scan([Logdir(str(directory), str(directory)) for directory in directories])


def names(found: Scan) -> dict[str, list[str]]:
    return {run.name: [file.file for file in run.files] for run in found.runs}


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("trace.json", True),
        ("My_Trace_1.json.gz", True),
        ("worker0.17.pt.trace.json.gz", True),
        ("TRACE.JSON", True),
        ("settings.json", False),
        ("trace.json.gz.part", False),
        ("trace.txt", False),
        ("traces", False),
        (".trace.json", False),
        ("._worker0.17.pt.trace.json", False),
        ("events.out.tfevents.1700000000.trace", False),
    ],
)
def test_candidates_by_name(name: str, taken: bool) -> None:
    assert runs.is_candidate(name) is taken


@pytest.mark.parametrize(
    ("name", "worker", "span"),
    [
        ("worker0.1700.pt.trace.json", "worker0", "1700"),
        ("node.a.rank1.1700.pt.trace.json.gz", "node.a.rank1", "1700"),
        ("ip-10.0.0.1.1700.pt.trace.json", "ip-10.0.0.1", "1700"),
        ("profile.pt.trace.json", "profile", None),
        ("rank0_trace.json.gz", "rank0_trace", None),
        ("trace.json", "trace", None),
        ("trace.v2.JSON", "trace.v2", None),
    ],
)
def test_worker_and_span(name: str, worker: str, span: str | None) -> None:
    assert split_name(name) == (worker, span)


@pytest.mark.parametrize(
    ("worker", "rank"),
    [
        ("worker0", 0),
        ("rank1_trace", 1),
        ("trace_rank-12", 12),
        ("node.a.rank_3", 3),
        ("worker7_rank2", 2),
        ("host1", 1),
        ("ip-10-0-0-1_4711", None),
        ("frank1", None),
        ("trace", None),
    ],
)
def test_rank_in_a_worker_name(worker: str, rank: int | None) -> None:
    assert rank_of(worker) == rank


def test_workers_and_spans_of_b56(shared_cases: Path) -> None:
    [run] = scan_of(shared_cases / "B56-workers-and-spans").runs
    spans: dict[str, set[str | None]] = {}
    for file in run.files:
        spans.setdefault(file.worker, set()).add(file.span)
    assert spans == {
        "worker0": {"1700000000001", "1700000000002"},
        "node.a.rank1": {"1700000000001"},
        "worker1": {"1700000000001000001"},
    }
    assert run.files[0].file == "worker0.1700000000002.pt.trace.json"


def test_odd_names_of_b57(shared_cases: Path) -> None:
    found = names(scan_of(shared_cases / "B57-odd-file-names"))
    assert {run: set(files) for run, files in found.items()} == {
        "B57-odd-file-names": {
            "fit training step.1700000000001.pt.trace.json",
            "profile.pt.trace.json",
            "rank0_trace.json.gz",
            "trace.json",
        },
        "iteration_10": {"rank1_trace.json"},
    }


def test_runs_are_named_by_their_path(tmp_path: Path) -> None:
    logdir = tmp_path / "runs"
    touch(logdir / "trace.json", 1)
    touch(logdir / "eager" / "trace.json", 2)
    touch(logdir / "sweep" / "lr 0.1" / "trace.json", 3)
    touch(logdir / "without" / "settings.json")
    assert list(names(scan_of(logdir))) == ["runs", "eager", "sweep/lr 0.1"]


def test_newest_cycle_then_lowest_rank(tmp_path: Path) -> None:
    for span in (SPAN_1, SPAN_2):
        for rank in (0, 2, 10):
            # The ranks of one cycle never have quite the same time, nor finish in order.
            touch(tmp_path / f"rank{rank}.{int(span) + 7_000_000 * (rank % 3)}.pt.trace.json")
    [run] = scan_of(tmp_path).runs
    assert [(file.rank, (file.span or "")[:10]) for file in run.files] == [
        (0, SPAN_2[:10]),
        (2, SPAN_2[:10]),
        (10, SPAN_2[:10]),
        (0, SPAN_1[:10]),
        (2, SPAN_1[:10]),
        (10, SPAN_1[:10]),
    ]


def test_workers_without_a_rank_are_newest_first(tmp_path: Path) -> None:
    touch(tmp_path / f"host_100.{int(SPAN_1)}.pt.trace.json")
    touch(tmp_path / f"host_200.{int(SPAN_1) + 10**9}.pt.trace.json")
    assert list(names(scan_of(tmp_path)).values()) == [
        [f"host_200.{int(SPAN_1) + 10**9}.pt.trace.json", f"host_100.{SPAN_1}.pt.trace.json"]
    ]


def test_names_without_a_span_are_ordered_by_time(tmp_path: Path) -> None:
    touch(tmp_path / "trace_a.json", age_s=900)
    touch(tmp_path / "trace_b.json", age_s=100)
    touch(tmp_path / "rank1_trace_step1.json", age_s=501)
    touch(tmp_path / "rank0_trace_step1.json", age_s=502)
    touch(tmp_path / "rank0_trace_step0.json", age_s=700)
    assert names(scan_of(tmp_path))[tmp_path.name] == [
        "trace_b.json",
        "rank0_trace_step1.json",
        "rank1_trace_step1.json",
        "rank0_trace_step0.json",
        "trace_a.json",
    ]


def test_runs_are_ordered_by_their_spans_whatever_copying_did_to_the_times(tmp_path: Path) -> None:
    touch(tmp_path / "old" / f"w.{SPAN_1}.pt.trace.json", age_s=1)
    touch(tmp_path / "new" / f"w.{SPAN_2}.pt.trace.json", age_s=2)
    assert list(names(scan_of(tmp_path))) == ["new", "old"]


def test_small_spans_count_cycles(tmp_path: Path) -> None:
    for cycle in (9, 10, 11):
        touch(tmp_path / "counted" / f"w.{cycle}.pt.trace.json")
    touch(tmp_path / "older" / f"w.{SPAN_1}.pt.trace.json")
    assert next(iter(names(scan_of(tmp_path)).items())) == (
        "counted",
        [f"w.{cycle}.pt.trace.json" for cycle in (11, 10, 9)],
    )


def test_spans_in_milliseconds_and_nanoseconds_compare(tmp_path: Path) -> None:
    touch(tmp_path / "a.1700000900000.pt.trace.json")
    touch(tmp_path / "a.1700000000000000000.pt.trace.json")
    assert names(scan_of(tmp_path))[tmp_path.name][0] == "a.1700000900000.pt.trace.json"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("/a/b", [("/a/b", None)]),
        ("base:/a,new:/b", [("/a", "base"), ("/b", "new")]),
        ("/with:colon/x", [("/with:colon/x", None)]),
        ("run:/path:with/colon", [("/path:with/colon", "run")]),
        ("gs://bucket/x,b:s3://other", [("gs://bucket/x", None), ("s3://other", "b")]),
        ("rel", [("/here/rel", None)]),
        ("a:~/x", [("/home/me/x", "a")]),
        ("", []),
    ],
)
def test_logdir_spec(
    spec: str, expected: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(os, "getcwd", lambda: "/here")
    assert [(logdir.path, logdir.name) for logdir in parse_logdirs("", spec)] == expected


def test_one_logdir_is_taken_literally(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    [logdir] = parse_logdirs("~/a,b:c", "")
    assert (logdir.path, logdir.shown) == ("/home/me/a,b:c", "~/a,b:c")
    assert parse_logdirs(None, None) == []


def test_names_of_a_spec_are_kept(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "trace.json", 1)
    touch(tmp_path / "a" / "sub" / "trace.json", 2)
    touch(tmp_path / "b" / "trace.json", 3)
    found = scan(parse_logdirs("", f"base:{tmp_path / 'a'},{tmp_path / 'b'}"))
    assert list(names(found)) == ["base", "base/sub", "b"]


def test_runs_of_one_name_stay_apart(tmp_path: Path) -> None:
    for side in ("x", "y"):
        touch(tmp_path / side / "run" / "trace.json")
    found = scan_of(tmp_path / "x", tmp_path / "y")
    assert sorted(names(found)) == ["run", "run (2)"]
    assert len(found.by_id) == 2


def test_ids_are_opaque_stable_and_distinct(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "trace.json")
    touch(tmp_path / "b" / "trace.json")
    first, second = scan_of(tmp_path), scan_of(tmp_path)
    assert first.by_id.keys() == second.by_id.keys()
    assert len(first.by_id) == 2
    assert all(len(file_id) == 24 and int(file_id, 16) for file_id in first.by_id)


def test_linked_directories_are_followed(tmp_path: Path) -> None:
    logdir, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    touch(elsewhere / "deep" / "trace.json", 1)
    touch(logdir / "real" / "trace.json", 2)
    (logdir / "linked").symlink_to(elsewhere)
    (logdir / "latest").symlink_to("real")
    found = scan_of(logdir)
    assert sorted(names(found)) == ["latest", "linked/deep", "real"]
    real = {file.run: file.real_path for file in found.by_id.values()}
    assert real["latest"] == real["real"]
    assert real["linked/deep"] == str(elsewhere / "deep" / "trace.json")


def test_the_logdir_may_be_a_link(tmp_path: Path) -> None:
    touch(tmp_path / "real" / "a" / "trace.json")
    (tmp_path / "link").symlink_to("real")
    assert list(names(scan_of(tmp_path / "link"))) == ["a"]


def test_links_in_circles_end(tmp_path: Path) -> None:
    logdir, outside = tmp_path / "runs", tmp_path / "outside"
    touch(logdir / "a" / "trace.json")
    touch(outside / "x" / "trace.json")
    touch(outside / "y" / "trace.json")
    (logdir / "a" / "self").symlink_to(logdir / "a" / "self")
    (logdir / "a" / "up").symlink_to("..")
    (logdir / "a" / "root").symlink_to("/")
    (logdir / "out").symlink_to(outside)
    (logdir / "gone").symlink_to("nowhere")
    (outside / "x" / "back").symlink_to(logdir)
    for one in ("x", "y"):
        for other in ("x", "y"):
            (outside / one / f"to_{other}").symlink_to(outside / other)
    assert sorted(names(scan_of(logdir))) == ["a", "out/x", "out/y"]


def test_links_among_links_end_soon(tmp_path: Path) -> None:
    logdir, outside = tmp_path / "runs", tmp_path / "outside"
    logdir.mkdir()
    for one in range(12):
        touch(outside / str(one) / "trace.json")
        for other in range(12):
            (outside / str(one) / f"to_{other}").symlink_to(outside / str(other))
    (logdir / "out").symlink_to(outside)
    started = time.monotonic()
    assert len(scan_of(logdir).runs) == 12
    assert time.monotonic() - started < 2.0


def test_linked_and_odd_files(tmp_path: Path) -> None:
    target = touch(tmp_path / "store" / "blob")
    logdir = tmp_path / "runs"
    touch(logdir / "trace.json")
    (logdir / "linked_trace.json").symlink_to(target)
    (logdir / "gone_trace.json").symlink_to("nowhere")
    (logdir / "directory_trace.json").mkdir()
    os.mkfifo(logdir / "pipe_trace.json")
    found = scan_of(logdir)
    assert sorted(file.file for file in found.by_id.values()) == ["linked_trace.json", "trace.json"]
    assert str(target) in {file.real_path for file in found.by_id.values()}


def test_names_that_are_no_text_survive(tmp_path: Path) -> None:
    directory = os.fsencode(tmp_path) + b"/run\xff"
    os.mkdir(directory)
    with open(directory + b"/trace\xfe.json", "wb"):
        pass
    [file] = scan_of(tmp_path).by_id.values()
    assert os.path.exists(file.path)


def test_hidden_directories_are_passed_over(tmp_path: Path) -> None:
    touch(tmp_path / ".hidden" / "runs" / "a" / "trace.json")
    touch(tmp_path / ".hidden" / "runs" / ".ipynb_checkpoints" / "trace-checkpoint.json")
    assert names(scan_of(tmp_path)) == {}
    assert list(names(scan_of(tmp_path / ".hidden" / "runs"))) == ["a"]


def test_what_cannot_be_looked_at_is_noted(tmp_path: Path) -> None:
    file = touch(tmp_path / "trace.json")
    found = scan(parse_logdirs("", f"gs://bucket/x,{tmp_path / 'missing'},{file}"))
    assert not found.runs
    remote, missing, is_file = found.notes
    assert "gs://bucket/x" in remote
    assert "remote" in remote
    assert "no such directory" in missing
    assert "is a file" in is_file


def test_unreadable_directories_are_noted_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path / "a" / "trace.json")
    touch(tmp_path / "locked" / "trace.json")
    # The tests may run as root, whom no permission stops.
    refuse(monkeypatch, tmp_path / "locked", PermissionError(13, "Permission denied"))
    found = scan_of(tmp_path)
    assert list(names(found)) == ["a"]
    assert "locked" in found.notes[0]
    assert "could not be read" in found.notes[0]


def test_directories_that_vanish_are_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path / "gone" / "trace.json")
    refuse(monkeypatch, tmp_path / "gone", FileNotFoundError(2, "No such file or directory"))
    assert scan_of(tmp_path) == Scan([], [], {})


def refuse(monkeypatch: pytest.MonkeyPatch, directory: Path, error: OSError) -> None:
    scandir: Callable[[str], Any] = os.scandir

    def refusing(path: str) -> Any:
        if path == str(directory):
            raise error
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_a_file_as_it_is_now(tmp_path: Path) -> None:
    path = touch(tmp_path / "trace.json")
    [file] = scan_of(tmp_path).by_id.values()
    path.write_text("longer")
    now = as_it_is_now(file)
    assert (now.id, now.bytes) == (file.id, 6)
    assert now.modified_ns != file.modified_ns
    path.unlink()
    with pytest.raises(FileNotFoundError):
        as_it_is_now(file)


def test_three_thousand_runs_are_listed_without_opening_a_file(many_runs: Path) -> None:
    opened: list[str] = []
    listening = threading.Event()
    listening.set()

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and listening.is_set() and str(arguments[0]).startswith(str(many_runs)):
            opened.append(str(arguments[0]))

    sys.addaudithook(hear)
    started = time.monotonic()
    found = scan_of(many_runs)
    seconds = time.monotonic() - started
    listening.clear()
    assert len(found.runs) == 3000
    assert opened == []
    assert seconds < 3.0
