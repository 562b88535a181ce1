"""``tb-explain demo`` and ``make demo``: TensorBoard on this machine, with runs to look at.

TensorBoard is a process of its own here, so that an end of ours, by Ctrl-C or SIGTERM, ends it
the way it ends itself, and a failure of it is told in one line.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

from tb_plugin_explain.errors import UsageError

HOST = "127.0.0.1"
DEFAULT_PORT = 6006
DEFAULT_DIRECTORY = Path("tb-explain-demo")
PORTS_TRIED = 100
ANSWER_TIMEOUT_S = 60.0
# The stock tab finishes the file that it is reading before it lets TensorBoard end.
END_TIMEOUT_S = 30.0
SAMPLES = Path(__file__).parent / "samples"


def run_demo(directory: Path | None = None, port: int | None = None) -> int:
    """Writes the sample runs into ``directory`` and shows them until Ctrl-C or SIGTERM.

    ``directory``: ``./tb-explain-demo`` where None; runs of other names in it stay and are shown too.
    ``port``: the first one tried, 6006 where None; a taken one gives way to the next free one.
    Returns the exit status. Raises UsageError for a directory that cannot be written, for no
    free port, and for a TensorBoard that does not start.
    """
    logdir = write_samples(directory or DEFAULT_DIRECTORY)
    print(f"Sample runs are in {logdir}. Delete the directory when you are done.", flush=True)
    return serve(logdir, port)


def write_samples(directory: Path) -> Path:
    """Copies the sample runs into ``directory``, made where missing; returns it.

    The tab opens on the newest file: ages are set so that this is the last run by name, everywhere.
    """
    newest_s = time.time()
    try:
        for age_s, sample in enumerate(sorted(SAMPLES.glob("*/*"), reverse=True)):
            written = directory / sample.relative_to(SAMPLES)
            written.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(sample, written)
            os.utime(written, (newest_s - age_s, newest_s - age_s))
    except OSError as error:
        raise UsageError(
            f"The sample runs cannot be written into {directory}: {error.strerror}. "
            "Name a new or empty directory."
        ) from error
    return directory


def serve(logdir: Path, port: int | None = None) -> int:
    """Runs TensorBoard on ``logdir`` until it ends, Ctrl-C or SIGTERM; returns the exit status."""
    if not logdir.is_dir():
        raise UsageError(f"There is no directory {logdir}: name the log directory of your runs.")
    wanted = DEFAULT_PORT if port is None else port
    free = next_free_port(wanted)
    if free != wanted:
        print(f"Port {wanted} is not free, taking {free}.", flush=True)
    with ending_on_signals(), tempfile.NamedTemporaryFile(prefix="tensorboard-", suffix=".log") as log:
        try:
            with running(tensorboard_command(logdir, free), log) as tensorboard:
                print(f"Starting TensorBoard on {logdir}; its log, until it ends: {log.name}", flush=True)
                wait_until_it_answers(tensorboard, free)
                print(f"\nExplain for TensorBoard: {address(free)}#explain\nCtrl-C ends it.", flush=True)
                tensorboard.wait()
                raise UsageError("TensorBoard ended by itself")
        except KeyboardInterrupt:
            return 0
        except UsageError as error:
            raise UsageError(f"{error}: {last_line(Path(log.name))}") from None


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")


def tensorboard_command(logdir: Path, port: int) -> list[str]:
    """TensorBoard as this Python has it, answering on this machine only."""
    tensorboard = [sys.executable, "-m", "tensorboard.main"]
    return [*tensorboard, "--logdir", str(logdir), "--host", HOST, "--port", str(port)]


def address(port: int) -> str:
    return f"http://{HOST}:{port}/"


def next_free_port(first: int) -> int:
    """The first port from ``first`` on that nobody listens on at 127.0.0.1."""
    if not 0 < first < 65536:
        raise UsageError(f"{first} is no port: take one from 1 to 65535.")
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        if is_free(port):
            return port
    raise UsageError(f"No free port from {first} on: name another one with --port.")


def is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":
            # Connections that just ended would count as taken; TensorBoard sets this too.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """SIGTERM and a closed terminal do what Ctrl-C does, which works for a script's background job too."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), interrupt) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


@contextmanager
def running(command: list[str], output: IO[bytes] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """The command as a process, ended when the block ends; writes to ``output``, or where we write.

    It stands in a session of its own: a terminal's Ctrl-C reaches us alone, and we end it once.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """Asks the process to end, and ends it with all its children where it does not, or at a second Ctrl-C."""
    process.terminate()
    try:
        process.wait(END_TIMEOUT_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until_it_answers(tensorboard: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + ANSWER_TIMEOUT_S
    while time.monotonic() < deadline:
        if tensorboard.poll() is not None:
            raise UsageError(f"TensorBoard ended with status {tensorboard.returncode} before it answered")
        if answers(port):
            return
        time.sleep(0.1)
    raise UsageError(f"TensorBoard did not answer on port {port} within {ANSWER_TIMEOUT_S:.0f} s")


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main() -> int:
    """``python -m tb_plugin_explain.demo [LOGDIR] [--port N]``: shows runs, the samples by default."""
    parser = argparse.ArgumentParser(description="Show a log directory in TensorBoard on this machine.")
    parser.add_argument("logdir", nargs="?", type=Path, help="the sample runs by default")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the first port tried")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="tb-explain-demo-") as scratch:
            return serve(arguments.logdir or write_samples(Path(scratch)), arguments.port)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
