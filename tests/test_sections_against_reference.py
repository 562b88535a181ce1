"""Every figure of every section of every real trace equals the slow reference's.

``tests/reference/sections`` was written from docs/definitions alone; it shares no code with the package.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tests.reference.sections import reference_sections

SHARED = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).resolve().parents[2] / "shared"))
# Execution graphs, not traces: refused by name of what they are.
REFUSED = {"astrasim__eg.rank_0.pt.trace.json.gz", "hta__execution_trace_benchmark_simple_add_et.json.gz"}
# What the glossary says of a name is no figure.
TEXTS = frozenset({"human"})
# Times that come from a division.
QUOTIENTS = ("slope_us", "change_us")


def _all_traces(shared: Path) -> list[Path]:
    return sorted((shared / "traces").glob("*.json.gz"))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every figure with its path; a list's length counts as one, and of reasons only what they are for."""
    if path.endswith(".not_measured"):
        yield path, sorted(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in TEXTS:
                yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def equal(path: str, ours: Any, theirs: Any) -> bool:
    """Exactly; quotients, which are no times, but for the last bits of their division."""
    if isinstance(ours, float) and isinstance(theirs, float) and not is_time(path):
        return math.isclose(ours, theirs, rel_tol=1e-12)
    return type(ours) is type(theirs) and bool(ours == theirs)


def is_time(path: str) -> bool:
    leaf = path.rsplit(".", 1)[-1]
    return ("_us" in leaf and leaf not in QUOTIENTS) or ".causes." in path or ".host_by." in path


def differences(ours: Any, theirs: Any) -> dict[str, tuple[Any, Any]]:
    """Path → (the package's, the reference's) figure, where they differ."""
    left, right = dict(leaves(ours)), dict(leaves(theirs))
    absent = "(absent)"
    return {
        path: (left.get(path, absent), right.get(path, absent))
        for path in sorted(left.keys() | right.keys())
        if not equal(path, left.get(path, absent), right.get(path, absent))
    }


@pytest.mark.parametrize("trace", _all_traces(SHARED) or [None], ids=lambda p: p.name if p else "none")
def test_every_section_equals_the_reference(trace: Path | None, shared_traces: Path) -> None:
    assert trace is not None
    assert trace.parent == shared_traces
    if trace.name in REFUSED:
        with pytest.raises(TraceError, match="execution graph"):
            explain_path(str(trace))
        return
    report = msgspec.json.decode(msgspec.json.encode(explain_path(str(trace))))
    theirs = reference_sections(trace)
    ours = {name: report[name] for name in theirs}
    assert differences(ours, theirs) == {}
