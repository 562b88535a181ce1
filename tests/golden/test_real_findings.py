"""What real traces of others are told, as it was when somebody last checked it against the events.

The traces are not in the repository, nor are their own words: lines of source code, modules and
annotations are masked. Names of operators, kernels and calls stay.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tb_plugin_explain.findings import Finding
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report

REVIEWED = Path(__file__).parent / "real"
SOURCES = "SOURCES.tsv"
SOURCE_LINE = re.compile(r"\S+\.py(\(\d+\)|:\d+)(: \S+)?")


def own_words(report: Report) -> dict[str, str]:
    """What the trace's authors named, the longest first, and what stands in its place."""
    words: dict[str | None, str] = {}
    if report.annotations is not None:
        words |= {annotation.name: "<annotation>" for annotation in report.annotations.rows}
    if report.modules is not None:
        words |= {module.path: "<module>" for module in report.modules.rows}
    for site in report.call_sites.sites if report.call_sites is not None else ():
        words |= {site.annotation: "<annotation>", site.module: "<module>", site.source: "<line>"}
    known = {word: mask for word, mask in words.items() if word}
    return {word: known[word] for word in sorted(known, key=lambda w: (-len(w), w))}


def masked(report: Report, value: Any) -> Any:
    """The value without the words of the trace's authors."""
    words = own_words(report)

    def mask(text: str) -> str:
        for word, instead in words.items():
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", instead, text)
        return SOURCE_LINE.sub("<line>", text)

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: walk(child) for key, child in node.items()}
        if isinstance(node, (list, tuple)):
            return [walk(child) for child in node]
        return mask(node) if isinstance(node, str) else node

    return walk(value)


def finding_of(finding: Finding) -> dict[str, Any]:
    fields = ("rule", "verdict", "step", "title", "text", "advice", "at_stake_us", "looks_like_us")
    return {field: getattr(finding, field) for field in fields}


def review_of(report: Report, source: str) -> dict[str, Any]:
    """What a reader is told first: the headline and the findings."""
    headline = report.headline
    said = {
        "verdict": headline.verdict,
        "text": headline.text,
        "detail": headline.detail,
        "confidence": headline.confidence,
        "why": headline.why,
        "first": msgspec.to_builtins(headline.first) if headline.first else None,
        "false_alarms": [msgspec.to_builtins(alarm) for alarm in headline.false_alarms],
        "findings": [finding_of(finding) for finding in report.findings],
    }
    return {"source": source, **masked(report, said)}


def source_of(trace: Path) -> str:
    """The public repository from which a trace comes."""
    with (trace.parent / SOURCES).open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["file"] == trace.name:
                return str(row["source_repo"])
    raise LookupError(f"{trace.name} is not in {SOURCES}")


def reviewed() -> list[str]:
    return sorted(path.stem for path in REVIEWED.glob("*.json"))


@pytest.mark.parametrize("name", reviewed())
def test_findings_of_a_real_trace(name: str, shared_traces: Path, request: pytest.FixtureRequest) -> None:
    trace = shared_traces / f"{name}.json.gz"
    review = review_of(explain_path(str(trace)), source_of(trace))
    golden = REVIEWED / f"{name}.json"
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(json.dumps(review, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(golden.read_text(encoding="utf-8")) == review
