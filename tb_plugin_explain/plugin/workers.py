"""A bounded pool of analysis processes: one thread here owns and feeds one process there.

The processes are started as fresh interpreters rather than through ``multiprocessing``, whose
spawned children import the parent's main module, which is all of TensorBoard.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import msgspec
from msgspec import Struct, field

from tb_plugin_explain.plugin import worker_process
from tb_plugin_explain.wire import ErrorInfo

REPORT_JOB = "tb_plugin_explain.plugin.jobs:explain_file"
COMPARE_JOB = "tb_plugin_explain.plugin.compare_job:compare_files"
RANKS_JOB = "tb_plugin_explain.plugin.ranks_job:read_ranks"
NAMES_JOB = "tb_plugin_explain.plugin.names_job:list_names"
SLICE_JOB = "tb_plugin_explain.slicing:slice_job"
WORKER_DIED = "worker_died"
TOO_SLOW = "too_slow"
_IDLE_S = 60.0
# Of each file. Two gigabytes take a minute or two: what takes longer than this was made to.
_LONGEST_S = 900.0
_EXIT_S = 1.0

# Ctrl-C is for the parent, who ends us; on Windows a session of our own does not keep it away.
# The child sees the same modules as the parent does.
_BOOT = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    " import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    " from tb_plugin_explain.process import prepare_process; prepare_process();"
    " from tb_plugin_explain.plugin.worker_process import main; main()"
)

# What to do where a job takes too long; what reads one file is helped by a smaller one.
_WAYS_OUT = {
    COMPARE_JOB: "Cut one step out of each file with tb-explain slice, and compare these.",
    RANKS_JOB: "Run tb-explain report on the run’s directory: it says the same, and takes its time.",
    SLICE_JOB: "Run tb-explain slice in a terminal: it cuts the same, and takes its time.",
}
_SMALLER_FILE = "Cut out one step with tb-explain slice, and open that."

_logger = logging.getLogger("tensorboard.plugins.explain")


class _NoThread(Exception):
    """The system lets no thread be started now."""


class Task(Struct, frozen=True):
    """One answer to make. Of one ``id`` there is one job at most; ``key`` tells the state of the files.

    file: what messages call it. job: ``module:function``, called in a process with ``arguments`` and
        ``on_progress``; raises TraceError for a file that cannot be explained. field: what the answer
        calls its result. most_waiting: how many tasks of this job may wait, the newest ones; None: all.
        files: how many it reads; it may take as many times as long as one.
    """

    id: str
    key: str
    file: str
    job: str
    field: str
    arguments: Mapping[str, Any]
    most_waiting: int | None = None
    files: int = 1


class Queued(Struct, frozen=True):
    """``position`` 1 is the next one."""

    position: int
    state: str = "queued"


class Working(Struct, frozen=True):
    """``share`` is the done part of the phase, 0 to 1; None where unknown."""

    phase: str
    share: float | None
    elapsed_s: float
    state: str = "working"


class _Job(Struct):
    task: Task
    started_s: float = field(default_factory=time.monotonic)
    phase: str = "reading"
    share: float | None = None

    def status(self) -> Working:
        return Working(self.phase, self.share, round(time.monotonic() - self.started_s, 3))


class WorkerPool:
    """Does tasks in at most ``workers`` processes, what was asked for last first.

    on_result: gets the gzipped answer as soon as it is known, while the job still is ``working``, and
        whether it holds for as long as the files stay as they are.
    on_error: gets what went wrong, before there was a result or after it.
    idle_s: how long a process without work stays. longest_s: how long it may take for one file.
    max_bytes: of memory that one may take; None: its part of what is available.
    """

    def __init__(
        self,
        workers: int,
        on_result: Callable[[Task, bytes, bool], None],
        on_error: Callable[[Task, ErrorInfo], None],
        *,
        idle_s: float = _IDLE_S,
        longest_s: float = _LONGEST_S,
        max_bytes: int | None = None,
    ) -> None:
        self._workers = workers
        self._memory = {"max_bytes": max_bytes, "processes": workers}
        self._longest_s = longest_s
        self._on_result = on_result
        self._on_error = on_error
        self._idle_s = idle_s
        self._changed = threading.Condition()
        self._queue: dict[str, Task] = {}
        self._working: dict[str, _Job] = {}
        self._threads = 0
        self._idle_threads = 0
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._closed = False
        atexit.register(self.close)

    def ask(self, task: Task) -> Queued | Working:
        """Puts the task first in the queue, unless a process already works on it. Never waits."""
        with self._changed:
            if task.id not in self._working and not self._closed:
                self._queue.pop(task.id, None)
                self._queue[task.id] = task
                self._forget_oldest(task)
                self._call_worker()
            return self._status(task.id) or Queued(1)

    def status(self, task_id: str) -> Queued | Working | None:
        """How far a task is; None where nobody asked for it or it has ended."""
        with self._changed:
            return self._status(task_id)

    def statuses(self) -> dict[str, Queued | Working]:
        """How far all tasks are, by id."""
        with self._changed:
            waiting = {task_id: Queued(n) for n, task_id in enumerate(reversed(self._queue), 1)}
            return waiting | {task_id: job.status() for task_id, job in self._working.items()}

    def close(self) -> None:
        """Ends all processes at once, in the middle of their work too."""
        atexit.unregister(self.close)
        with self._changed:
            self._closed = True
            self._queue.clear()
            processes = list(self._processes)
            self._changed.notify_all()
        for process in processes:
            process.kill()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_EXIT_S)

    def _status(self, task_id: str) -> Queued | Working | None:
        if task_id in self._working:
            return self._working[task_id].status()
        if task_id in self._queue:
            newest_first = list(reversed(self._queue))
            return Queued(newest_first.index(task_id) + 1)
        return None

    def _forget_oldest(self, task: Task) -> None:
        """Whoever still wants what is forgotten asks again, and so puts it first."""
        waiting = [other.id for other in self._queue.values() if other.job == task.job]
        for task_id in waiting[: -task.most_waiting] if task.most_waiting else ():
            del self._queue[task_id]

    def _call_worker(self) -> None:
        if len(self._queue) > self._idle_threads and self._threads < self._workers:
            # Counted once it runs: where no thread can be started, the next who asks tries again.
            threading.Thread(target=self._work, name="explain-worker", daemon=True).start()
            self._threads += 1
        self._changed.notify()

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while job := self._next_job():
            if process and process.poll() is not None:
                self._end(process)
                process = None
            process = process or self._start_process()
            longest_s = self._longest_s * job.task.files
            self._finish(job, _outcome(process, job, longest_s, self._memory, self._keep))
        if process:
            self._end(process)
        self._leave()

    def _leave(self) -> None:
        """Counts a thread out once its process has gone; what was asked for meanwhile needs a new one."""
        with self._changed:
            self._threads -= 1
            if self._queue:
                self._call_worker()

    def _next_job(self) -> _Job | None:
        with self._changed:
            self._idle_threads += 1
            self._changed.wait_for(lambda: self._queue or self._closed, self._idle_s)
            self._idle_threads -= 1
            if self._closed or not self._queue:
                return None
            task_id, task = self._queue.popitem()
            self._working[task_id] = _Job(task)
            return self._working[task_id]

    def _finish(self, job: _Job, error: ErrorInfo | None) -> None:
        try:
            if error:
                self._keep(job.task, error)
        finally:
            with self._changed:
                del self._working[job.task.id]

    def _keep(self, task: Task, outcome: bytes | ErrorInfo, lasts: bool = True) -> None:
        if self._closed:
            return
        try:
            if isinstance(outcome, ErrorInfo):
                self._on_error(task, outcome)
            else:
                self._on_result(task, outcome, lasts)
        except Exception as error:
            _logger.error("Explain could not keep the answer on %s: %s", task.file, error)

    def _start_process(self) -> subprocess.Popen[bytes] | None:
        with self._changed:
            if self._closed:
                return None
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _BOOT],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                _logger.error("Explain could not start an analysis process: %s", error)
                return None
            self._processes = {p for p in self._processes if p.returncode is None} | {process}
        _send(process, sys.path)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Ends a process without work. To close its input would not do: helpers that another plugin forked
        hold that open as well, for as long as they live."""
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            _pipe(process.stdin).close()
        _pipe(process.stdout).close()
        with self._changed:
            self._processes.discard(process)


@contextlib.contextmanager
def _killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kills a process that is not done in time, and sets the event; it has ended when this is left.

    Raises:
        _NoThread: none could be started to watch the time.
    """
    killed = threading.Event()

    def kill() -> None:
        killed.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError as error:
        raise _NoThread from error
    try:
        yield killed
    finally:
        timer.cancel()
        # It may be killing just now: nobody must take the process for one that goes on.
        timer.join()
        if killed.is_set():
            process.wait()


def _outcome(
    process: subprocess.Popen[bytes] | None,
    job: _Job,
    longest_s: float,
    memory: Mapping[str, int | None],
    keep: Callable[[Task, bytes, bool], None],
) -> ErrorInfo | None:
    """What went wrong with a job; a fault of this program ends the job, not the thread that runs them.

    A process that did not do its job in order has ended.
    """
    if process is None:
        return _not_started(job.task)
    try:
        with _killed_after(process, longest_s) as killed:
            outcome = _run(process, job, memory, keep)
    except _NoThread:
        return _not_started(job.task)
    except Exception as error:
        process.kill()
        process.wait()
        return ErrorInfo("internal", f"{job.task.file}: a fault of this program, not of the file: {error!r}.")
    return _too_slow(job.task) if killed.is_set() and outcome else outcome


def _run(
    process: subprocess.Popen[bytes],
    job: _Job,
    memory: Mapping[str, int | None],
    keep: Callable[[Task, bytes, bool], None],
) -> ErrorInfo | None:
    """Has the process do one job, keeps its result, and follows its progress."""
    task = job.task
    message = {"job": task.job, "field": task.field, "arguments": task.arguments, "memory": memory}
    _send(process, message)
    while frame := worker_process.read_frame(_pipe(process.stdout)):
        kind, payload = frame
        if kind == worker_process.DONE:
            return None
        if kind == worker_process.ERROR:
            return msgspec.json.decode(payload, type=ErrorInfo)
        if kind in (worker_process.RESULT, worker_process.PASSING_RESULT):
            keep(task, payload, kind == worker_process.RESULT)
        else:
            progress = msgspec.json.decode(payload)
            job.phase, job.share = progress["phase"], progress["share"]
    return _death_of(process, task)


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    """One line; json keeps file names that are no UTF-8. A dead process shows when it is read from."""
    with contextlib.suppress(OSError):
        stream = _pipe(process.stdin)
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the process was started without a pipe")
    return stream


def _death_of(process: subprocess.Popen[bytes], task: Task) -> ErrorInfo:
    code = process.wait()
    if code == -getattr(signal, "SIGKILL", 9):
        advice = "Most often the memory ran out: free some, or record fewer steps, then ask again."
        return ErrorInfo(WORKER_DIED, f"The analysis of {task.file} was killed. {advice}")
    ending = f"signal {-code}" if code < 0 else f"exit status {code}"
    return ErrorInfo(WORKER_DIED, f"The analysis of {task.file} crashed ({ending}). Please report this.")


def _too_slow(task: Task) -> ErrorInfo:
    advice = _WAYS_OUT.get(task.job, _SMALLER_FILE)
    return ErrorInfo(TOO_SLOW, f"The analysis of {task.file} took too long and was ended. {advice}")


def _not_started(task: Task) -> ErrorInfo:
    message = f"No process or thread could be started to analyse {task.file}: free some memory and ask again."
    return ErrorInfo(WORKER_DIED, message)
