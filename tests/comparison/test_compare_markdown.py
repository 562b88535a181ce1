"""A comparison as markdown: what names may not do, and that tables keep their shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tb_plugin_explain.compare_markdown import as_markdown, run_as_markdown
from tb_plugin_explain.comparison_schema import ComparedTrace, GateResult, RunComparison, UnpairedFile
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.markdown_parts import escaped
from tests.comparison.comparison_drawing import (
    COMPILE,
    GROUPS,
    comparison,
    delta,
    group,
    headline,
    side,
    summary,
    trace_info,
)

FULL = comparison(
    findings=[
        Finding("fix", "A finding", "A text.", "Do it."),
        Finding("expected", "Nothing to do", "As it is.", "Nothing."),
    ],
    gates=[GateResult("pace_us>+5%", "failed", "+40.0 µs (+6.20 %)")],
)


def tables(text: str) -> list[list[str]]:
    """The rows of each table."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("| "):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [rows for rows in found if rows]


def test_all_parts_stand_in_it() -> None:
    text = as_markdown(FULL)
    parts = (
        "**No difference in pace that stands out from the noise.** A step takes", "Verdict: within noise",
        "Changed: compile: eager → compiled.",
        "| ❌ failed | pace\\_us&gt;+5% | +40.0 µs (+6.20 %) |",
        "| a step | baseline | candidate | difference | % | interval | within noise |",
        "| pace | 645 µs | 622 µs | −23.0 µs | −3.57 % | −684 … +638 µs | yes |",
        "Where the GPU’s work went: step 6 of the baseline",
        "| added | Copy DtoD of 32 MiB | 0 → 1 | 0 µs | 33.0 µs | +33.0 µs |",
        "`torch.compile` in the candidate:", "- **A finding.** A text.",
        "<sub>Baseline: eager/worker0.17.pt.trace.json",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "Nothing to do" not in text
    assert text.endswith("</sub>\n")


def test_tables_have_an_empty_line_before_and_as_many_cells_in_each_row() -> None:
    text = as_markdown(FULL)
    assert len(tables(text)) == 3
    for rows in tables(text):
        assert len({row.count("|") for row in rows}) == 1
        assert f"\n\n{rows[0]}" in text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain text, 5 µs → 6 µs", "plain text, 5 µs → 6 µs"),
        ("a|b", "a&#124;b"),
        ("`rm -rf`", "\\`rm -rf\\`"),
        ("gemm<4>(int&)", "gemm&lt;4&gt;(int&amp;)"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("*bold* _thin_ ~gone~", "\\*bold\\* \\_thin\\_ \\~gone\\~"),
        ("[click](x)", "\\[click\\](x)"),
        ("@somebody", "@\u200bsomebody"),
        ("#12", "\\#\u200b12"),
        ("https://x.y", "https://\u200bx.y"),
        ("www.x.y", "www.\u200bx.y"),
        ("a\\b", "a\\\\b"),
        (":smile: or :+1:", ":\u200bsmile: or :\u200b+1:"),
        ("::smile::", "::\u200bsmile::"),
        ("at::native::copy", "at::native::copy"),
        ("two\nlines\x1b", "two�lines�"),
    ],
)
def test_nothing_in_a_name_is_markup(text: str, safe: str) -> None:
    assert escaped(text) == safe


@given(st.text())
def test_what_is_escaped_stays_one_cell_and_starts_nothing(text: str) -> None:
    safe = escaped(text)
    assert "\n" not in safe
    assert "|" not in safe
    assert "<" not in safe
    assert not re.search(r"@[^\u200b]", safe)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]]", safe)


def test_hostile_names_change_no_table() -> None:
    name = "a|b`c`<b>@you #1 | |\n| x |"
    hostile = comparison(
        baseline=ComparedTrace(trace_info(name), "host_bound", None, False),
        groups=[group("added", name, candidate=side(1.0, 1, name))],
        compile=replace(COMPILE, regions=[name]),
        gates=[GateResult(name, "failed", name)],
    )
    text = as_markdown(hostile)
    assert len(tables(text)) == 3
    for rows in tables(text):
        assert len({row.count("|") for row in rows}) == 1
    assert "<b>" not in text
    assert "@you" not in text


def test_many_groups_are_cut_short() -> None:
    many = [replace(GROUPS[0], title=f"kernel {i}") for i in range(20)]
    text = as_markdown(comparison(groups=many, group_summary=summary(many, "A note.")))
    assert len(tables(text)[1]) == 2 + 8
    assert "… and 12 more groups.\n\nA note." in text


def test_figures_that_are_nothing_on_both_sides_are_left_out() -> None:
    given = [delta("launches", 0.0, 0.0, (0.0, 0.0)), delta("pace_us", 0.0, 5.0, (5.0, 5.0))]
    (limits, figures, _) = tables(as_markdown(replace(FULL, deltas=given)))
    assert len(limits) == 3
    assert figures[2:] == ["| pace | 0 µs | 5.00 µs | +5.00 µs | – | +5.00 µs | no |"]


def test_what_is_not_there_has_no_part() -> None:
    bare = comparison(
        deltas=[], groups=[], group_summary=summary([]), compile=None, headline=headline(changes=[])
    )
    text = as_markdown(bare)
    assert tables(text) == []
    assert "torch.compile" not in text
    assert "Changed" not in text


def test_workers_have_a_heading_each() -> None:
    other = comparison(
        candidate=ComparedTrace(trace_info(worker="host_2"), "host_bound", None, True),
    )
    text = run_as_markdown(
        RunComparison([FULL, other], [UnpairedFile("baseline", "rank3.pt.trace.json", "rank3")])
    )
    assert re.findall(r"(?m)^### (.*)$", text) == ["worker0", "worker0 and host\\_2"]
    assert text.endswith(
        "- rank3.pt.trace.json of the baseline has no counterpart, so it was not compared.\n"
    )
