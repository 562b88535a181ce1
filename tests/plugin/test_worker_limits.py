"""How long an analysis process may take, and what is said where it takes longer."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tb_plugin_explain.plugin.workers import (
    COMPARE_JOB,
    RANKS_JOB,
    REPORT_JOB,
    SLICE_JOB,
    Task,
    WorkerPool,
)
from tests.plugin.bench import NewBench, Outcome, lives, until


def test_a_task_that_takes_too_long_is_ended(new_bench: NewBench) -> None:
    bench = new_bench(workers=1, longest_s=2.0)
    bench.ask("busy", "busy")
    bench.ask("next", "print")
    error = bench.error("busy")
    assert error.kind == "too_slow"
    assert "busy.json took too long" in error.message
    assert not lives(bench.process_of("busy"))
    assert bench.report("next") == "printed"


def test_what_reads_several_files_may_take_as_many_times_as_long(new_bench: NewBench) -> None:
    bench = new_bench(workers=1, longest_s=1.0)
    path = bench.directory / "many.json"
    path.write_text("wait")
    bench.pool.ask(replace(bench.task("many", str(path)), files=60))
    bench.process_of("many")
    time.sleep(1.5)
    bench.go("many")
    assert bench.report("many") == "told"


def test_a_process_that_was_ended_just_as_its_job_was_done_does_no_other(tmp_path: Path) -> None:
    """The answer is out and the time over while it is kept; what is asked for next needs a new process."""
    outcomes: list[Outcome] = []

    def keep(_task: Task, outcome: Outcome, _lasts: bool = True) -> None:
        outcomes.append(outcome)
        time.sleep(1.5 if len(outcomes) == 1 else 0)

    pool = WorkerPool(1, keep, keep, longest_s=1.0)
    try:
        for name in "ab":
            path = tmp_path / name
            path.write_text("print")
            pool.ask(Task(name, name, name, "tests.plugin.plugin_jobs:play", "report", {"path": str(path)}))
        until(lambda: pool.status("a") is None and pool.status("b") is None)
    finally:
        pool.close()
    assert [type(outcome) for outcome in outcomes] == [bytes, bytes]


def test_where_no_thread_can_be_started_a_job_ends_and_the_next_one_is_done(
    new_bench: NewBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_timer: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    bench = new_bench(workers=1)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Timer, "start", fails)
        bench.ask("a", "print")
        assert bench.error("a").kind == "worker_died"
        until(lambda: bench.pool.status("a") is None)
    bench.ask("b", "print")
    assert bench.report("b") == "printed"


@pytest.mark.parametrize(
    ("job", "way_out"),
    [
        (REPORT_JOB, "Cut out one step with tb-explain slice"),
        (COMPARE_JOB, "Cut one step out of each file"),
        (RANKS_JOB, "Run tb-explain report on the run’s directory"),
        (SLICE_JOB, "Run tb-explain slice in a terminal"),
    ],
)
def test_what_to_do_where_it_takes_too_long_depends_on_the_job(
    new_bench: NewBench, job: str, way_out: str
) -> None:
    bench = new_bench(workers=1, longest_s=0.0)
    bench.pool.ask(replace(bench.task("a", "a.json"), job=job))
    error = bench.error("a")
    assert error.kind == "too_slow"
    assert way_out in error.message
