"""The sample runs are what their README says, and name no machine."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.trace.reader import read_trace
from tests import recordings

REPOSITORY = Path(__file__).resolve().parent.parent
RECORDED = {"mlp_eager", "mlp_compiled", "mlp_memory_stacks"}
WRITTEN = {"tutorial_64_cold", "tutorial_4096_eager", "tutorial_4096_compiled"}
COMPARED = recordings.NAMES
MAX_BYTES, MAX_COMPARED_BYTES = 400_000, 200_000
# As many as the interval of a comparison is drawn from.
MIN_SETTLED = 5


def text_of(run: Path) -> str:
    (file,) = run.iterdir()
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode()


def events_of(run: Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(text_of(run))["traceEvents"]
    return events


def categories(run: Path) -> set[str]:
    return {event.get("cat", "") for event in events_of(run)}


def profiler_steps(run: Path) -> list[str]:
    return sorted(
        event["name"]
        for event in events_of(run)
        if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#")
    )


def test_each_run_is_one_small_file_named_as_the_handler_names_it(samples: Path) -> None:
    assert {path.name for path in samples.iterdir() if path.is_dir()} == RECORDED | WRITTEN
    for run in RECORDED | WRITTEN:
        (file,) = (samples / run).iterdir()
        assert re.fullmatch(r"worker0\.\d+\.pt\.trace\.json(\.gz)?", file.name)
        assert file.stat().st_size < MAX_BYTES


def test_the_readme_names_every_run(samples: Path) -> None:
    readme = (samples / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)`", readme, re.MULTILINE)) == RECORDED | WRITTEN


@pytest.mark.parametrize("run", [*sorted(RECORDED | WRITTEN), *COMPARED])
def test_no_directory_or_host_of_a_machine_is_named(samples: Path, run: str) -> None:
    text = text_of((recordings.COMPARED if run in COMPARED else samples) / run)
    assert not re.findall(r'"(?:/|[A-Za-z]:\\)(?:home|root|tmp|usr|opt|var|work|Users)\b[^"]*"', text)
    assert set(re.findall(r'"host_name": "([^"]*)"', text)) <= {"host"}


@pytest.mark.parametrize("run", COMPARED)
def test_runs_to_compare_are_small_and_settled(run: str) -> None:
    assert recordings.file_of(run).stat().st_size < MAX_COMPARED_BYTES
    settled = RunAnalyses(recordings.recording(run)).settled
    assert sum(step.settled is True for step in settled) >= MIN_SETTLED


def test_the_readme_of_runs_to_compare_names_every_run() -> None:
    readme = (recordings.COMPARED / "README.md").read_text(encoding="utf-8")
    table = "".join(line for line in readme.splitlines() if line.startswith("| `"))
    assert {name for name in re.findall(r"`(\w+)`", table) if "_" in name} - {"record_shapes"} == set(
        COMPARED
    )


@pytest.mark.parametrize("run", sorted(RECORDED))
def test_recorded_runs_hold_five_steps_of_cpu_work(samples: Path, run: str) -> None:
    assert profiler_steps(samples / run) == [f"ProfilerStep#{number}" for number in range(3, 8)]
    assert "cpu_op" in categories(samples / run)
    assert "kernel" not in categories(samples / run)


@pytest.mark.parametrize("run", sorted(WRITTEN))
def test_written_runs_hold_steps_with_kernels(samples: Path, run: str) -> None:
    assert profiler_steps(samples / run)
    assert "kernel" in categories(samples / run)


def test_options_left_their_events(samples: Path) -> None:
    names = {event["name"] for event in events_of(samples / "mlp_compiled")}
    assert any(name.startswith("Torch-Compiled Region") for name in names)
    stacks = samples / "mlp_memory_stacks"
    assert {"python_function", "cpu_instant_event"} <= categories(stacks)
    assert any("Input Dims" in event.get("args", {}) for event in events_of(stacks))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that this machine's PyTorch has just recorded, with every option on."""
    pytest.importorskip("torch", reason="records with a real torch.profiler")
    output = tmp_path_factory.mktemp("recorded")
    command = [sys.executable, str(REPOSITORY / "samples" / "record.py"), "mlp_memory_stacks"]
    finished = subprocess.run(
        [*command, "--output", str(output)], capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return output / "mlp_memory_stacks"


@pytest.mark.torch
def test_a_recording_is_portable(recorded: Path) -> None:
    assert len(profiler_steps(recorded)) == 5
    assert str(REPOSITORY) not in text_of(recorded)
    assert str(Path.home()) not in text_of(recorded)


@pytest.mark.torch
def test_a_recording_is_read_without_loss(recorded: Path) -> None:
    (file,) = recorded.iterdir()
    trace = read_trace(file)
    assert trace.meta.problems == ()
    assert (trace.meta.record_shapes, trace.meta.with_stack, trace.meta.profile_memory) == (True, True, True)
    for category, name in [
        (Category.ANNOTATION, "user_annotation"),
        (Category.CPU_OP, "cpu_op"),
        (Category.PYTHON, "python_function"),
    ]:
        in_file = sum(event.get("cat") == name for event in events_of(recorded))
        assert int(trace.is_category(category).sum()) == in_file > 0


@pytest.mark.torch
def test_neutral_replaces_machine_names_and_keeps_every_number() -> None:
    pytest.importorskip("torch", reason="record.py imports it")
    from samples.record import neutral

    text = '{"host_name": "box7", "ts": 5198929266905.375, "name": "/env/lib/site/a.py(3): f", "n": 1.0}'
    assert neutral(text, [("/env/lib/site", "site-packages")]) == (
        '{"host_name": "host", "ts": 5198929266905.375, "name": "site-packages/a.py(3): f", "n": 1.0}'
    )
