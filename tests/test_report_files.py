"""A report as markdown and as a page: complete, safe to open and to paste, and the same from the cache."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

import tb_plugin_explain
from tb_plugin_explain import cli, report_tables
from tb_plugin_explain.plugin.worker_process import ready_answer
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_html import report_page
from tb_plugin_explain.report_markdown import as_markdown
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.stored_report import EXPORTS, report_of
from tests.case_files import CASES

SAMPLES = Path(tb_plugin_explain.__file__).parent / "samples"
TUTORIAL = CASES / "T01-tutorial-64-cold.json"
HOSTILE = CASES / "B65-html-in-kernel-names.json"
WITHOUT_STEPS = CASES / "B15-no-profilerstep.json"
FILES = sorted(path for path in SAMPLES.rglob("*.json*"))
EVIL = "<script>alert(1)</script> [x](http://e.vil) @all `a|b` \x1b[31m \u202e"

Capture = pytest.CaptureFixture[str]


@cache
def explained(path: Path) -> Report:
    return explain_path(str(path), "run", "worker0", None, lambda _phase, _share: None)


def evil(report: Report) -> Report:
    """The report with a hostile text wherever names or texts of a trace go."""
    headline = replace(report.headline, text=EVIL, detail=EVIL, why=EVIL)
    findings = [replace(f, title=EVIL, text=EVIL, advice=EVIL) for f in report.findings]
    assert report.kernels is not None
    rows = [replace(row, name=EVIL, human=EVIL) for row in report.kernels.rows]
    return replace(
        report,
        trace=replace(report.trace, file=EVIL, run=EVIL),
        headline=headline,
        findings=findings,
        kernels=replace(report.kernels, rows=rows),
    )


class Page(HTMLParser):
    """What a page consists of: tags in order, all attributes, and whether every tag is closed."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def assert_is_self_contained(text: str) -> Page:
    page = Page(text)
    assert page.open == []
    assert not {"script", "img", "iframe", "link", "object", "form", "a"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href")]
    assert "url(" not in text
    assert "@import" not in text
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    return page


@pytest.mark.parametrize("path", [*FILES, HOSTILE, WITHOUT_STEPS], ids=lambda path: path.name)
def test_a_page_needs_nothing_but_itself(path: Path) -> None:
    page = assert_is_self_contained(report_page([explained(path)]))
    words = " ".join(page.words)
    report = explained(path)
    assert report.headline.text in words
    for finding in report.findings:
        assert finding.title in words
    assert "prefers-color-scheme: dark" in words


@pytest.mark.parametrize("make", [report_page, as_markdown], ids=["html", "markdown"])
def test_the_same_report_gives_the_same_file(make: object) -> None:
    report = explained(TUTORIAL)
    made = [report_page([report]) if make is report_page else as_markdown(report) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0].endswith("\n")


def test_hostile_texts_stay_texts_in_a_page() -> None:
    page = assert_is_self_contained(report_page([evil(explained(TUTORIAL))]))
    assert "<script>alert(1)</script>" in " ".join(page.words)
    assert "\x1b" not in "".join(page.words)


def test_hostile_texts_stay_texts_in_markdown() -> None:
    text = as_markdown(evil(explained(TUTORIAL)))
    assert "<script" not in text
    assert "[x](" not in text
    assert not re.search(r"(?<!\\)`", text)
    assert not re.search(r"@\w", text)


def _tables(text: str) -> list[list[str]]:
    return [re.findall(r"^\|.*\|$", block, re.M) for block in text.split("\n\n") if block.startswith("|")]


@pytest.mark.parametrize("path", [*FILES, HOSTILE], ids=lambda path: path.name)
def test_every_row_of_a_markdown_table_has_its_columns(path: Path) -> None:
    tables = _tables(as_markdown(explained(path)))
    assert tables
    for table in tables:
        assert len({line.count(" | ") for line in table}) == 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_table_has_a_cell_for_every_column(path: Path) -> None:
    report = explained(path)
    for table in [report_tables.steps(report), *report_tables.sections(report)]:
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.title


def test_the_idle_times_by_cause_are_those_of_the_averaged_steps() -> None:
    report = explained(TUTORIAL)
    table = report_tables.idle(report)
    assert table is not None
    steps = [s for s in report.steps if s.number in report.headline.steps]
    launch_us = sum(gpu.idle_by_cause.launch for s in steps for gpu in s.gpu or ())
    assert ("start of a kernel", "0", report_tables.time(launch_us)) in table.rows


# --- From the cache ---


@pytest.mark.parametrize("path", [*FILES, HOSTILE, WITHOUT_STEPS], ids=lambda path: path.name)
def test_a_stored_report_is_the_report(path: Path) -> None:
    report = explained(path)
    stored = gzip.decompress(ready_answer("report", report))
    whole = json.loads(stored)["report"]
    again = report_of(whole)
    assert EXPORTS["html"].make(stored).decode() == report_page([report])
    assert EXPORTS["markdown"].make(stored).decode() == as_markdown(report)
    assert json.loads(EXPORTS["json"].make(stored)) == whole
    assert [type(e) for f in again.findings for e in f.evidence] == [
        type(e) for f in report.findings for e in f.evidence
    ]


def test_every_form_has_a_name_and_a_type() -> None:
    assert {form: export.ending for form, export in EXPORTS.items()} == {
        "markdown": "md",
        "html": "html",
        "json": "json",
    }


# --- The command ---


def test_a_report_as_markdown_and_as_a_page(capsys: Capture) -> None:
    assert cli.main(["report", str(TUTORIAL), "--format", "markdown"]) == 0
    assert "### Findings" in capsys.readouterr().out
    assert cli.main(["report", str(TUTORIAL), "--format", "html", "--step", "3"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("<!doctype html>")
    assert_is_self_contained(page)


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_directory_gives_one_document(form: str, capsys: Capture) -> None:
    directory = CASES / "B05-truncated-mid-string"
    assert cli.main(["report", str(directory), "--format", form]) == 0
    out = capsys.readouterr().out
    assert "good.1700000000002.pt.trace.json" in out
    if form == "html":
        assert_is_self_contained(out)


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_file_that_is_no_trace_is_one_line(form: str, capsys: Capture) -> None:
    path = CASES / "B57-odd-file-names" / "settings.json"
    assert cli.main(["report", str(path), "--format", form]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_comparison_as_a_page(capsys: Capture) -> None:
    sides = [str(SAMPLES / f"tutorial_4096_{side}") for side in ("eager", "compiled")]
    assert cli.main(["compare", *sides, "--format", "html", "--fail-on", "launches>+1000"]) == 0
    page = assert_is_self_contained(capsys.readouterr().out)
    words = " ".join(page.words)
    assert "Limits" in words
    assert "Where the GPU’s work went" in words


def test_the_comparison_of_runs_is_one_page(capsys: Capture) -> None:
    directory = str(CASES / "B56-workers-and-spans")
    status = cli.main(["compare", directory, directory, "--format", "html"])
    page = capsys.readouterr().out
    assert status == 0
    assert_is_self_contained(page)
