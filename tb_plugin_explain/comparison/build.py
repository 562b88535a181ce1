"""Two traces compared: ``compare(baseline, candidate)`` and ``compare_paths``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from tb_plugin_explain.comparison.changes import find_changes
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.compile_facts import find_compile_facts
from tb_plugin_explain.comparison.cpu_groups import find_cpu_groups
from tb_plugin_explain.comparison.deltas import find_deltas
from tb_plugin_explain.comparison.groups import find_groups
from tb_plugin_explain.comparison.headline import write_headline
from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison.pairing import compared_steps, step_pairs
from tb_plugin_explain.comparison.rule_run import run_comparison_rules
from tb_plugin_explain.comparison.warnings import find_warnings
from tb_plugin_explain.comparison_schema import (
    ComparedTrace,
    Comparison,
    ComparisonHeadline,
    Delta,
    FusionGroup,
    GroupSummary,
    SideName,
)
from tb_plugin_explain.report.build import trace_info
from tb_plugin_explain.report.steps import maybe_us
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace

Progress = Callable[[str, float | None], None]


class Source(Struct, frozen=True):
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


def _won_us(headline: ComparisonHeadline, pace: Delta) -> tuple[float | None, float | None]:
    """By how much a step of each side is shorter than the other's, None where it is not known to be."""
    if pace.difference is None:
        return None, None
    slower, faster = headline.verdict == "slower", headline.verdict == "faster"
    return pace.difference if slower else None, -pace.difference if faster else None


def _groups(pair: Pair) -> tuple[Sequence[FusionGroup], GroupSummary]:
    """Of GPU work where either side has any, else of operators."""
    by_gpu = any(side.has_gpu_work for side in pair.sides)
    return find_groups(pair) if by_gpu else find_cpu_groups(pair)


def compare(baseline: Side, candidate: Side) -> Comparison:
    """What the candidate changed against the baseline."""
    pair = Pair(baseline, candidate)
    steps, deltas, changes = compared_steps(pair), find_deltas(pair), find_changes(pair)
    headline = write_headline(pair, changes, steps, deltas)
    by_metric = {delta.metric: delta for delta in deltas}
    groups, summary = _groups(pair)
    won_before_us, won_us = _won_us(headline, by_metric["pace_us"])
    facts = find_compile_facts(candidate, won_us)
    compared = Compared(pair, changes, by_metric, headline, groups, summary, facts)
    findings, outcomes = run_comparison_rules(compared)
    return Comparison(
        baseline=_compared(baseline),
        candidate=_compared(candidate),
        headline=headline,
        steps=steps,
        deltas=deltas,
        by_step=step_pairs(pair),
        groups=groups,
        group_summary=summary,
        compile=facts,
        baseline_compile=find_compile_facts(baseline, won_before_us),
        warnings=find_warnings(changes),
        findings=findings,
        rules=outcomes,
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
