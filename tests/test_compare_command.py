"""``tb-explain compare`` as a user and as continuous integration meet it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain import cli
from tests.case_files import CASES
from tests.test_cli import BAD, SAMPLES, Capture, one_line, run_program

T02 = CASES / "T02-tutorial-4096-pair"
EAGER, COMPILED = str(T02 / "eager"), str(T02 / "compiled")
GOOD = CASES / "B05-truncated-mid-string" / "good.1700000000002.pt.trace.json"


def answer_of(capsys: Capture, *arguments: str, status: int = 0) -> Any:
    assert cli.main(["compare", "--format", "json", *arguments]) == status
    out, err = capsys.readouterr()
    assert not err or (status == 3 and "not kept" in one_line(err))
    return json.loads(out)


def files_of(case: str) -> list[str]:
    """Candidate and baseline by name: ``compiled…`` sorts before ``eager…``."""
    directory = next(path for path in CASES.glob(f"{case}-*") if path.is_dir())
    return [str(path) for path in sorted(directory.iterdir(), reverse=True)]


# --- Two traces ---


def test_the_tutorial_pair(capsys: Capture) -> None:
    answer = answer_of(capsys, EAGER, COMPILED)
    expected = json.loads((CASES / "T02-tutorial-4096-pair.expected.json").read_text())["extra"]
    deltas = {delta["metric"]: delta for delta in answer["deltas"]}
    for metric, told in expected["deltas"].items():
        assert {name: deltas[metric][name] for name in told} == told
    assert answer["headline"]["verdict"] == "within_noise"
    assert answer["steps"]["baseline"] == answer["steps"]["candidate"] == [3, 4, 5, 6]
    assert [(s["side"], s["step"]) for s in answer["steps"]["left_out"]] == [
        ("baseline", 2),
        ("candidate", 2),
    ]
    assert (answer["schema"], answer["gates"]) == (1, [])
    assert [answer[s]["trace"]["run"] for s in ("baseline", "candidate")] == ["eager", "compiled"]


def test_runs_of_other_lengths_are_compared_by_step(capsys: Capture) -> None:
    answer = answer_of(capsys, *files_of("B52"))
    expected = json.loads((CASES / "B52-diff-different-step-counts.expected.json").read_text())["extra"]
    deltas = {delta["metric"]: delta["difference"] for delta in answer["deltas"]}
    assert deltas["gpu_busy_us"] == expected["diff"]["busy_per_step_delta_us"]
    assert deltas["kernels"] == expected["diff"]["kernels_per_step_delta"]


def test_a_step_that_compiles_again_is_left_out(capsys: Capture) -> None:
    answer = answer_of(capsys, *files_of("B54"))
    expected = json.loads((CASES / "B54-diff-recompile-inside-a-step.expected.json").read_text())["extra"]
    (step,) = [delta for delta in answer["deltas"] if delta["metric"] == "step_us"]
    assert step["difference"] == expected["diff"]["median_delta_us"]
    left = [s for s in answer["steps"]["left_out"] if s["side"] == "candidate"]
    assert [s["step"] for s in left] == expected["diff"]["recompile_steps"]
    assert "recompile" in left[0]["because"]


def test_a_trace_against_itself_is_no_difference(capsys: Capture) -> None:
    path = str(T02 / "eager" / "worker0.1780012800000000000.pt.trace.json")
    assert cli.main(["compare", "--format", "json", path, path, "--fail-on", "pace_us>+0"]) == 0
    out, err = capsys.readouterr()
    assert one_line(err) == f"tb-explain: {path} is compared with itself.\n"
    differences = {delta["difference"] for delta in json.loads(out)["deltas"]}
    assert differences == {0.0, None}


def test_text_is_the_default(capsys: Capture) -> None:
    assert cli.main(["compare", EAGER, COMPILED]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "baseline   eager/worker0",
        "Verdict: within noise",
        "GPU busy",
        "Left out  baseline step 2",
    ):
        assert words in out


def test_markdown(capsys: Capture) -> None:
    assert cli.main(["compare", "--format", "markdown", EAGER, COMPILED]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("**")
    assert "| GPU busy | 641 µs | 618 µs | −23.0 µs | −3.59 % | −684 … +638 µs | yes |" in out


# --- Limits ---


@pytest.mark.parametrize(
    ("limits", "status", "outcomes"),
    [
        (["pace_us>+5%"], 0, ["passed"]),
        (["step_us>+10%"], 3, ["failed"]),
        (["step_us>+30us"], 0, ["passed"]),
        (["step_us>+29us"], 3, ["failed"]),
        (["kernels<-0"], 3, ["failed"]),
        (["gpu_busy_us<-1%"], 0, ["passed"]),
        (["peak_memory_bytes>+1GiB"], 3, ["not_measured"]),
        (["pace_us>+5%", "copies>+0", "peak_memory_bytes>+5%"], 3, ["passed", "failed", "not_measured"]),
    ],
)
def test_a_limit_is_kept_or_the_status_is_3(
    limits: list[str], status: int, outcomes: list[str], capsys: Capture
) -> None:
    arguments = [part for limit in limits for part in ("--fail-on", limit)]
    answer = answer_of(capsys, EAGER, COMPILED, *arguments, status=status)
    assert [gate["gate"] for gate in answer["gates"]] == limits
    assert [gate["outcome"] for gate in answer["gates"]] == outcomes
    assert all(gate["text"] for gate in answer["gates"])


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_limits_are_told(form: str, capsys: Capture) -> None:
    assert cli.main(["compare", "--format", form, EAGER, COMPILED, "--fail-on", "step_us>+10%"]) == 3
    out = capsys.readouterr().out
    assert "failed" in out
    assert "+30.0 µs (+42.9 %)" in out


@pytest.mark.parametrize("limit", ["speed>+5%", "pace_us", "pace_us>-5%", "launches>+5ms", ""])
def test_a_wrong_limit_is_told_before_anything_is_read(limit: str, capsys: Capture) -> None:
    assert cli.main(["compare", "missing.json", "missing.json", "--fail-on", limit]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Metrics: pace_us, step_us" in one_line(err)


def test_runs_that_cannot_be_compared_keep_no_limit(capsys: Capture) -> None:
    cpu_only = str(SAMPLES / "mlp_eager")
    answer = answer_of(capsys, EAGER, cpu_only, "--fail-on", "gpu_busy_us>+500%", status=3)
    assert answer["headline"]["verdict"] == "not_comparable"
    assert [gate["outcome"] for gate in answer["gates"]] == ["not_measured"]


def test_limits_as_a_program() -> None:
    done = run_program("compare", EAGER, COMPILED, "--fail-on", "step_us>+10%")
    assert done.returncode == 3
    assert one_line(done.stderr) == "tb-explain: 1 of 1 limit not kept: step_us>+10%.\n"
    assert "\x1b" not in done.stdout


# --- Input that cannot be read ---


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("broken", ["baseline", "candidate"])
def test_bad_input_is_one_line_that_names_the_file(
    kind: str, broken: str, tmp_path: Path, capsys: Capture
) -> None:
    path = str(BAD[kind](tmp_path))
    paths = [path, str(GOOD)] if broken == "baseline" else [str(GOOD), path]
    assert cli.main(["compare", *paths, "--fail-on", "pace_us>+5%"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert path in one_line(err)
    error = answer_of(capsys, *paths, status=2)["error"]
    assert (error["kind"], error["file"]) == (kind, path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", EAGER], "candidate"),
        (["compare", EAGER, COMPILED, "--format", "pdf"], "invalid choice"),
        (["compare", EAGER, COMPILED, "--fail-on"], "expected one argument"),
    ],
)
def test_usage(arguments: list[str], words: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert words in capsys.readouterr().err


def test_help_names_limits(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        cli.main(["compare", "--help"])
    assert "pace_us>+5%" in capsys.readouterr().out


# --- Two runs ---


def run_of(directory: Path, *workers: str) -> str:
    directory.mkdir()
    for worker in workers:
        shutil.copy(GOOD, directory / f"{worker}.1700000000001.pt.trace.json")
    return str(directory)


def test_workers_are_compared_with_workers(tmp_path: Path, capsys: Capture) -> None:
    old, new = run_of(tmp_path / "a", "rank0", "rank1"), run_of(tmp_path / "b", "rank1", "rank0", "rank2")
    limit = ("--fail-on", "gpu_busy_us>+5%")
    assert cli.main(["compare", "--format", "json", old, new, *limit]) == 3
    answer = json.loads(capsys.readouterr().out)
    sides = [[c[s]["trace"]["worker"] for s in ("baseline", "candidate")] for c in answer["comparisons"]]
    assert sides == [["rank0", "rank0"], ["rank1", "rank1"]]
    assert [(u["side"], u["worker"]) for u in answer["unpaired"]] == [("candidate", "rank2")]
    assert [g["outcome"] for c in answer["comparisons"] for g in c["gates"]] == ["passed", "passed"]
    assert cli.main(["compare", old, new]) == 0
    out = capsys.readouterr().out
    assert out.count("candidate  b/rank") == 2
    assert "rank2.1700000000001.pt.trace.json of the candidate has no counterpart" in out
    assert cli.main(["compare", "--format", "markdown", old, new]) == 0
    assert "\n### rank1\n" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["baseline", "candidate"])
def test_a_worker_without_counterpart_keeps_no_limit(missing: str, tmp_path: Path, capsys: Capture) -> None:
    both, one = run_of(tmp_path / "a", "rank0", "rank1"), run_of(tmp_path / "b", "rank0")
    sides = (one, both) if missing == "baseline" else (both, one)
    assert cli.main(["compare", *sides, "--fail-on", "gpu_busy_us>+5%"]) == 3
    assert "limits were not checked for every file" in capsys.readouterr().err


def test_one_limit_of_one_worker_is_enough(tmp_path: Path, capsys: Capture) -> None:
    old, new = run_of(tmp_path / "a", "rank0", "rank1"), run_of(tmp_path / "b", "rank0", "rank1")
    trace = json.loads(GOOD.read_text())
    for event in trace["traceEvents"]:
        if event.get("cat") == "kernel":
            event["dur"] *= 2
    (tmp_path / "b" / "rank1.1700000000001.pt.trace.json").write_text(json.dumps(trace))
    limit = ("--fail-on", "gpu_busy_us>+5%")
    assert cli.main(["compare", "--format", "json", old, new, *limit]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert [c["gates"][0]["outcome"] for c in answer["comparisons"]] == ["passed", "failed"]


def test_a_worker_that_cannot_be_read_is_told_and_keeps_no_limit(tmp_path: Path, capsys: Capture) -> None:
    old, new = run_of(tmp_path / "a", "rank0", "rank1"), run_of(tmp_path / "b", "rank0", "rank1")
    (tmp_path / "b" / "rank1.1700000000001.pt.trace.json").write_text("")
    for limits, status in (([], 0), (["--fail-on", "gpu_busy_us>+5%"], 2)):
        assert cli.main(["compare", "--format", "json", old, new, *limits]) == status
        out, err = capsys.readouterr()
        assert "rank1.1700000000001.pt.trace.json: the file is empty" in one_line(err)
        assert [c["baseline"]["trace"]["worker"] for c in json.loads(out)["comparisons"]] == ["rank0"]


def test_two_runs_of_which_nothing_can_be_read(tmp_path: Path, capsys: Capture) -> None:
    old, new = run_of(tmp_path / "a", "rank0", "rank1"), run_of(tmp_path / "b", "rank0", "rank1")
    for rank in (0, 1):
        (tmp_path / "b" / f"rank{rank}.1700000000001.pt.trace.json").write_text("")
    assert cli.main(["compare", old, new]) == 2
    assert capsys.readouterr().err.count("the file is empty") == 2


def test_runs_without_a_common_worker(tmp_path: Path, capsys: Capture) -> None:
    old, new = run_of(tmp_path / "a", "x", "y"), run_of(tmp_path / "b", "z")
    assert cli.main(["compare", old, new]) == 2
    told = one_line(capsys.readouterr().err)
    assert "have no worker in common (x, y against z): name two files" in told


def test_a_directory_without_traces(tmp_path: Path, capsys: Capture) -> None:
    for arguments in ([EAGER, str(tmp_path)], [str(tmp_path), EAGER]):
        assert cli.main(["compare", *arguments]) == 2
        assert "holds no trace" in one_line(capsys.readouterr().err)
    assert cli.main(["compare", EAGER, str(T02)]) == 2
    assert "name one of them" in one_line(capsys.readouterr().err)


def test_a_file_against_a_run(tmp_path: Path, capsys: Capture) -> None:
    new = run_of(tmp_path / "b", "rank0", "good")
    answer = answer_of(capsys, str(GOOD), new)
    assert [c["candidate"]["trace"]["worker"] for c in answer["comparisons"]] == ["good"]
    assert [u["worker"] for u in answer["unpaired"]] == ["rank0"]


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_control_characters_do_not_reach_the_terminal(form: str, tmp_path: Path, capsys: Capture) -> None:
    name = "a\x1b[31m\x07\x9b"
    trace = json.loads(GOOD.read_text())
    for event in trace["traceEvents"]:
        if event.get("cat") in ("kernel", "cuda_runtime", "cpu_op"):
            event["name"] += name
    directory = tmp_path / f"run{name}"
    directory.mkdir()
    (directory / f"{name}_trace.json").write_text(json.dumps(trace))
    for paths in (
        [str(directory), str(GOOD)],
        [str(GOOD), str(directory)],
        [str(directory), f"{name}missing"],
    ):
        cli.main(["compare", "--format", form, *paths])
        out, err = capsys.readouterr()
        assert not [c for c in out + err if c not in "\n\u200b" and not c.isprintable()]
