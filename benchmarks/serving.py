"""How fast TensorBoard answers while a trace is analysed, and how fast a cached report opens again.

python benchmarks/serving.py TRACE           # JSON: milliseconds
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.plugin.real_tensorboard import Server, tensorboard

# What TensorBoard's own page asks for, and what ours does.
ROUTES = ("data/environment", "data/plugins_listing", "data/plugin/explain/runs")
QUIET_ROUNDS = 200
_PAUSE_S = 0.01
_LONGEST_S = 600.0


def answer_times_ms(server: Server, goes_on: Callable[[int], bool]) -> list[float]:
    """Of rounds through the routes, while goes_on says so of their number."""
    times_ms: list[float] = []
    rounds = 0
    while goes_on(rounds):
        times_ms += [server.get(route).seconds * 1e3 for route in ROUTES]
        rounds += 1
        time.sleep(_PAUSE_S)
    return times_ms


def is_ready(server: Server, file: str) -> bool:
    answer = server.plugin(f"report?file={file}").json
    if answer["state"] == "error":
        raise SystemExit(answer["error"]["message"])
    return bool(answer["state"] == "ready")


def percentiles(times_ms: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times_ms, n=100)
    return {"p50_ms": cuts[49], "p99_ms": cuts[98], "answers": len(times_ms)}


def only_file(server: Server) -> str:
    (file,) = server.files().values()
    return file


def while_analysing(scratch: Path, logdir: Path) -> dict[str, dict[str, float]]:
    """Answers of a TensorBoard that rests, and of one that analyses the only file of its log directory."""
    with tensorboard(scratch, "--logdir", str(logdir)) as server:
        file = only_file(server)
        quiet = answer_times_ms(server, lambda rounds: rounds < QUIET_ROUNDS)
        end = time.monotonic() + _LONGEST_S
        busy = answer_times_ms(server, lambda _: not is_ready(server, file) and time.monotonic() < end)
        # The report is stored before the timeline is; the next TensorBoard is to find both.
        while server.plugin(f"timeline?file={file}").json["state"] != "ready":
            time.sleep(_PAUSE_S)
    return {"at rest": percentiles(quiet), "during an analysis": percentiles(busy)}


def open_again_ms(scratch: Path, logdir: Path) -> float:
    """From the request to the whole answer, the first time that a new TensorBoard is asked."""
    with tensorboard(scratch, "--logdir", str(logdir)) as server:
        file = only_file(server)
        answer = server.plugin(f"report?file={file}")
        if answer.json["state"] != "ready":
            raise SystemExit("The report was not in the cache.")
        return answer.seconds * 1e3


def measure(trace: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as scratch:
        logdir = Path(scratch) / "runs"
        logdir.mkdir()
        (logdir / "worker0.1.pt.trace.json.gz").symlink_to(trace.resolve())
        answers = while_analysing(Path(scratch), logdir)
        again = [open_again_ms(Path(scratch), logdir) for _ in range(3)]
    return {"answers": answers, "open_again_ms": statistics.median(again)}


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1])), sys.stdout)
