"""Every case, compared for real: nothing is cut off, no name gets out of its cell."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tb_plugin_explain.compare_markdown import as_markdown
from tb_plugin_explain.compare_text import print_comparison
from tb_plugin_explain.comparison.build import Source, compare_paths
from tb_plugin_explain.comparison_schema import Comparison
from tests.case_files import CASES, INPUTS, Input

TUTORIAL = CASES / "T01-tutorial-64-cold.json"
# What heads the table of figures: one of what they are of.
_HEADS = (" step or recording ", " a step ", " recording  ")
READABLE = [given for given in INPUTS if given.load != "error"]


def text_of(comparison: Comparison, width: int) -> str:
    stream = io.StringIO()
    print_comparison(comparison, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


@pytest.mark.parametrize("given", READABLE, ids=lambda i: str(i.path.relative_to(CASES)))
def test_text_and_markdown_of_every_case(given: Input) -> None:
    comparison = compare_paths(Source(str(TUTORIAL)), Source(str(given.path)))
    for width in (80, 120):
        text = text_of(comparison, width)
        assert max(map(len, text.splitlines())) <= width
        assert not [c for c in text if c != "\n" and not c.isprintable()]
        if comparison.deltas:
            header = next(line for line in text.splitlines() if line.startswith(_HEADS))
            for column in ("baseline", "candidate", "difference", "interval", "within noise"):
                assert column in header
    for lines in as_markdown(comparison).split("\n\n"):
        rows = [line for line in lines.splitlines() if line.startswith("| ")]
        assert len({row.count("|") for row in rows}) <= 1
        assert "<" not in lines.replace("<sub>", "").replace("</sub>", "")
