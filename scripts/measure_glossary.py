"""How much of real traces the glossary explains: of their time and of their distinct names.

    python scripts/measure_glossary.py DIRECTORY [--part written|held-out|all] [--list]

A third of the files, chosen by a seeded hash of their names, is held out: the entries were written
without looking at them. Explained is a name whose entry says more than its category does; of
kernels, the library and the operation at least. Time is the sum of the durations, nested events
each counted; the platform is that of the file.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.glossary import what_is
from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.reader import read_trace

SEED = "glossary 4"
PARTS = ("written", "held-out", "all")
# Execution graphs, not traces.
NO_TRACES = ("astrasim__eg.", "hta__execution_trace_benchmark_simple_add_et.")
_LONGEST_SHOWN = 150


def trace_files(directory: Path) -> list[Path]:
    """The traces below a directory, in the order of their names."""
    found = (p for p in directory.rglob("*.json*") if p.suffix in (".json", ".gz"))
    return sorted(p for p in found if not p.name.startswith(NO_TRACES))


def held_out(files: Sequence[Path]) -> set[Path]:
    """The third of the files whose seeded hashes are lowest."""

    def key(path: Path) -> str:
        return hashlib.sha256(f"{SEED}:{path.name}".encode()).hexdigest()

    return set(sorted(files, key=key)[: len(files) // 3])


def files_of(directory: Path, part: str) -> list[Path]:
    files = trace_files(directory)
    out = held_out(files)
    return [p for p in files if part == "all" or (p in out) == (part == "held-out")]


@dataclass(frozen=True)
class Names:
    """The distinct names of one file, each with its category and its time in nanoseconds."""

    platform: str
    rows: Sequence[tuple[str, Category, int]]


def names_of(trace: Trace) -> Names:
    keys = trace.events.name.astype(np.int64) * 256 + trace.events.category
    distinct, inverse = np.unique(keys, return_inverse=True)
    times = np.bincount(inverse, np.maximum(trace.events.duration_ns, 0), len(distinct))
    rows = [
        (trace.names[int(key) >> 8], Category(int(key) & 255), int(time))
        for key, time in zip(distinct, times, strict=True)
    ]
    return Names(platform_of(trace, {category for _, category, _ in rows}), rows)


def platform_of(trace: Trace, categories: Iterable[Category]) -> str:
    """MTIA, ROCm, CUDA, other or CPU, by the names of the calls and what was recorded."""
    if any("MTIA" in name or name.startswith("enqueueCommand") for name in trace.names):
        return "MTIA"
    if any(name.startswith(("hip", "Cijk_")) for name in trace.names) or "hip_runtime_version" in (
        trace.meta.versions
    ):
        return "ROCm"
    accelerated = {Category.KERNEL, Category.MEMCPY, Category.RUNTIME, Category.DRIVER}
    if accelerated.intersection(categories) or any(n.startswith("cuda") for n in trace.names):
        return "CUDA"
    return "CPU"


@dataclass
class Tally:
    """What is explained: nanoseconds, and names as sets of (name, category)."""

    time_ns: int = 0
    explained_ns: int = 0
    names: set[tuple[str, Category]] = field(default_factory=set)
    unexplained: dict[tuple[str, Category], int] = field(default_factory=lambda: defaultdict(int))

    def add(self, name: str, category: Category, time_ns: int) -> None:
        self.time_ns += time_ns
        self.names.add((name, category))
        if what_is(name, category).telling:
            self.explained_ns += time_ns
        else:
            self.unexplained[name, category] += time_ns

    @property
    def share_of_time(self) -> float:
        return self.explained_ns / self.time_ns if self.time_ns else 1.0

    @property
    def share_of_names(self) -> float:
        return 1 - len(self.unexplained) / len(self.names) if self.names else 1.0


def read_all(files: Iterable[Path]) -> Iterator[Names]:
    for path in files:
        try:
            yield names_of(read_trace(path))
        except TraceError as error:
            print(f"left out: {error.message}", file=sys.stderr)


def tally(files: Iterable[Names]) -> dict[str, Tally]:
    """A tally of all, one per platform, and one per category (``category kernel``)."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for names in files:
        for name, category, time_ns in names.rows:
            for key in ("all", names.platform, f"category {category.name.lower()}"):
                tallies[key].add(name, category, time_ns)
    return tallies


def is_public(name: str, category: Category) -> bool:
    """Whether a name is an identifier of public code: no path or address of a user, no name of theirs."""
    if category in (Category.ANNOTATION, Category.GPU_ANNOTATION, Category.OTHER):
        return False
    entry = what_is(name, category).entry
    return not (name.startswith("/") or " at 0x" in name or entry in ("python.frame", "python.module-other"))


def draw(files: Iterable[Path], count: int, python: bool) -> list[tuple[str, Category]]:
    """Random public names of all files, of Python or of all else; the same for the same seed."""
    names = {(name, category) for names in read_all(files) for name, category, _ in names.rows}
    of_kind = sorted((n, c) for n, c in names if (c == Category.PYTHON) == python and is_public(n, c))
    return random.Random(SEED).sample(of_kind, count)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--list", action="store_true", help="list what is not explained")
    args = parser.parse_args()
    tallies = tally(read_all(files_of(args.directory, args.part)))
    for key in sorted(tallies, key=lambda k: (k != "all", " " in k, k)):
        one = tallies[key]
        shares = f"time {one.share_of_time:7.2%}   names {one.share_of_names:7.2%}"
        print(f"{key:24} {shares} of {len(one.names)}")
    if args.list:
        rows = sorted(tallies["all"].unexplained.items(), key=lambda item: -item[1])
        for (name, category), time_ns in rows:
            print(f"{time_ns / 1e3:14.1f} µs  {category.name.lower():14} {name[:_LONGEST_SHOWN]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
