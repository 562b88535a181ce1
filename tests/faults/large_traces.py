"""Traces of many events, written without holding them."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_STEP_US = 1000
_IN_STEP = 200


def _step_mark(number: int) -> str:
    return (
        f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number}","pid":1,"tid":1,'
        f'"ts":{number * _STEP_US},"dur":{_STEP_US - 1}}}'
    )


def _arrow(link: int, at: int) -> tuple[str, str]:
    """From a launch to its kernel."""
    return (
        f'{{"ph":"s","id":{link},"pid":1,"tid":1,"ts":{at},"cat":"ac2g","name":"ac2g"}}',
        f'{{"ph":"f","id":{link},"pid":0,"tid":7,"ts":{at + 300},"cat":"ac2g","name":"ac2g","bp":"e"}}',
    )


def _step(number: int) -> bytes:
    start = number * _STEP_US
    events = [_step_mark(number)]
    for i in range(_IN_STEP):
        at, link = start + 4 * i, number * _IN_STEP + i + 1
        events += (
            f'{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{at},"dur":3}}',
            f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{at},"dur":2,'
            f'"args":{{"correlation":{link}}}}}',
            f'{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{at + 300},"dur":3,'
            f'"args":{{"correlation":{link},"device":0,"stream":7}}}}',
            *_arrow(link, at),
        )
    return ",\n".join(events).encode()


_OPERATORS = ("linear", "t", "transpose", "as_strided", "addmm")
_KERNEL = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)"
)
_INPUTS = '"Input type":["float","float"],"Input Dims":[[32,1024],[1024,1024]],"Concrete Inputs":["",""]'
_GRID = '"registers per thread":48,"blocks per SM":0.5,"warps per SM":4,"grid":[64,1,1],"block":[256,1,1]'


def _operator(name: str, at: int, depth: int, index: int) -> str:
    return (
        f'{{"ph":"X","cat":"cpu_op","name":"aten::{name}","pid":1,"tid":1,"ts":{at}.{depth},'
        f'"dur":{3.5 - depth / 8},'
        f'"args":{{"External id":{index},"Record function id":0,{_INPUTS},"Ev Idx":{index}}}}}'
    )


def _recorded_step(number: int) -> bytes:
    """The same with all that the profiler writes, and with as much on the CPU a kernel."""
    start, on_cpu = number * _STEP_US, '"pid":1,"tid":1'
    events = [_step_mark(number)]
    for i in range(_IN_STEP):
        at, link = start + 4 * i, number * _IN_STEP + i + 1
        events += (_operator(name, at, j, 5 * link + j) for j, name in enumerate(_OPERATORS))
        events += (
            f'{{"ph":"X","cat":"cuda_runtime","name":"cudaStreamIsCapturing",{on_cpu},"ts":{at}.5,"dur":0.2,'
            f'"args":{{"External id":{5 * link + 4},"cbid":317,"correlation":{2 * link + 1}}}}}',
            f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel",{on_cpu},"ts":{at}.8,"dur":1.25,'
            f'"args":{{"External id":{5 * link + 4},"cbid":211,"correlation":{2 * link}}}}}',
            f'{{"ph":"X","cat":"kernel","name":"{_KERNEL}","pid":0,"tid":7,"ts":{at + 300}.5,"dur":3.125,'
            f'"args":{{"External id":{5 * link + 4},"queued":0,"device":0,"context":1,"stream":7,'
            f'"correlation":{2 * link},"shared memory":16384,{_GRID},"est. achieved occupancy %":25}}}}',
            *_arrow(link, at),
        )
    return ",\n".join(events).encode()


def write_steps(path: Path, steps: int, step: Callable[[int], bytes] = _step) -> Path:
    """A trace of so many steps of 1,001 entries, 601 of them events; gzipped where its name says so."""
    with gzip.open(path, "wb", 1) if path.suffix == ".gz" else open(path, "wb") as file:
        file.write(b'{"deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [\n')
        for number in range(steps):
            file.write((b",\n" if number else b"") + step(number))
        file.write(b"\n]}")
    return path


def write_recorded_steps(path: Path, steps: int) -> Path:
    """A trace with as many bytes an event as real ones have: steps of 1,601 events, 200 of them kernels."""
    return write_steps(path, steps, _recorded_step)


def peak_bytes() -> int:
    """The most memory that this process had, since it began as this program."""
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(peak) * 1024


_COMMAND = """
import sys
from tb_plugin_explain.__main__ import program
from tb_plugin_explain.trace import memory
from tests.faults.large_traces import peak_bytes
# Users are told that less makes no sense; tests need not read so much then.
memory.LEAST_LIMIT_BYTES = memory.BYTES_OF_ANY = 0
status = program()
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


_TAB_JOB = """
import re, sys, time
from pathlib import Path
from threading import Thread
from tb_plugin_explain.process import prepare_process
prepare_process()
from tb_plugin_explain.plugin.jobs import explain_file
from tb_plugin_explain.plugin.worker_process import ready_answer
from tests.faults.large_traces import peak_bytes

def data_bytes():
    return int(re.findall(r"VmData:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[0]) * 1024

def watch():
    global most
    while True:
        most = max(most, data_bytes())
        time.sleep(0.002)

most = 0
Thread(target=watch, daemon=True).start()
before = data_bytes()
finished = explain_file(sys.argv[1], None, None, None, lambda *_: None, sys.argv[2])
ready_answer("report", finished.result)
finished.then()
print(peak_bytes(), most - before)
"""


@dataclass(frozen=True)
class Explained:
    """The most memory that a process had, and what it took of what a limit counts."""

    peak_bytes: int
    needed_bytes: int


def explain_in_tab(trace: Path, scratch: Path) -> Explained:
    """The report and the timeline of a trace, as a process of the tab makes them."""
    ended = run_python(_TAB_JOB, trace, scratch / "cache" / "timelines" / "store")
    assert ended.returncode == 0, ended.stderr
    return Explained(*map(int, ended.stdout.split()))


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
