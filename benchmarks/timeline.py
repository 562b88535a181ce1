"""Measures the timeline of one trace: writing the store, opening it, windows at all zooms.

    python benchmarks/timeline.py TRACE [--store DIR]

TRACE is read and analysed first, which takes a minute for a file of 2 GB; ``--store`` names a directory
that keeps the store, and is used as it is where one stands there already. Prints the tables of
benchmarks/timeline.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tb_plugin_explain.process import prepare_process

prepare_process()

from tb_plugin_explain.report import explain_run
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.basis import basis_of
from tb_plugin_explain.timeline.build import build_timeline
from tb_plugin_explain.timeline.event import describe
from tb_plugin_explain.timeline.search import search
from tb_plugin_explain.timeline.store import Store, open_store, write_store
from tb_plugin_explain.timeline.window import Window, render
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.wire import to_json

PIXELS = 1400
REPEATS = 40
# Shares of the trace that a window shows: from all of it down to some µs.
ZOOMS = tuple(4**n for n in range(11))


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints how long a part took, on the clock and of the CPU, and the peak of the process's memory."""
    clock, cpu = time.perf_counter(), time.process_time()
    yield
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
    print(f"| {what} | {clock:.2f} | {cpu:.2f} | {peak_mb:,.0f} |", flush=True)


def write(trace: str, directory: Path) -> None:
    """Analyses a trace and writes its store."""
    print("| part | s | CPU s | peak MB of the process |\n|---|---:|---:|---:|")
    with timed("reading"):
        run = RunAnalyses(read_trace(trace))
    with timed("report"):
        report = explain_run(run)
    with timed("timeline"):
        basis = basis_of(run)
        # As a process of the tab does.
        del run
        gc.collect()
        built = build_timeline(basis, report.findings)
    with timed("writing the store"):
        write_store(directory, to_json(built.timeline), built.columns)


def percentiles(times_ms: list[float]) -> str:
    cuts = statistics.quantiles(times_ms, n=20)
    return f"{cuts[9]:.1f} | {cuts[18]:.1f}"


def measure(calls: list[Callable[[], bytes]]) -> str:
    """p50 and p95 of CPU and clock in ms, and the largest answer in kB."""
    cpu_ms, clock_ms, sizes = [], [], []
    for call in calls:
        clock, cpu = time.perf_counter(), time.process_time()
        sizes.append(len(call()))
        cpu_ms.append((time.process_time() - cpu) * 1e3)
        clock_ms.append((time.perf_counter() - clock) * 1e3)
    return f"{percentiles(cpu_ms)} | {percentiles(clock_ms)} | {max(sizes) / 1e3:.0f}"


def windows(store: Store, zoom: int, chance: random.Random) -> list[Callable[[], bytes]]:
    """Windows of one zoom at any place."""
    begin, end = int(store.timeline.start_us * 1000), int(store.timeline.end_us * 1000)
    length = max((end - begin) // zoom, PIXELS)
    starts = [begin + int((end - begin - length) * chance.random()) for _ in range(REPEATS)]
    return [lambda at=at: render(store, Window(at, at + length, PIXELS)) for at in starts]  # type: ignore[misc]


def report(store: Store) -> None:
    """Prints what answers cost."""
    chance = random.Random(1)
    span_us = store.timeline.end_us - store.timeline.start_us
    print("\n| window | CPU p50 ms | p95 | clock p50 ms | p95 | largest kB |\n|---|---:|---:|---:|---:|---:|")
    for zoom in ZOOMS:
        length_us = max(span_us / zoom, PIXELS / 1000)
        print(f"| {length_us:,.0f} µs | {measure(windows(store, zoom, chance))} |")
    ordinals = chance.sample(range(len(store.columns["ordinal"])), REPEATS)
    events = [int(store.columns["ordinal"][i]) for i in ordinals]
    others: dict[str, list[Callable[[], bytes]]] = {
        "event": [lambda e=e: repr(describe(store, e)).encode() for e in events],  # type: ignore[misc]
        "search": [lambda: repr(search(store, "kernel", 50, 0)).encode()] * REPEATS,
    }
    for what, calls in others.items():
        print(f"| {what} | {measure(calls)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace")
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = arguments.store or Path(scratch) / "store"
        if not directory.exists():
            write(arguments.trace, directory)
        clock = time.perf_counter()
        store = open_store(directory)
        opened_ms = (time.perf_counter() - clock) * 1e3
        size_mb = sum(file.stat().st_size for file in directory.iterdir()) / 1e6
        levels = sum(len(level.start_ns) for level in store.events.levels)
        print(f"\n{store.timeline.events:,} events, {levels:,} merged rectangles, {len(store.events)} rows")
        print(f"store: {size_mb:.0f} MB in {len(os.listdir(directory))} files, opened in {opened_ms:.0f} ms")
        report(store)


if __name__ == "__main__":
    main()
