"""The peers and us on the same files, interleaved, as whole processes; writes benchmarks/results.md.

    make bench SOURCE=trace.json.gz SCALE=scale_trace.py

Peers live in environments of their own, which the Makefile makes. SOURCE is a real trace; a script that
repeats one makes the large files of it (SCALE). Each command runs once in each round, in turn, so that what
else the machine does meets all alike; told are medians, and ratios of medians.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.commands import Cost, Failed, median_of, run_measured
from benchmarks.tables import (
    commands_table,
    limits_table,
    machine_lines,
    phases_table,
    serving_table,
)

# Raw megabytes of the files, and whether the peers run on them: at 2 GB they take minutes and over 10 GB.
SIZES_MB = {100: True, 500: True, 2000: False}
ROUNDS = 3
OURS = "ours"
LIMITS = ("json", "inflate", "boundaries", "columns")


@dataclass(frozen=True)
class Tools:
    """Our command, and the interpreters of the peers."""

    ours: str
    stock: str
    hta: str

    def commands(self, trace: Path, with_peers: bool) -> dict[str, list[str]]:
        found = {OURS: [self.ours, "report", str(trace), "--format", "json"]}
        if with_peers:
            found["torch-tb-profiler 0.4.3"] = [self.stock, str(HERE / "peers" / "stock_tab.py"), str(trace)]
            found["HTA 0.5.0"] = [self.hta, str(HERE / "peers" / "hta_analyses.py"), str(trace)]
        return found


Measured = Mapping[str, Cost | str]


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int) -> Measured:
    """The median cost of each command; why there is none where it failed."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    failed: dict[str, str] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            if name in failed:
                continue
            try:
                costs[name].append(run_measured(command))
            except Failed as error:
                failed[name] = str(error).splitlines()[-1] if str(error) else "no message"
    return {name: failed[name] if name in failed else median_of(costs[name]) for name in commands}


def make_trace(scale: Path, source: Path, directory: Path, size_mb: int) -> Path:
    """A file of about this many raw megabytes; one that stands there already is taken."""
    path = directory / f"{source.name.split('.')[0]}_{size_mb}.json.gz"
    if not path.exists():
        part = path.with_name(f"part-{path.name}")
        command = [sys.executable, str(scale), str(source), str(part), "--target-mb", str(size_mb)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        part.rename(path)
    return path


def limits(trace: Path) -> Measured:
    script = str(HERE / "limits.py")
    return interleaved({way: [sys.executable, script, way, str(trace)] for way in LIMITS}, ROUNDS)


def json_of(script: str, trace: Path) -> dict[str, object]:
    said = subprocess.run(
        [sys.executable, str(HERE / script), str(trace)], check=True, capture_output=True, text=True
    )
    decoded: dict[str, object] = json.loads(said.stdout)
    return decoded


def growth_exponent(costs: Mapping[int, Cost], raw_mb: Mapping[int, float]) -> float:
    """Of CPU time by size, from the smallest to the largest file: 1 is linear."""
    low, high = min(costs), max(costs)
    return math.log(costs[high].cpu_s / costs[low].cpu_s) / math.log(raw_mb[high] / raw_mb[low])


def raw_megabytes(trace: Path) -> float:
    from benchmarks.limits import chunks

    return sum(len(chunk) for chunk in chunks(str(trace))) / 1e6


def run(tools: Tools, scale: Path, source: Path, directory: Path) -> Iterator[str]:
    """The parts of the results, as they come: the whole takes a quarter of an hour."""
    traces = {size: make_trace(scale, source, directory, size) for size in SIZES_MB}
    raw_mb = {size: raw_megabytes(trace) for size, trace in traces.items()}
    yield machine_lines(platform.processor() or platform.machine(), source.name, tools.ours)
    ours: dict[int, Cost] = {}
    for size, with_peers in SIZES_MB.items():
        found = interleaved(tools.commands(traces[size], with_peers), ROUNDS if with_peers else 1)
        yield commands_table(size, raw_mb[size], found, OURS)
        if isinstance(cost := found[OURS], Cost):
            ours[size] = cost
    if len(ours) > 1:
        yield f"CPU time grows with size to the power of {growth_exponent(ours, raw_mb):.2f}."
    yield limits_table(raw_mb[100], limits(traces[100]))
    yield phases_table({size: json_of("phases.py", traces[size]) for size in SIZES_MB})
    yield serving_table(json_of("serving.py", traces[500]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="a real trace, the larger files are made of it")
    parser.add_argument("--scale", type=Path, required=True, help="the script that makes large traces")
    parser.add_argument("--ours", required=True, help="our command as users install it")
    parser.add_argument("--stock", required=True, help="Python with torch-tb-profiler")
    parser.add_argument("--hta", required=True, help="Python with HolisticTraceAnalysis")
    parser.add_argument("--directory", type=Path, required=True, help="where the large traces are kept")
    parser.add_argument("--output", type=Path, default=HERE / "results.md")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    tools = Tools(given.ours, given.stock, given.hta)
    with given.output.open("w", encoding="utf-8") as results:
        for number, part in enumerate(run(tools, given.scale, given.source, given.directory)):
            print("\n" * (number > 0) + part, file=results, flush=True)


if __name__ == "__main__":
    main()
