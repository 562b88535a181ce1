"""Two traces compared: ``compare(baseline, candidate)`` and ``compare_paths``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tb_plugin_explain.comparison.changes import find_changes
from tb_plugin_explain.comparison.deltas import find_deltas
from tb_plugin_explain.comparison.headline import write_headline
from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison.pairing import compared_steps, step_pairs
from tb_plugin_explain.comparison.warnings import find_warnings
from tb_plugin_explain.comparison_schema import ComparedTrace, Comparison, GroupSummary, SideName
from tb_plugin_explain.report.build import trace_info
from tb_plugin_explain.report.steps import maybe_us
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace

Progress = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Source:
    """A file, and the run, worker and span that it is shown under."""

    path: str
    run: str | None = None
    worker: str | None = None
    span: str | None = None


def make_side(
    name: SideName, trace: Trace, run: str | None = None, worker: str | None = None, span: str | None = None
) -> Side:
    """One side of a comparison; ``run``, ``worker`` and ``span`` are shown as they are given."""
    analyses = RunAnalyses(trace)
    return Side(name, analyses, trace_info(analyses, run, worker, span))


def _compared(side: Side) -> ComparedTrace:
    bound = side.run.bound
    return ComparedTrace(
        trace=side.info,
        verdict="not_measured" if bound is None else bound.verdict,
        pace_us=maybe_us(side.run.pace_ns),
        compiled=side.compiled,
    )


def compare(baseline: Side, candidate: Side) -> Comparison:
    """What the candidate changed against the baseline."""
    pair = Pair(baseline, candidate)
    steps, deltas, changes = compared_steps(pair), find_deltas(pair), find_changes(pair)
    return Comparison(
        baseline=_compared(baseline),
        candidate=_compared(candidate),
        headline=write_headline(pair, changes, steps, deltas),
        steps=steps,
        deltas=deltas,
        by_step=step_pairs(pair),
        groups=[],
        group_summary=GroupSummary("gpu", 0.0, 0.0, [], None, None),
        compile=None,
        baseline_compile=None,
        warnings=find_warnings(changes),
        findings=[],
        rules=[],
    )


def _read(name: SideName, source: Source, tell: Progress) -> Side:
    phase = f"reading the {name}"
    tell(phase, None)
    trace = read_trace(source.path, lambda share: tell(phase, share))
    return make_side(name, trace, source.run, source.worker, source.span)


def compare_paths(baseline: Source, candidate: Source, on_progress: Progress | None = None) -> Comparison:
    """Reads and compares two files; ``on_progress`` hears the phase and the share done, None if unknown.

    Raises:
        TraceError: a file is no trace, or too damaged to be read.
    """
    tell: Progress = on_progress or (lambda _phase, _share: None)
    sides = _read("baseline", baseline, tell), _read("candidate", candidate, tell)
    tell("comparing", None)
    return compare(*sides)
