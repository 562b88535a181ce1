"""Writes the outputs that README.md and docs/report.md show, from sample runs.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console

from tb_plugin_explain.compare_text import print_comparison
from tb_plugin_explain.comparison.build import compare_paths
from tb_plugin_explain.comparison_schema import Comparison
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.run_pairs import sources_of
from tb_plugin_explain.text_report import print_report
from tb_plugin_explain.wire import to_json

PAGES = ("README.md", "docs/report.md")
SAMPLES = ROOT / "tb_plugin_explain" / "samples"
SAMPLE = "tutorial_64_cold"
PAIR = ("tutorial_4096_eager", "tutorial_4096_compiled")
# As wide as a page shows without scrolling.
COLUMNS = 96
# Lists of more figures, as charts need them, are cut to the first few.
LONGEST_LIST = 20
# Rows of the table of differences that are shown.
FIRST_FIGURES = 6
FIGURES = 4
EXAMPLE = "example"
_MARKED = re.compile(rf"(<!-- {EXAMPLE}: (\w+) -->\n).*?(<!-- end of example -->)", re.DOTALL)


@dataclass(frozen=True)
class Samples:
    """What the examples show."""

    report: Report
    comparison: Comparison


def samples() -> Samples:
    """The sample run explained and the sample pair compared, as the commands do it."""
    ((file,), *pair) = (sources_of(str(SAMPLES / run)) for run in (SAMPLE, *PAIR))
    ((baseline,), (candidate,)) = pair
    report = explain_path(file.path, None, file.worker, file.span)
    return Samples(report, compare_paths(baseline, candidate))


def printed(show: Callable[[Console], None]) -> list[str]:
    """The lines that something prints."""
    stream = io.StringIO()
    show(Console(file=stream, width=COLUMNS, color_system=None, highlight=False))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def shown(lines: list[str]) -> str:
    """The beginning of a text, as a page shows it."""
    return "```text\n" + "\n".join([*lines, "…"]) + "\n```\n"


def text_example(given: Samples) -> str:
    """What ``report`` prints, up to the end of the first finding."""
    lines = printed(lambda console: print_report(given.report, console))
    second = [i for i, line in enumerate(lines) if line.startswith("[")][1]
    return shown(lines[:second])


def compare_text_example(given: Samples) -> str:
    """What ``compare`` prints, up to the first figures."""
    lines = printed(lambda console: print_comparison(given.comparison, console))
    table = next(i for i, line in enumerate(lines) if line.startswith(" a step"))
    return shown(lines[: table + FIRST_FIGURES + 1])


def shortened(value: Any) -> Any:
    """The first element of each list of objects or lists, the first figures of a long one, and all else."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list) and len(value) > LONGEST_LIST:
        value = value[: 1 if isinstance(value[0], dict | list) else FIGURES]
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


def json_example(given: Samples) -> str:
    """The JSON of the report with lists cut to their first element; of the steps, the last one."""
    content = json.loads(to_json(given.report))
    content["steps"] = content["steps"][-1:]
    return "```json\n" + spelt(shortened(content)) + "\n```\n"


def compare_json_example(given: Samples) -> str:
    """The JSON of the comparison with lists cut to their first element."""
    return "```json\n" + spelt(shortened(json.loads(to_json(given.comparison)))) + "\n```\n"


EXAMPLES: Mapping[str, Callable[[Samples], str]] = {
    "text": text_example,
    "json": json_example,
    "compare_text": compare_text_example,
    "compare_json": compare_json_example,
}


def with_examples(page: str, given: Samples) -> str:
    """A page with its examples as they are today."""
    return _MARKED.sub(lambda found: found[1] + EXAMPLES[found[2]](given) + found[3], page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the example outputs of the pages.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check, given, old = parser.parse_args().check, samples(), False
    for name in PAGES:
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        text = with_examples(page, given)
        old |= text != page
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and old)


if __name__ == "__main__":
    sys.exit(main())
