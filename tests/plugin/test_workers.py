"""The pool with real analysis processes: few of them, newest request first, and none left over."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from tb_plugin_explain.plugin.workers import Queued, Task, WorkerPool, Working
from tests.plugin.bench import NewBench, Outcome, lives, until


def test_a_job_gets_the_names_and_gives_the_answer(new_bench: NewBench, shared_cases: Path) -> None:
    bench = new_bench(job="tests.plugin.plugin_jobs:count_events")
    path = shared_cases / "B61-file-still-growing" / "snap2" / "w.1700000000001.pt.trace.json"
    assert bench.pool.ask(bench.task("a", str(path), "w", None)) == Queued(1)
    report = bench.report("a")
    assert (report["run"], report["worker"], report["span"]) == ("run", "w", None)
    assert report["pid"] != os.getpid()


def test_an_error_of_the_trace_keeps_its_kind_and_place(new_bench: NewBench) -> None:
    bench = new_bench(job="tests.plugin.plugin_jobs:count_events")
    bench.ask("cut", '{"traceEvents": [')
    error = bench.error("cut")
    assert (error.kind, error.position) == ("truncated", "byte 7")


def test_progress_is_told(new_bench: NewBench) -> None:
    bench = new_bench()
    bench.ask("a", "wait")
    until(lambda: isinstance(status := bench.pool.status("a"), Working) and status.share == 0.25)
    status = bench.pool.status("a")
    assert isinstance(status, Working)
    assert status.phase == "reading"
    assert status.elapsed_s > 0
    bench.go("a")
    assert bench.report("a") == "told"
    until(lambda: bench.pool.status("a") is None)


def test_asking_again_starts_nothing(new_bench: NewBench) -> None:
    bench = new_bench()
    for _ in range(50):
        bench.ask("a", "wait")
        time.sleep(0.005)
    bench.go("a")
    bench.report("a")
    assert bench.starts("a") == 1
    assert bench.order == ["a"]


def test_never_more_processes_than_allowed_and_the_newest_request_first(
    new_bench: NewBench,
) -> None:
    bench = new_bench(workers=2)
    bench.ask("first", "wait")
    bench.ask("second", "wait")
    processes = {bench.process_of("first"), bench.process_of("second")}
    assert len(processes) == 2
    assert bench.ask("third", "print") == Queued(1)
    assert bench.ask("fourth", "print") == Queued(1)
    assert bench.pool.status("third") == Queued(2)
    assert bench.ask("third", "print") == Queued(1)
    assert bench.pool.status("fourth") == Queued(2)
    bench.go("first")
    bench.report("fourth")
    assert bench.order == ["first", "third", "fourth"]
    assert {bench.process_of(name) for name in ("third", "fourth")} == {bench.process_of("first")}
    bench.go("second")
    bench.report("second")


@pytest.mark.parametrize(("play", "words"), [("kill", "memory"), ("exit", "exit status 7")])
def test_a_process_that_dies_costs_one_answer(new_bench: NewBench, play: str, words: str) -> None:
    bench = new_bench(workers=1)
    bench.ask("dies", play)
    died = bench.process_of("dies")
    error = bench.error("dies")
    assert error.kind == "worker_died"
    assert "dies.json" in error.message
    assert words in error.message
    assert not lives(died)
    bench.ask("next", "print")
    assert bench.report("next") == "printed"


def test_a_process_that_is_killed_while_it_works_costs_one_answer(new_bench: NewBench) -> None:
    bench = new_bench(workers=1)
    bench.ask("busy", "busy")
    bench.ask("next", "print")
    os.kill(bench.process_of("busy"), signal.SIGKILL)
    assert bench.error("busy").kind == "worker_died"
    assert bench.report("next") == "printed"


def test_a_process_that_is_killed_while_idle_costs_nothing(new_bench: NewBench) -> None:
    bench = new_bench(workers=1)
    bench.ask("a", "print")
    bench.report("a")
    process = bench.process_of("a")
    os.kill(process, signal.SIGKILL)
    time.sleep(0.5)
    bench.ask("b", "print")
    assert bench.report("b") == "printed"
    assert not lives(process)


@pytest.mark.parametrize(("play", "kind"), [("bug", "internal"), ("memory", "out_of_memory")])
def test_other_errors_are_one_line(new_bench: NewBench, play: str, kind: str) -> None:
    bench = new_bench(workers=1)
    bench.ask("a", play)
    error = bench.error("a")
    assert error.kind == kind
    assert "\n" not in error.message
    bench.ask("b", "print")
    assert bench.report("b") == "printed"
    assert bench.process_of("a") == bench.process_of("b")


def test_a_missing_job_is_one_line(new_bench: NewBench) -> None:
    bench = new_bench(job="no_such_module:job")
    bench.ask("a", "print")
    assert "no_such_module" in bench.error("a").message


def test_prints_do_not_get_between_the_frames(new_bench: NewBench, capfd: pytest.CaptureFixture[str]) -> None:
    bench = new_bench()
    bench.ask("a", "print")
    assert bench.report("a") == "printed"
    output = capfd.readouterr()
    assert "nor this" in output.err
    assert output.out == ""


def test_big_answers_and_odd_numbers_arrive(new_bench: NewBench) -> None:
    bench = new_bench()
    bench.ask("big", "big")
    bench.ask("nan", "nan")
    assert bench.report("big").endswith("399999,")
    assert bench.report("nan") == [None, 1.0]


def test_names_that_are_no_text_reach_the_job(tmp_path: Path, new_bench: NewBench) -> None:
    bench = new_bench(job="tests.plugin.plugin_jobs:count_events")
    path = os.fsdecode(os.fsencode(tmp_path) + b"/trace\xff.json")
    with open(path, "w") as file:
        file.write('{"traceEvents": [1]}')
    bench.pool.ask(bench.task("a", path, "w\udcff", None))
    assert bench.report("a")["events"] == 1


def test_processes_import_nothing_of_tensorboard(new_bench: NewBench) -> None:
    bench = new_bench()
    bench.ask("a", "modules")
    assert not {"tensorboard", "werkzeug", "google", "grpc"} & set(bench.report("a"))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the kernel does not list threads")
def test_numpy_starts_no_threads_that_only_wait(new_bench: NewBench) -> None:
    bench = new_bench()
    bench.ask("a", "threads")
    assert bench.report("a") == 2  # one works, one listens


def test_idle_processes_end_and_come_back(new_bench: NewBench) -> None:
    bench = new_bench(idle_s=0.1)
    bench.ask("a", "print")
    bench.report("a")
    until(lambda: not lives(bench.process_of("a")))
    bench.ask("b", "print")
    assert bench.report("b") == "printed"
    assert bench.process_of("a") != bench.process_of("b")


def test_ctrl_c_in_a_terminal_does_not_meet_a_process_that_still_starts(new_bench: NewBench) -> None:
    """A terminal signals its foreground process group; Python answers it with a traceback while it starts."""
    bench = new_bench()
    bench.ask("a", "sleep")
    assert os.getpgid(bench.process_of("a")) != os.getpgid(0)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_idle_processes_end_though_a_helper_forked_by_others_holds_their_input(new_bench: NewBench) -> None:
    bench = new_bench(idle_s=0.1, workers=1)
    bench.ask("a", "wait")
    process = bench.process_of("a")
    helper = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    helper.start()
    try:
        bench.go("a")
        bench.report("a")
        until(lambda: not lives(process))
        bench.ask("b", "print")
        assert bench.report("b") == "printed"
    finally:
        helper.kill()
        helper.join()


def test_all_positions_are_told_at_once(new_bench: NewBench) -> None:
    bench = new_bench(workers=1)
    bench.ask("first", "wait")
    bench.process_of("first")
    for i in range(500):
        bench.ask(f"{i}", "print")
    statuses = bench.pool.statuses()
    assert [statuses[f"{i}"] for i in range(500)] == [Queued(500 - i) for i in range(500)]
    assert isinstance(statuses["first"], Working)
    assert all(bench.pool.status(f"{i}") == statuses[f"{i}"] for i in (0, 7, 499))


def test_of_a_bounded_job_the_oldest_are_forgotten(new_bench: NewBench) -> None:
    bench = new_bench(workers=1)
    bench.ask("first", "wait")
    bench.process_of("first")
    bench.ask("other", "print")
    for i in range(5):
        task = bench.task(f"{i}", str(bench.directory / f"{i}.json"))
        bench.pool.ask(replace(task, job="tests.plugin.plugin_jobs:other", most_waiting=3))
    assert [bench.pool.status(f"{i}") for i in range(5)] == [None, None, Queued(3), Queued(2), Queued(1)]
    assert bench.pool.status("other") == Queued(4)


@pytest.mark.parametrize("play", ["sleep", "busy"])
def test_closing_ends_processes_at_once(new_bench: NewBench, play: str) -> None:
    bench = new_bench()
    bench.ask("a", play)
    process = bench.process_of("a")
    started = time.monotonic()
    bench.pool.close()
    assert time.monotonic() - started < 1.0
    assert not lives(process)
    assert bench.ask("b", "print") == Queued(1)
    assert bench.pool.status("b") is None


def test_a_keeper_that_fails_does_not_stop_the_pool(tmp_path: Path) -> None:
    def refuse(_task: Task, _outcome: Outcome, _lasts: bool = True) -> None:
        raise OSError("disk full")

    path = tmp_path / "a.json"
    path.write_text("print")
    pool = WorkerPool(1, refuse, refuse)
    try:
        for key in "ab":
            pool.ask(
                Task(key, key, path.name, "tests.plugin.plugin_jobs:play", "report", {"path": str(path)})
            )
        until(lambda: pool.status("a") is None and pool.status("b") is None)
    finally:
        pool.close()
