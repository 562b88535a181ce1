"""Writes the outputs that README.md and docs/report.md show, from a sample run.

A page marks the place with ``<!-- example: NAME -->`` and ``<!-- end of example -->``. Without arguments the
script writes the pages; with ``--check`` its exit status is 1 if one is out of date.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console

from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.runs import split_name
from tb_plugin_explain.text_report import print_report
from tb_plugin_explain.wire import to_json

PAGES = ("README.md", "docs/report.md")
SAMPLE = "tutorial_64_cold"
# As wide as a page shows without scrolling.
COLUMNS = 96
EXAMPLE = "example"
_MARKED = re.compile(rf"(<!-- {EXAMPLE}: (\w+) -->\n).*?(<!-- end of example -->)", re.DOTALL)


def sample_report() -> Report:
    """The report of the sample run, as ``tb-explain report`` makes it."""
    (file,) = (ROOT / "tb_plugin_explain" / "samples" / SAMPLE).iterdir()
    worker, span = split_name(file.name)
    return explain_path(str(file), None, worker, span)


def text_example(report: Report) -> str:
    """What the command prints, up to the end of the first finding."""
    printed = io.StringIO()
    print_report(report, Console(file=printed, width=COLUMNS, color_system=None, highlight=False))
    lines = [line.rstrip() for line in printed.getvalue().splitlines()]
    second = [i for i, line in enumerate(lines) if line.startswith("[")][1]
    return "```text\n" + "\n".join([*lines[:second], "…"]) + "\n```\n"


def shortened(value: Any) -> Any:
    """The first element of each list of objects or lists, and all else."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        return [shortened(value[0])]
    return value


def spelt(value: Any, indent: str = "") -> str:
    """JSON in which what fits on a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + line) <= COLUMNS or not isinstance(value, dict | list):
        return line
    inner = indent + " "
    if isinstance(value, list):
        parts = [inner + spelt(element, inner) for element in value]
    else:
        parts = [f"{inner}{json.dumps(key)}: {spelt(element, inner)}" for key, element in value.items()]
    opening, closing = ("[", "]") if isinstance(value, list) else ("{", "}")
    return opening + "\n" + ",\n".join(parts) + f"\n{indent}{closing}"


def json_example(report: Report) -> str:
    """The JSON of the report with lists cut to their first element; of the steps, the last one."""
    content = json.loads(to_json(report))
    content["steps"] = content["steps"][-1:]
    return "```json\n" + spelt(shortened(content)) + "\n```\n"


EXAMPLES: Mapping[str, Callable[[Report], str]] = {"text": text_example, "json": json_example}


def with_examples(page: str, report: Report) -> str:
    """A page with its examples as they are today."""
    return _MARKED.sub(lambda found: found[1] + EXAMPLES[found[2]](report) + found[3], page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the example outputs of the pages.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check, report, old = parser.parse_args().check, sample_report(), False
    for name in PAGES:
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        text = with_examples(page, report)
        old |= text != page
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and old)


if __name__ == "__main__":
    sys.exit(main())
