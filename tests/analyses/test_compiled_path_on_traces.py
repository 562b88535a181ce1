"""What must hold of every recorded trace, and the tax counted a second time from the file itself."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tb_plugin_explain
from tb_plugin_explain.analyses.compile_time import compile_events
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.trace.spans import union
from tests.conftest import REPOSITORY
from tests.recordings import NAMES, file_of

PACKAGED = sorted((Path(tb_plugin_explain.__file__).parent / "samples").glob("*/*.json*"))
OWN = [*PACKAGED, *(file_of(name) for name in NAMES)]
SHARED = Path(os.environ.get("EXPLAIN_SHARED", REPOSITORY.parent / "shared"))
# The other two are execution graphs, which have no times.
PUBLISHED = [
    p for p in sorted((SHARED / "traces").glob("*.json.gz")) if "_et." not in p.name and "__eg." not in p.name
]
BY_HAND = [*OWN, *(SHARED / "traces" / f"{name}.json.gz" for name in (
    "luatil__trace_04", "luatil__trace_05", "tracelens__torch_compile_triton__trace",
))]  # fmt: skip
LOOKUP = "TorchDynamo Cache Lookup"
PROLOGUES = ("Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue")
GRAPH = "## Call CompiledFxGraph"
REGION = "Torch-Compiled Region"
WRAPPERS = ("CompiledFunction", "CompiledFunctionBackward")


def is_on_path(name: str) -> bool:
    return name in (LOOKUP, *PROLOGUES, *WRAPPERS) or name.startswith((GRAPH, REGION))


@pytest.mark.parametrize("path", [*OWN, *PUBLISHED], ids=lambda path: f"{path.parent.name}/{path.name[:40]}")
def test_taxes_phases_and_breaks_fit_into_what_was_recorded(path: Path) -> None:
    run = RunAnalyses(read_trace(str(path)))
    trace, events, path_of = run.trace, run.trace.events, run.compiled_path
    on_cpu = trace.is_category(Category.CPU_OP, Category.ANNOTATION) & ~run.origins.annotations
    owner = run.recording.windows.owner(events.start_ns, events.process)
    on_path = trace.names_where(is_on_path) & trace.is_category(Category.CPU_OP, Category.ANNOTATION)
    for i, step in enumerate(run.steps):
        tax, mine = step.compile_tax, owner == i
        assert (tax is None) == (not (on_path & mine).any() or not path_of.marks_graphs)
        if tax is None:
            continue
        parts = (tax.lookup_ns, tax.prologue_ns, tax.wrapper_ns)
        assert min(parts) >= 0
        ran = 0
        for lane in np.unique(events.lane[on_path & mine]):
            rows = mine & (on_cpu | on_path) & (events.lane == lane)
            ran += union(events.start_ns[rows], events.end_ns_of(rows)).length_ns
        assert tax.total_ns == sum(parts) <= ran
    compiling, rows = run.compile_time, compile_events(trace)
    whole = union(events.start_ns[rows], events.end_ns_of(rows)).length_ns
    assert (0 if compiling is None else compiling.total_ns) == whole
    assert compiling is None or sum(compiling.phases_ns.values()) == whole
    breaks = path_of.breaks
    assert (breaks.own_ns >= 0).all()
    assert (breaks.own_ns <= breaks.between_ns).all()


def own_time(event: dict[str, Any], others: list[dict[str, Any]]) -> float:
    """Duration without what lies inside, of any depth."""
    end = event["ts"] + event["dur"]
    inside = [
        (e["ts"], e["ts"] + e["dur"])
        for e in others
        if e is not event and event["ts"] <= e["ts"] and e["ts"] + e["dur"] <= end + 1e-6
    ]
    left, reached = float(event["dur"]), float(event["ts"])
    for begin, stop in sorted(inside):
        left -= max(stop - max(begin, reached), 0)
        reached = max(reached, stop)
    return left


@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.parent.name + path.name[-20:])
def test_the_tax_equals_that_of_the_file(path: Path) -> None:
    if not path.exists():
        pytest.skip("no published traces beside the repository (set EXPLAIN_SHARED)")
    raw = path.read_bytes()
    everything = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)["traceEvents"]
    kinds = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver")
    events = [e for e in everything if e.get("ph") == "X" and e.get("cat") in kinds]
    run = RunAnalyses(read_trace(str(path)))
    base = min(
        e["ts"] for e in events if e["name"].startswith("ProfilerStep#") or not run.steps[0].step.number
    )
    at_breaks = run.compiled_path.breaks
    for i, step in enumerate(run.steps):
        if step.compile_tax is None or "recompile" in step.settled.because:
            continue
        number = step.step.number
        whole = [e for e in events if e["name"] == f"ProfilerStep#{number}"] or [{"ts": base, "dur": 1e12}]
        inside = [e for e in events if 0 <= e["ts"] - whole[0]["ts"] < whole[0]["dur"]]
        wrapper = 0.0
        for event in inside:
            if event["name"] in WRAPPERS or event["name"].startswith(REGION):
                wrapper += own_time(event, [e for e in inside if e["tid"] == event["tid"]])
        here = np.isin(at_breaks.after, run.compiled_path.of_step(i))
        expected = (
            sum(e["dur"] for e in inside if e["name"] == LOOKUP),
            sum(e["dur"] for e in inside if e["name"] in PROLOGUES),
            wrapper - float(at_breaks.own_ns[here].sum()) / 1000,
        )
        tax = step.compile_tax
        found = [tax.lookup_ns, tax.prologue_ns, tax.wrapper_ns]
        assert found == pytest.approx([value * 1000 for value in expected], abs=20)


def test_published_traces_were_there(shared_traces: Path) -> None:
    assert len(list(shared_traces.glob("*.json.gz"))) > 30
