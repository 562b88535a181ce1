"""A report as text for a terminal."""

from __future__ import annotations

import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.report import explain, explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.text_parts import printable
from tb_plugin_explain.text_report import print_report
from tb_plugin_explain.trace.model import Category
from tests.case_files import CASES, INPUTS, Input
from tests.trace_drawing import Row, trace_of

TUTORIAL = explain_path(str(CASES / "T01-tutorial-64-cold.json"))
COLUMNS = ("step", "CPU span", "GPU busy", "GPU idle", "waiting", "bubble", "lane offset", "settled")


def shown(report: Report, width: int = 100) -> str:
    stream = io.StringIO()
    print_report(report, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def steps_table(text: str) -> list[str]:
    """The lines from the header of the table of steps to the next empty line."""
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if line.split()[:3] == ["step", "CPU", "span"])
    end = next(i for i in range(header, len(lines)) if not lines[i].strip())
    return lines[header:end]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_no_column_is_lost_and_no_line_too_long(given: Input, width: int) -> None:
    if given.load == "error":
        return
    report = explain_path(str(given.path))
    text = shown(report, width)
    assert max(map(len, text.splitlines())) <= width
    if report.steps:
        header = steps_table(text)[0]
        for column in COLUMNS:
            assert column in header
        assert "…" not in "".join(steps_table(text))


def test_the_widest_row_fits_into_80_columns() -> None:
    step = TUTORIAL.steps[0]
    wide = replace(
        step,
        number=12_345,
        duration_us=-99_950.0,
        gpu=None,
        sync=replace(step.sync, total_us=999_000.0, bubble_us=999_000.0),
        lane_offset=replace(step.lane_offset, first_us=-16_400.0),
    )
    rows = steps_table(shown(replace(TUTORIAL, steps=[wide]), width=80))
    assert "…" not in "".join(rows)
    assert "profiler" in rows[1]


def test_parts_stand_in_the_order_of_their_use() -> None:
    text = shown(TUTORIAL)
    parts = (
        "NVIDIA A100", "The CPU sets the pace", "Confidence: clear", "First ", "False alarms",
        "CPU span", "[worth fixing]", "[expected]", "[artefact]", "What this trace cannot tell",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_the_pace_is_told_apart_from_the_cpu_spans() -> None:
    assert "The pace, 85.5 µs, is what a step costs" in " ".join(shown(TUTORIAL).split())
    assert "The pace" not in shown(replace(TUTORIAL, pace_us=None))


def test_waits_that_are_not_known_by_name_are_not_shown_as_none() -> None:
    """A launch of a platform whose waiting calls are neither known nor recorded."""
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 0, 100),
        Row(Category.RUNTIME, "npuLaunch", 10, 5, correlation=1),
        Row(Category.KERNEL, "k", 20, 50, correlation=1, device=0, stream="7"),
    ]
    report = explain(trace_of(rows))
    assert "not known" in report.steps[0].not_measured["sync"]
    assert steps_table(shown(report))[1].split()[7:9] == ["–", "–"]


def test_many_steps_are_cut_short_and_counted() -> None:
    step = TUTORIAL.steps[1]
    many = replace(TUTORIAL, steps=[replace(step, number=1000 + i) for i in range(25)])
    text = shown(many)
    assert "… 5 more steps; --step N or --format json shows them" in text
    assert [row.split()[0] for row in steps_table(text)[1:21]] == [str(1000 + i) for i in range(20)]


def test_a_gpu_that_was_not_recorded_is_not_a_gpu_without_work() -> None:
    busy, unused, unknown = (replace(TUTORIAL.steps[1], gpu=gpu) for gpu in (TUTORIAL.steps[1].gpu, [], None))
    rows = steps_table(shown(replace(TUTORIAL, steps=[busy, unused, unknown])))[1:]
    assert "7.70 µs" in rows[0]
    assert "none" in rows[1]
    assert "unknown" in rows[2]


def with_finding(**changes: object) -> Report:
    plain = Finding("fix", "A title", "A text.", "Do it.", rule="host-bound")
    return replace(TUTORIAL, findings=[replace(plain, **changes)])


@pytest.mark.parametrize(
    ("changes", "head"),
    [
        ({"at_stake_us": 1780.0}, "[worth fixing] A title  (1.78 ms a step)"),
        (
            {"verdict": "artifact", "looks_like_us": 90.6},
            "[artefact] A title  (nothing to win, looks like 90.6 µs)",
        ),
        ({"verdict": "undecided", "looks_like_us": 5.0}, "[undecided] A title  (5.00 µs, gain unknown)"),
        ({"verdict": "expected"}, "[expected] A title\n"),
    ],
)
def test_what_is_at_stake_stands_behind_the_title(changes: dict[str, object], head: str) -> None:
    assert head in "\n".join(line.rstrip() for line in shown(with_finding(**changes)).splitlines())


def test_tables_of_evidence_are_shown_and_cut_short() -> None:
    rows = [[1000 + i, i * 1000.0, None, "x"] for i in range(9)]
    table = Table(["step", "gpu_idle_us", "end_us", "because"], rows)
    text = shown(with_finding(evidence=[table, Quantity("kernels", 2, "count")]))
    assert "gpu idle" in text
    assert re.search(r"1001 +1\.00 ms +– +x", text)
    assert "… 3 more" in text
    assert "1006" not in text


def test_warnings_that_a_finding_tells_are_not_told_twice() -> None:
    text = shown(explain_path(str(CASES / "B32-orphan-launches-and-orphan-kernels.json")))
    assert "GPU events have no launch in this file" in text
    assert "missing_launch" not in text


def test_names_are_shown_whole_and_never_obeyed() -> None:
    hostile = replace(TUTORIAL.trace, file="[bold]a\x1b[31m\u202e.json")
    text = shown(replace(TUTORIAL, trace=hostile))
    assert "[bold]a�[31m�.json" in text
    assert printable("täst → 5 µs") == "täst → 5 µs"


def test_the_longest_gaps_are_shown_with_what_they_are() -> None:
    assert TUTORIAL.gaps is not None
    gap = replace(TUTORIAL.gaps.longest[0], duration_us=10.0, kind="cpu", causes={"host": 9.0, "launch": 1.0})
    gap = replace(gap, host_by={"python": 8.0, "optimizer": 1.0}, before=None, after="void gemm<4>(int)")
    report = replace(TUTORIAL, gaps=replace(TUTORIAL.gaps, longest=[gap, replace(gap, kind="hole")]))
    text = shown(report)
    heading = text.index("Longest times without GPU work")
    assert text.index("[artefact]") < heading < text.index("What this trace cannot tell")
    rows = [line.split() for line in text[heading:].splitlines()[1:4]]
    assert rows[0] == ["step", "at", "length", "mostly", "before", "it", "after", "it"]
    assert rows[1] == ["3", "2.34", "ms", "10.0", "µs", "Python", "code", "–", "gemm"]
    assert rows[2][-5:-2] == ["no", "CPU", "event"]
    assert "Longest times" not in shown(replace(report, steps=TUTORIAL.steps[:1]))


def test_gaps_that_are_short_beside_their_step_are_not_shown() -> None:
    assert "Longest times" not in shown(TUTORIAL)
