"""Coverage and speed on real traces."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts import measure_glossary
from scripts.measure_glossary import Names, Tally
from tb_plugin_explain.glossary import what_is

# The budgets are 20 µs and 50 ms; machines that run the tests share their processors with others.
SLACK = 4
LOOKUP_S = 20e-6
LOAD_S = 50e-3


# Larger files would take most of the time of all tests; scripts/measure_glossary.py reads them all.
LARGEST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def names(shared_traces: Path) -> list[Names]:
    files = measure_glossary.trace_files(shared_traces)
    chosen = [file for file in files if file.stat().st_size <= LARGEST_BYTES or "mtia" in file.name]
    return list(measure_glossary.read_all(chosen))


@pytest.fixture(scope="module")
def tallies(names: list[Names]) -> Mapping[str, Tally]:
    return measure_glossary.tally(names)


def test_a_third_of_the_files_is_held_out(shared_traces: Path) -> None:
    files = measure_glossary.trace_files(shared_traces)
    out = measure_glossary.held_out(files)
    assert len(files) == 56
    assert len(out) == 18
    assert set(measure_glossary.files_of(shared_traces, "written")) == set(files) - out


def test_almost_all_of_the_time_and_of_the_names_is_explained(tallies: Mapping[str, Tally]) -> None:
    assert tallies["all"].share_of_time >= 0.99
    assert tallies["all"].share_of_names >= 0.97


@pytest.mark.parametrize("platform", ["CUDA", "ROCm", "CPU", "MTIA"])
def test_on_every_platform(tallies: Mapping[str, Tally], platform: str) -> None:
    assert tallies[platform].share_of_time >= 0.95
    assert tallies[platform].share_of_names >= 0.95


def test_what_is_not_explained_is_a_short_list(tallies: Mapping[str, Tally]) -> None:
    assert len(tallies["all"].unexplained) <= 40


def test_every_name_gets_whole_sentences(names: list[Names]) -> None:
    for name, category in {(name, category) for file in names for name, category, _ in file.rows}:
        explanation = what_is(name, category)
        assert explanation.human
        assert explanation.what.endswith(".")
        assert explanation.problem.endswith(".")
        assert not explanation.why or explanation.why.endswith(".")


def test_loading_and_looking_up_are_fast(names: list[Names]) -> None:
    """On average over a trace's distinct names, in a process that has looked up nothing before."""
    by_count = sorted(names, key=lambda file: len(file.rows))
    for file in (by_count[len(by_count) // 2], by_count[-1]):
        assert len(file.rows) > 100
        runs = [_seconds(file) for _ in range(3)]
        loading, lookup = min(r[0] for r in runs), min(r[1] for r in runs)
        assert loading < LOAD_S * SLACK, f"{loading * 1e3:.0f} ms"
        assert lookup < LOOKUP_S * SLACK, f"{lookup * 1e6:.1f} µs"


def _seconds(file: Names) -> list[float]:
    """Processor time of loading, and of one lookup, in a fresh process."""
    pairs = [(name, category.name) for name, category, _ in file.rows]
    command = [sys.executable, "-c", _FRESH_PROCESS]
    done = subprocess.run(command, input=json.dumps(pairs), capture_output=True, text=True, check=True)
    seconds: list[float] = json.loads(done.stdout)
    return seconds


_FRESH_PROCESS = """
import json, sys, time
from tb_plugin_explain.glossary import glossary, what_is
pairs = json.load(sys.stdin)
begin = time.process_time()
glossary()
loaded = time.process_time()
for name, category in pairs:
    what_is(name, category)
print(json.dumps([loaded - begin, (time.process_time() - loaded) / len(pairs)]))
"""


def test_the_glossary_is_imported_without_numpy() -> None:
    command = "import sys, tb_plugin_explain.glossary; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0
