"""One step cut out of a trace: valid for any viewer, and the same step for us."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

import tb_plugin_explain
from tb_plugin_explain import cli
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report, Step
from tb_plugin_explain.slicing import slice_job, write_slice
from tests.case_files import CASES, ENDING

SAMPLES = Path(tb_plugin_explain.__file__).parent / "samples"
TUTORIAL = CASES / "T01-tutorial-64-cold.json"
CASE_FILES = [path for path in sorted(CASES.rglob("*.json")) if not path.name.endswith(ENDING)]

Capture = pytest.CaptureFixture[str]


def _quiet(_phase: str, _share: float | None) -> None:
    pass


def explained(path: Path) -> Report:
    return explain_path(str(path), None, None, None, _quiet)


def sliced(path: Path, number: int) -> bytes:
    out = io.BytesIO()
    write_slice(str(path), number, out, _quiet)
    return out.getvalue()


def figures(step: Step) -> object:
    """What a step is told to be, as far as it rests on the step alone."""
    gpu = [(g.device, g.busy_us, g.kernel_us, g.copy_us, g.memset_us) for g in step.gpu or ()]
    return step.pid, step.duration_us, step.launches, step.kernels, step.copies, step.memsets, gpu


def assert_same_step(path: Path, report: Report, number: int, directory: Path) -> None:
    text = sliced(path, number)
    copy = directory / "slice.json"
    copy.write_bytes(text)
    json.loads(text)
    again = explained(copy)
    assert [s.number for s in again.steps if s.number != number] == []
    assert [figures(s) for s in again.steps] == [figures(s) for s in report.steps if s.number == number]


@pytest.mark.parametrize("path", CASE_FILES, ids=lambda path: path.name)
def test_the_steps_of_a_case_are_the_same_in_their_slices(path: Path, tmp_path: Path) -> None:
    """Of odd files too: cut off, mended, in UTF-16, with steps in several threads or processes."""
    try:
        report = explained(path)
    except TraceError:
        with pytest.raises(TraceError, match=path.name):
            sliced(path, 1)
        return
    for number in {s.number for s in report.steps if s.number is not None}:
        assert_same_step(path, report, number, tmp_path)


def test_the_steps_of_real_traces_are_the_same_in_their_slices(shared_traces: Path, tmp_path: Path) -> None:
    checked = 0
    for path in sorted(shared_traces.glob("*.json.gz")):
        if path.stat().st_size > 1_000_000:
            continue
        try:
            report = explained(path)
        except TraceError:
            continue
        numbers = [s.number for s in report.steps if s.number is not None]
        for number in numbers[:1] + numbers[1:][-1:]:
            assert_same_step(path, report, number, tmp_path)
            checked += 1
    assert checked > 20


def entries_of(text: bytes) -> list[dict[str, Any]]:
    return json.loads(text)["traceEvents"]  # type: ignore[no-any-return]


def test_every_event_keeps_its_text_and_the_document_its_other_keys() -> None:
    whole = TUTORIAL.read_text(encoding="utf-8")
    document = json.loads(whole)
    text = sliced(TUTORIAL, 3)
    cut = json.loads(text)
    assert {k: v for k, v in cut.items() if k != "traceEvents"} == {
        k: v for k, v in document.items() if k != "traceEvents"
    }
    for line in text.decode().splitlines()[1:-1]:
        if line.startswith('{"'):
            assert line.rstrip(",") in whole
    assert 0 < len(cut["traceEvents"]) < len(document["traceEvents"])


def test_the_other_steps_are_left_out_on_the_cpu_and_on_the_gpu() -> None:
    names = [e.get("name", "") for e in entries_of(sliced(TUTORIAL, 3))]
    assert [n for n in names if n.startswith("ProfilerStep#")].count("ProfilerStep#3") >= 1
    assert not [n for n in names if n.startswith("ProfilerStep#") and n != "ProfilerStep#3"]


def drawn(events: list[dict[str, Any]], path: Path, **other_keys: Any) -> Path:
    path.write_text(json.dumps({**other_keys, "traceEvents": events}))
    return path


def cpu(name: str, ts: float, dur: float, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, **more}


def step(number: int, ts: float, dur: float) -> dict[str, Any]:
    return cpu(f"ProfilerStep#{number}", ts, dur) | {"cat": "user_annotation"}


def launch(correlation: int, ts: float) -> dict[str, Any]:
    return cpu("cudaLaunchKernel", ts, 1, args={"correlation": correlation}) | {"cat": "cuda_runtime"}


def kernel(correlation: int, ts: float, dur: float) -> dict[str, Any]:
    args = {"correlation": correlation, "device": 0, "stream": 7}
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": args}


def flow(phase: str, number: int, pid: int, tid: int, ts: float, cat: str = "ac2g") -> dict[str, Any]:
    return {"ph": phase, "id": number, "pid": pid, "tid": tid, "ts": ts, "cat": cat, "name": cat}


TWO_STEPS = [
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},
    cpu("whole run", 0, 300) | {"cat": "python_function"},
    step(1, 10, 90),
    launch(5, 20),
    step(2, 110, 90),
    launch(6, 120),
    {"ph": "B", "cat": "cpu_op", "name": "begun", "pid": 1, "tid": 1, "ts": 130},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 140},
    {"ph": "B", "cat": "cpu_op", "name": "later", "pid": 1, "tid": 1, "ts": 220},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 230},
    cpu("other process", 130, 5, pid=2),
    kernel(5, 130, 50),
    kernel(6, 400, 25),
    flow("s", 5, 1, 1, 20),
    flow("f", 5, 0, 7, 130),
    flow("s", 6, 1, 1, 120),
    flow("f", 6, 0, 7, 400),
    flow("s", 6, 1, 1, 30, "fwdbwd"),
    flow("f", 6, 1, 1, 125, "fwdbwd"),
]


def test_gpu_work_goes_with_the_step_that_launched_it(tmp_path: Path) -> None:
    entries = entries_of(sliced(drawn(TWO_STEPS, tmp_path / "two.json"), 2))
    assert [e["ts"] for e in entries if e.get("cat") == "kernel"] == [400]
    assert "other process" not in [e.get("name") for e in entries]
    assert "process_name" in [e.get("name") for e in entries]


def test_what_encloses_the_step_is_kept(tmp_path: Path) -> None:
    entries = entries_of(sliced(drawn(TWO_STEPS, tmp_path / "two.json"), 2))
    assert "whole run" in [e.get("name") for e in entries]


def test_ends_go_with_their_beginnings(tmp_path: Path) -> None:
    entries = entries_of(sliced(drawn(TWO_STEPS, tmp_path / "two.json"), 2))
    assert [(e["ph"], e["ts"]) for e in entries if e["ph"] in "BE"] == [("B", 130), ("E", 140)]


def test_flows_are_kept_with_both_of_their_ends_or_not_at_all(tmp_path: Path) -> None:
    entries = entries_of(sliced(drawn(TWO_STEPS, tmp_path / "two.json"), 2))
    assert [(e["ph"], e["id"], e["cat"]) for e in entries if e["ph"] in "sf"] == [
        ("s", 6, "ac2g"),
        ("f", 6, "ac2g"),
    ]


def test_a_list_of_events_becomes_a_document(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps(TWO_STEPS))
    assert set(json.loads(sliced(path, 1))) == {"traceEvents"}


def test_bytes_that_are_no_utf8_do_not_reach_a_viewer(tmp_path: Path) -> None:
    path = drawn([*TWO_STEPS, cpu("odd", 20, 1)], tmp_path / "odd.json", traceName="run")
    path.write_bytes(path.read_bytes().replace(b"odd", b"o\xffd").replace(b'"run"', b'"C:\\run"'))
    assert "o\N{REPLACEMENT CHARACTER}d" in [e.get("name") for e in entries_of(sliced(path, 1))]


def test_a_job_gives_a_gzip_file_that_is_the_same_each_time() -> None:
    first, second = (slice_job(str(TUTORIAL), 3, _quiet) for _ in range(2))
    assert first == second
    assert gzip.decompress(first) == sliced(TUTORIAL, 3)


# --- The command ---


@pytest.mark.parametrize("name", ["out.json", "out.json.gz"])
def test_the_command_writes_a_file_and_says_so(name: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / name
    assert cli.main(["slice", str(TUTORIAL), "--step", "3", "-o", str(target)]) == 0
    text = gzip.decompress(target.read_bytes()) if name.endswith(".gz") else target.read_bytes()
    assert text == sliced(TUTORIAL, 3)
    assert f"{name}: step 3, " in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_step_that_is_not_there_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "out.json"
    assert cli.main(["slice", str(TUTORIAL), "--step", "99", "-o", str(target)]) == 2
    assert "there is no step 99; it has steps 2–4." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_trace_without_steps_has_none_to_cut(tmp_path: Path, capsys: Capture) -> None:
    path = CASES / "B15-no-profilerstep.json"
    assert cli.main(["slice", str(path), "--step", "1", "-o", str(tmp_path / "out.json")]) == 2
    assert "it has no steps." in capsys.readouterr().err


def test_a_slice_never_replaces_its_trace(tmp_path: Path, capsys: Capture) -> None:
    path = drawn(TWO_STEPS, tmp_path / "two.json")
    before = path.read_bytes()
    assert cli.main(["slice", str(path), "--step", "1", "-o", str(path)]) == 2
    assert "is the trace itself" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "nowhere" / "out.json"
    assert cli.main(["slice", str(TUTORIAL), "--step", "3", "-o", str(target)]) == 2
    assert "cannot be written" in capsys.readouterr().err
