"""Every per-step figure of every real trace equals the slow reference's, to the nanosecond.

``tests/reference`` was written from docs/definitions.md alone; it shares no code with the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tests.reference import reference_report

SHARED = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def _all_traces(shared: Path) -> list[Path]:
    return sorted((shared / "traces").glob("*.json.gz"))


# Execution graphs, not traces: refused by name of what they are.
REFUSED = {"astrasim__eg.rank_0.pt.trace.json.gz", "hta__execution_trace_benchmark_simple_add_et.json.gz"}
# What reading had to do is not the reference's job, and it counts calls where we count names.
ONLY_OURS = {
    "thinned",
    "json_repaired",
    "control_chars_in_name",
    "invalid_utf8",
    "string_timestamps",
    "top_level_array",
    "malformed_events_skipped",
    "truncated",
}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every figure with its path; a list's length counts as one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def comparable(report: dict[str, Any]) -> dict[str, Any]:
    """The part of a report that both sides know."""
    for step in report["steps"]:
        for key in ("cpu_by", "not_measured"):
            step.pop(key, None)
    headline = {key: report["headline"][key] for key in ("verdict", "confidence", "steps", "settled")}
    kinds = {w["kind"] for w in report["warnings"]} - ONLY_OURS
    return {
        "steps": report["steps"],
        "pace_us": report["pace_us"],
        "closing_wait": report["closing_wait"],
        "headline": headline,
        "warnings": sorted(kinds),
    }


@pytest.mark.parametrize("trace", _all_traces(SHARED) or [None], ids=lambda p: p.name if p else "none")
def test_every_figure_equals_the_reference(trace: Path | None, shared_traces: Path) -> None:
    assert trace is not None
    assert trace.parent == shared_traces
    if trace.name in REFUSED:
        with pytest.raises(TraceError, match="execution graph"):
            explain_path(str(trace))
        return
    ours = comparable(msgspec.json.decode(msgspec.json.encode(explain_path(str(trace)))))
    theirs = comparable(msgspec.json.decode(msgspec.json.encode(reference_report(str(trace)))))
    assert dict(leaves(ours)) == dict(leaves(theirs))
