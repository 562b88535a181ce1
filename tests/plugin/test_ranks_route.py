"""``/ranks``: real files of several ranks, real analysis processes, no HTTP."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.plugin import routes
from tb_plugin_explain.plugin.answers import Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.runs import Run, TraceFile, cycle_of, parse_logdirs
from tests.case_files import CASES
from tests.faults.large_traces import write_steps
from tests.plugin.bodies import body


def opened(logdir: Path, tmp_path: Path, max_bytes: int | None = None) -> Iterator[Services]:
    watcher = RunsWatcher(parse_logdirs(str(logdir), ""), 0)
    services = routes.open_services(
        watcher, Cache(tmp_path / "cache"), 1, static=tmp_path, max_bytes=max_bytes
    )
    yield services
    services.pool.close()
    watcher.close()


@pytest.fixture
def megatron(shared_traces: Path, tmp_path: Path) -> Iterator[Services]:
    """Four ranks of one cycle, a rank that is broken, and a later cycle of one."""
    run = tmp_path / "runs" / "ddp"
    run.mkdir(parents=True)
    for rank in range(4):
        trace = shared_traces / f"astrasim__megatron_kineto_{rank}.json.gz"
        shutil.copyfile(trace, run / f"rank{rank}.1751410836000000000.pt.trace.json.gz")
    (run / "rank4.1751410836000000000.pt.trace.json").write_text("{nope")
    shutil.copyfile(CASES / "T01-tutorial-64-cold.json", run / "rank0.1751410999000000000.pt.trace.json")
    yield from opened(tmp_path / "runs", tmp_path)


@pytest.fixture
def one_too_large(tmp_path: Path) -> Iterator[Services]:
    """Two ranks of one cycle; the second takes more memory than it may."""
    run = tmp_path / "runs" / "ddp"
    run.mkdir(parents=True)
    shutil.copyfile(CASES / "T01-tutorial-64-cold.json", run / "rank0.1751410836000000000.pt.trace.json")
    write_steps(run / "rank1.1751410836000000000.pt.trace.json.gz", 300)
    yield from opened(tmp_path / "runs", tmp_path, max_bytes=100 * 10**6)


def run_of(services: Services) -> Run:
    deadline = time.monotonic() + 20
    while (scan := services.watcher.latest()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    [run] = scan.runs
    return run


def settled(services: Services, file: TraceFile) -> Any:
    deadline = time.monotonic() + 60
    while (answer := body(routes.ranks(services, {"file": file.id})))["state"] in ("queued", "working"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return answer["ranks"]


def test_the_files_of_a_cycle_belong_together(megatron: Services) -> None:
    run = run_of(megatron)
    cycles = {file.file: [each.rank for each in cycle_of(file, run.files)] for file in run.files}
    assert cycles["rank2.1751410836000000000.pt.trace.json.gz"] == [0, 1, 2, 3, 4]
    assert cycles["rank0.1751410999000000000.pt.trace.json"] == [0]


def test_ranks_are_told_together_and_a_broken_one_is_named(megatron: Services) -> None:
    run = run_of(megatron)
    file = next(f for f in run.files if f.file.startswith("rank2"))
    ranks = settled(megatron, file)
    [cycle] = ranks["together"]["communication"]
    assert (cycle["steps"], cycle["ranks"], cycle["collectives"]) == ([3], [0, 1, 2, 3], 84)
    for rank in cycle["by_rank"]:
        assert rank["waiting_us"] + cycle["transfer_us"] == pytest.approx(rank["time_us"])
    assert ranks["unread"] == ["rank4.1751410836000000000.pt.trace.json"]
    assert [error["kind"] for error in ranks["errors"]] == ["invalid_json"]
    assert [finding["rule"] for finding in ranks["together"]["findings"]] in ([], ["late-rank"])


def test_what_a_passing_error_left_out_is_read_later(
    one_too_large: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_PASSING_KEPT_S", 0.5)
    [file, large] = run_of(one_too_large).files
    ranks = settled(one_too_large, file)
    assert ranks["unread"] == [large.file]
    assert [error["kind"] for error in ranks["errors"]] == ["too_large"]
    assert list((tmp_path / "cache").rglob("*.json.gz")) == []
    time.sleep(0.6)
    assert body(routes.ranks(one_too_large, {"file": file.id}))["state"] == "queued"


def test_one_file_alone_has_nothing_to_tell(megatron: Services) -> None:
    run = run_of(megatron)
    alone = next(f for f in run.files if f.span == "1751410999000000000")
    assert settled(megatron, alone)["together"]["communication"] == []
    assert routes.ranks(megatron, {"file": "nobody"}).status == 404
