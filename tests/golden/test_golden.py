"""Whole reports as they were when somebody last read them by eye."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

import tb_plugin_explain
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.text_report import print_report
from tb_plugin_explain.wire import to_json
from tests.case_files import CASES

SAMPLES = Path(tb_plugin_explain.__file__).parent / "samples"
TUTORIAL = CASES / "T01-tutorial-64-cold.json"
FILES = {path.parent.name: path for path in sorted(SAMPLES.glob("*/*.json*"))} | {"T01": TUTORIAL}


def text_of(path: Path, width: int) -> str:
    stream = io.StringIO()
    print_report(explain_path(str(path)), Console(file=stream, width=width, highlight=False))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("name", FILES)
def test_report_as_json(name: str, golden: Callable[[str, str], None]) -> None:
    report = json.loads(to_json(explain_path(str(FILES[name]))))
    golden(f"{name}.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("width", [80, 120])
def test_report_as_text(width: int, golden: Callable[[str, str], None]) -> None:
    golden(f"T01.{width}.txt", text_of(TUTORIAL, width))
