"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest

import tb_plugin_explain
from tb_plugin_explain import __version__, cli, runs
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.engine import default_engine
from tests.case_files import CASES

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLES = Path(tb_plugin_explain.__file__).parent / "samples"
TUTORIAL = CASES / "T01-tutorial-64-cold.json"
GOOD = CASES / "B05-truncated-mid-string" / "good.1700000000002.pt.trace.json"
CONTROL = "\x1b[31m\x07\x9b"

Capture = pytest.CaptureFixture[str]


def one_line(text: str) -> str:
    """The only line of an error, which is no traceback and no bare exception."""
    assert text.count("\n") == 1
    assert text.startswith("tb-explain: ")
    assert "Traceback" not in text
    return text


# --- As a program ---


ENVIRONMENT = os.environ | {"PYTHONPATH": str(REPOSITORY), "COLUMNS": "100"}


def run_program(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tb_plugin_explain", *arguments],
        capture_output=True, text=True, env=ENVIRONMENT, cwd=REPOSITORY, timeout=60, check=False,
    )  # fmt: skip


def test_a_trace_is_explained_on_standard_output_alone() -> None:
    done = run_program("report", str(TUTORIAL))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The CPU sets the pace" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_file_that_is_no_trace_is_one_line_and_no_traceback() -> None:
    done = run_program("report", str(CASES / "B57-odd-file-names" / "settings.json"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "settings.json" in one_line(done.stderr)


@pytest.mark.parametrize(
    "command", [f"report {TUTORIAL}", f"report --format json {TUTORIAL}", f"runs {SAMPLES}"]
)
def test_a_reader_that_has_had_enough_is_no_error(command: str) -> None:
    pipeline = (
        f"{sys.executable} -m tb_plugin_explain {command} | head -c 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", pipeline],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_a_limit_that_is_exceeded_is_so_for_a_reader_that_has_had_enough_too() -> None:
    old, new = (
        next((CASES / "T02-tutorial-4096-pair" / side).glob("*.json")) for side in ("eager", "compiled")
    )
    command = f"{sys.executable} -m tb_plugin_explain compare {old} {new} --fail-on 'step_us>+1%'"
    done = subprocess.run(
        ["bash", "-c", f"{command} | true; echo ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "3"
    assert one_line(done.stderr).rstrip().endswith("1 of 1 limit not kept: step_us>+1%.")


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_answer_that_cannot_be_written_is_one_line(form: str) -> None:
    command = f"{sys.executable} -m tb_plugin_explain report --format {form} {TUTORIAL}"
    for target, words in ((">/dev/full", "could not be written"), (">&-", "standard output is closed")):
        done = subprocess.run(
            ["bash", "-c", f"{command} {target}"],
            capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode in (1, 2)
        assert words in one_line(done.stderr)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_terminal_of_few_characters_gets_an_answer(form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tb_plugin_explain", "report", "--format", form, str(TUTORIAL)],
        capture_output=True, env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    if form == "json":
        assert "µs" in json.loads(done.stdout.decode())["headline"]["detail"]


# --- Usage ---


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--version"], 0, f"tb-explain {__version__}, engine: {default_engine()}"),
        (["--help"], 0, "explain one trace"),
        (["report", "--help"], 0, "--step N"),
        ([], 2, "COMMAND"),
        (["explain"], 2, "invalid choice"),
        (["report"], 2, "trace"),
        (["report", str(TUTORIAL), "--step", "two"], 2, "invalid int value"),
        (["report", str(TUTORIAL), "--format", "yaml"], 2, "invalid choice"),
        (["report", "--fromat", "json", "runs"], 2, "has no option --fromat; did you mean --format?\n"),
        (["report", "runs", "--fromat=json"], 2, "report has no option --fromat; did you mean --format?\n"),
        (["report", "runs", "--quiet"], 2, "report has no option --quiet.\n"),
        (["report", "runs", "another"], 2, "report does not know what to do with another.\n"),
    ],
)
def test_usage(arguments: list[str], status: int, words: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == status
    out, err = capsys.readouterr()
    assert words in (err if status else out)
    assert "Traceback" not in err


# --- report FILE ---


def test_text_is_the_default(capsys: Capture) -> None:
    assert cli.main(["report", str(TUTORIAL)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in ("The CPU sets the pace", "[worth fixing]", "[artefact]", "What this trace cannot tell"):
        assert words in out


def test_json_is_the_report(capsys: Capture) -> None:
    assert cli.main(["report", "--format", "json", str(TUTORIAL)]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert err == ""
    assert report["schema"] == 1
    assert report["trace"]["file"] == TUTORIAL.name
    assert [step["number"] for step in report["steps"]] == [2, 3, 4]


def test_worker_and_span_come_from_the_name(capsys: Capture) -> None:
    cli.main(["report", "--format", "json", str(GOOD)])
    trace = json.loads(capsys.readouterr().out)["trace"]
    assert (trace["worker"], trace["span"]) == ("good", "1700000000002")


def test_one_step_with_what_concerns_it(capsys: Capture) -> None:
    assert cli.main(["report", "--format", "json", "--step", "3", str(TUTORIAL)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [step["number"] for step in report["steps"]] == [3]
    assert "unsettled-steps" not in {finding["rule"] for finding in report["findings"]}
    assert cli.main(["report", "--step", "2", str(TUTORIAL)]) == 0
    assert "Step 2 has not settled" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "has"),
    [
        (TUTORIAL, "it has steps 2–4."),
        (GOOD, "it has step 2."),
        (CASES / "B15-no-profilerstep.json", "it has the recording."),
        (
            CASES / "B59-empty-logdir-must-not-hang/run_c/empty.1700000000001.pt.trace.json",
            "it has no steps.",
        ),
    ],
)
def test_a_step_that_is_not_there(file: Path, has: str, capsys: Capture) -> None:
    assert cli.main(["report", "--step", "99", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert one_line(err).endswith(f"has no step 99; {has}\n")


# --- Input that cannot be read ---


def _written(tmp_path: Path, content: bytes, name: str = "bad_trace.json") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


BAD: dict[str, Callable[[Path], Path]] = {
    "not_found": lambda tmp: tmp / "missing_trace.json",
    "empty_file": lambda tmp: _written(tmp, b""),
    "not_a_trace": lambda tmp: _written(tmp, b'{"a": 1}'),
    "invalid_json": lambda tmp: CASES / "B09-missing-quote-unrepairable.json",
    "several_documents": lambda tmp: _written(tmp, b'{"traceEvents": []}\n{"traceEvents": []}'),
    "truncated": lambda tmp: _written(tmp, b'{"traceEvents": [{"ph": "X", "name": "a'),
    "broken_gzip": lambda tmp: _written(tmp, b"\x1f\x8b\x08\x00junk", "bad_trace.json.gz"),
    "unsupported_encoding": lambda tmp: _written(tmp, "\ufeff{}".encode("utf-32")),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_line(kind: str, tmp_path: Path, capsys: Capture) -> None:
    path = BAD[kind](tmp_path)
    assert cli.main(["report", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert path.name in one_line(err)


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_an_object_for_programs(kind: str, tmp_path: Path, capsys: Capture) -> None:
    path = BAD[kind](tmp_path)
    assert cli.main(["report", "--format", "json", str(path)]) == 2
    out, err = capsys.readouterr()
    assert err == ""
    answer = json.loads(out)
    assert answer["schema"] == 1
    assert answer["error"]["kind"] == kind
    assert answer["error"]["file"] == str(path)
    assert answer["error"]["message"].endswith(".")


@pytest.mark.parametrize("kind", ["unreadable", "too_deep"])
def test_errors_that_need_another_machine_are_told_the_same_way(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """This user may read everything, and no file is too deep for this reader."""

    def refuse(*_: object) -> None:
        raise TraceError(kind, "x.json: cannot be read.", file="x.json")  # type: ignore[arg-type]

    monkeypatch.setattr(cli, "_explain", refuse)
    assert cli.main(["report", str(TUTORIAL)]) == 2
    assert one_line(capsys.readouterr().err) == "tb-explain: x.json: cannot be read.\n"


def test_a_fault_of_the_program_is_one_line_and_another_status(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "_explain", fail)
    assert cli.main(["report", str(TUTORIAL)]) == 1
    assert "not in your file" in one_line(capsys.readouterr().err)


# --- report DIRECTORY ---


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    """Two ranks, a broken file, and a file that is no trace by its name."""
    directory = tmp_path / "run"
    directory.mkdir()
    for rank in (0, 1):
        copyfile(GOOD, directory / f"rank{rank}.1700000000001.pt.trace.json")
    _written(directory, b"", "rank2.1700000000001.pt.trace.json")
    _written(directory, b"{}", "settings.json")
    return directory


def test_every_file_of_a_run_is_explained_and_the_broken_one_told(
    run_directory: Path, capsys: Capture
) -> None:
    assert cli.main(["report", str(run_directory)]) == 0
    out, err = capsys.readouterr()
    assert "rank2" in one_line(err)
    assert out.index("rank0.1700000000001") < out.index("rank1.1700000000001")
    assert "settings.json" not in out + err


def test_a_run_as_json_has_a_summary_over_its_files(run_directory: Path, capsys: Capture) -> None:
    assert cli.main(["report", "--format", "json", str(run_directory)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [report["trace"]["worker"] for report in answer["reports"]] == ["rank0", "rank1"]
    assert {report["trace"]["run"] for report in answer["reports"]} == {"run"}
    assert (answer["schema"], answer["run"]["name"], answer["run"]["files"]) == (1, "run", 2)


def test_a_run_without_one_file_that_can_be_read(tmp_path: Path, capsys: Capture) -> None:
    _written(tmp_path, b"")
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "is empty" in one_line(capsys.readouterr().err)


def test_a_directory_without_traces_and_one_with_runs(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "holds no trace: no file with" in one_line(capsys.readouterr().err)
    (tmp_path / "eager").mkdir()
    copyfile(GOOD, tmp_path / "eager" / "a_trace.json")
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "name one of them (eager)" in one_line(capsys.readouterr().err)


def test_a_directory_is_not_searched_without_end(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(6):
        (tmp_path / f"run{i}").mkdir()
        copyfile(GOOD, tmp_path / f"run{i}" / "a_trace.json")
        os.utime(tmp_path / f"run{i}" / "a_trace.json", (i, i))
    assert cli.main(["report", str(tmp_path)]) == 2
    assert "name one of them (run5, run4, run3 …)" in one_line(capsys.readouterr().err)
    monkeypatch.setattr(runs, "_MOST_LOOKED_INTO", 3)
    assert cli.main(["report", str(tmp_path)]) == 2
    assert len(re.findall(r"run\d", capsys.readouterr().err)) == 2


def test_a_step_of_a_directory_is_refused(run_directory: Path, capsys: Capture) -> None:
    assert cli.main(["report", "--step", "2", str(run_directory)]) == 2
    assert "--step 2 needs the name of one trace" in one_line(capsys.readouterr().err)


# --- runs ---


def test_runs_are_listed_with_their_files(capsys: Capture) -> None:
    assert cli.main(["runs", str(SAMPLES)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert {line for line in out.splitlines() if not line.startswith(" ")} == {
        path.name for path in SAMPLES.iterdir() if path.is_dir()
    }
    assert "  worker0  1796060000000000000  0.01 MB" in out


def test_runs_of_a_directory_that_is_empty_or_missing_or_a_file(tmp_path: Path, capsys: Capture) -> None:
    for logdir, words in (
        (tmp_path, "holds no trace"),
        (tmp_path / "missing", "no such directory"),
        (TUTORIAL, "is a file"),
    ):
        assert cli.main(["runs", str(logdir)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert words in one_line(err)


# --- Names that a terminal would obey ---


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run and a file with control characters in their names, and in the names of its events."""
    trace = json.loads(GOOD.read_text())
    for event in trace["traceEvents"]:
        if event.get("cat") in ("kernel", "cuda_runtime"):
            event["name"] += CONTROL
    directory = tmp_path / f"run{CONTROL}"
    directory.mkdir()
    return _written(directory, json.dumps(trace).encode(), f"a{CONTROL}_trace.json")


@pytest.mark.parametrize("form", ["text", "json"])
def test_control_characters_do_not_reach_the_terminal(hostile: Path, form: str, capsys: Capture) -> None:
    for arguments in (
        ["report", "--format", form, str(hostile)],
        ["report", "--format", form, str(hostile.parent)],
        ["report", "--step", "99", str(hostile)],
        ["report", "--step", "1", str(hostile.parent)],
        ["report", str(hostile.parent.parent)],
        ["report", f"{hostile}missing"],
        ["runs", str(hostile.parent.parent)],
        ["runs", f"{hostile.parent}missing"],
    ):
        cli.main(arguments)
        out, err = capsys.readouterr()
        shown = out + err
        assert "a�" in shown or "\\u009b" in shown or "run�" in shown
        assert not [c for c in shown if c != "\n" and not c.isprintable()], arguments
