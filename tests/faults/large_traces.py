"""Traces of many events, written without holding them."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_STEP_US = 1000
_IN_STEP = 200


def _step(number: int) -> bytes:
    start = number * _STEP_US
    events = [
        f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","pid":1,"tid":1,'
        f'"ts":{start},"dur":{_STEP_US - 1}}}'
    ]
    for i in range(_IN_STEP):
        at, link = start + 4 * i, number * _IN_STEP + i + 1
        events += (
            f'{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{at},"dur":3}}',
            f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{at},"dur":2,'
            f'"args":{{"correlation":{link}}}}}',
            f'{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{at + 300},"dur":3,'
            f'"args":{{"correlation":{link},"device":0,"stream":7}}}}',
            f'{{"ph":"s","id":{link},"pid":1,"tid":1,"ts":{at},"cat":"ac2g","name":"ac2g"}}',
            f'{{"ph":"f","id":{link},"pid":0,"tid":7,"ts":{at + 300},"cat":"ac2g","name":"ac2g","bp":"e"}}',
        )
    return ",\n".join(events).encode()


def write_steps(path: Path, steps: int) -> Path:
    """A trace of so many steps of 1,001 entries, 601 of them events; gzipped where its name says so."""
    with gzip.open(path, "wb", 1) if path.suffix == ".gz" else open(path, "wb") as file:
        file.write(b'{"deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [\n')
        for number in range(steps):
            file.write((b",\n" if number else b"") + _step(number))
        file.write(b"\n]}")
    return path


def peak_bytes() -> int:
    """The most memory that this process had, since it began as this program."""
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak) * 1024


_COMMAND = """
import sys
from tb_plugin_explain import cli
from tb_plugin_explain.trace import memory
from tests.faults.large_traces import peak_bytes
# Users are told that less makes no sense; tests need not read so much then.
memory.LEAST_LIMIT_BYTES = 0
status = cli.main(sys.argv[1:])
print("peak", peak_bytes(), file=sys.stderr)
sys.exit(status)
"""


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    lines: list[str]
    peak_bytes: int


def tb_explain(*arguments: object) -> Ended:
    """The command in a process of its own: limits of memory stay with it."""
    ended = run_python(_COMMAND, *arguments)
    *lines, peak = ended.stderr.splitlines()
    return Ended(ended.returncode, ended.stdout, lines, int(peak.removeprefix("peak ")))


def run_python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own, which finds the package and the tests."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
