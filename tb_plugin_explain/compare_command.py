"""``tb-explain compare``: two traces, or two runs worker by worker."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace

from tb_plugin_explain import wording
from tb_plugin_explain.compare_html import comparison_page, run_page
from tb_plugin_explain.compare_markdown import as_markdown, run_as_markdown
from tb_plugin_explain.compare_text import print_comparison, print_run_comparison
from tb_plugin_explain.comparison.build import Source, compare_paths
from tb_plugin_explain.comparison.gates import Gate, check_gates, parse_gate
from tb_plugin_explain.comparison.metrics import METRICS
from tb_plugin_explain.comparison_schema import Comparison, RunComparison
from tb_plugin_explain.console import OutputConsole
from tb_plugin_explain.errors import TraceError, UsageError
from tb_plugin_explain.run_pairs import SourcePair, pair_workers, sources_of
from tb_plugin_explain.terminal import (
    BAD_INPUT,
    LIMIT_EXCEEDED,
    OK,
    progress_bar,
    reader_may_leave,
    tell,
    tell_error,
    write_json,
)
from tb_plugin_explain.wire import to_json


def run_compare(baseline: str, candidate: str, form: str, limits: Sequence[str]) -> int:
    """Compares two files or run directories, prints the answer, and returns the exit status.

    form: ``text``, ``json``, ``markdown`` or ``html``. limits: gates, see ``comparison.gates``.

    Raises:
        UsageError: a limit is none, a directory holds no trace, or no two files belong together.
    """
    gates = [parse_gate(text, {metric.id: metric.unit for metric in METRICS}) for text in limits]
    sides = sources_of(baseline), sources_of(candidate)
    pairs, unpaired = pair_workers(*sides)
    if not pairs:
        ours, theirs = (", ".join(str(s.worker) for s in side) for side in sides)
        raise UsageError(
            f"{baseline} and {candidate} have no worker in common ({ours} against {theirs}): name two files."
        )
    if len(pairs) == 1 and not unpaired:
        return _compare_two(pairs[0], form, gates)
    return _compare_runs(pairs, RunComparison([], unpaired), form, gates)


def _compare(pair: SourcePair, gates: Sequence[Gate]) -> Comparison:
    paths = [source.path for source in pair]
    if os.path.realpath(paths[0]) == os.path.realpath(paths[1]) and os.path.exists(paths[0]):
        tell(f"{paths[0]} is compared with itself.")
    with progress_bar(paths) as set_bar:
        comparison = compare_paths(*pair, set_bar)
    return replace(comparison, gates=check_gates(gates, comparison))


def _compare_two(pair: tuple[Source, Source], form: str, gates: Sequence[Gate]) -> int:
    try:
        comparison = _compare(pair, gates)
    except TraceError as error:
        tell_error(error, form)
        return BAD_INPUT
    with reader_may_leave():
        if form == "json":
            write_json(to_json(comparison))
        elif form == "markdown":
            print(as_markdown(comparison), end="")
        elif form == "html":
            print(comparison_page([comparison]), end="")
        else:
            print_comparison(comparison, OutputConsole())
    return _status([comparison])


def _compare_runs(pairs: Sequence[SourcePair], run: RunComparison, form: str, gates: Sequence[Gate]) -> int:
    """Several workers; a pair of which a file cannot be read is told and passed over."""
    comparisons, refused = [], False
    for pair in pairs:
        try:
            comparisons.append(_compare(pair, gates))
        except TraceError as error:
            refused = True
            tell_error(error, "text")
    run = replace(run, comparisons=comparisons)
    with reader_may_leave():
        if form == "json":
            write_json(to_json(run))
        elif form == "markdown":
            print(run_as_markdown(run), end="")
        elif form == "html":
            print(run_page(run), end="")
        else:
            print_run_comparison(run, OutputConsole())
    if gates and run.unpaired:
        tell("limits were not checked for every file: some have no counterpart in the other run.")
        return LIMIT_EXCEEDED
    # A limit that was not checked everywhere is not kept.
    unchecked = refused and (bool(gates) or not comparisons)
    return _status(comparisons) or (BAD_INPUT if unchecked else OK)


def _status(comparisons: Sequence[Comparison]) -> int:
    """3 where a limit is not kept, which one line says too."""
    results = [gate for comparison in comparisons for gate in comparison.gates]
    broken = [gate for gate in results if gate.outcome != "passed"]
    if broken:
        names = ", ".join(gate.gate for gate in broken)
        tell(f"{len(broken)} of {wording.count(len(results), 'limit')} not kept: {names}.")
    return LIMIT_EXCEEDED if broken else OK
