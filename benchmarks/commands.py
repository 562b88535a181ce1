"""What a whole process costs: its CPU time, its time on the clock, the peak of its memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


# As installed: modules are compiled once, not by every process.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Failed(RuntimeError):
    """A command ended with another status than 0; the text is the end of what it wrote."""


@dataclass(frozen=True)
class Cost:
    """Of one process and of all that it waited for; the peak is that of the largest of them."""

    cpu_s: float
    wall_s: float
    peak_mib: float


def run_measured(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Runs a command to its end. Raises Failed where it does not end well."""
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env={**_ENVIRONMENT, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise Failed(said.read().decode(errors="replace")[-400:].strip())
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss / 1024)


def median_of(costs: Sequence[Cost]) -> Cost:
    """The median of each figure by itself."""
    return Cost(
        statistics.median(cost.cpu_s for cost in costs),
        statistics.median(cost.wall_s for cost in costs),
        statistics.median(cost.peak_mib for cost in costs),
    )
