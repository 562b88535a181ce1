"""Comparisons as one self-contained page: it works offline, runs no script and fetches nothing."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain import comparison_wording as words
from tb_plugin_explain.comparison_schema import (
    Comparison,
    CompileFacts,
    RunComparison,
    SideName,
)
from tb_plugin_explain.html_parts import name, page, section, table, text
from tb_plugin_explain.report_html import findings_section, unchecked_section


def _head(comparison: Comparison) -> str:
    headline = comparison.headline
    sides = ((s, words.trace(getattr(comparison, s).trace)) for s in ("baseline", "candidate"))
    lines = [
        *(f'<p class="dim">{side.capitalize()}: {name(trace)}</p>' for side, trace in sides),
        f"<h1>{text(headline.text)}</h1>",
        f'<p class="lead">{text(headline.detail)}</p>',
        f'<p class="dim">{text(f"Verdict: {words.VERDICTS[headline.verdict]}. {headline.why}")}</p>',
    ]
    changed = words.changes(comparison)
    if changed:
        lines.append(f"<p><b>Changed:</b> {text('; '.join(changed))}</p>")
    return "".join(lines)


def _deltas(comparison: Comparison) -> str:
    rows = [words.delta_cells(d) for d in words.measured(comparison.deltas)]
    missing = "; ".join(words.not_measured(comparison.deltas))
    note = f"Compared: {words.compared(comparison.steps)}." + (
        f" Not measured: {missing}." if missing else ""
    )
    return section("Figures", table(words.delta_columns(comparison.steps), rows), note=note) if rows else ""


def _groups(comparison: Comparison) -> str:
    rows = [words.group_cells(group) for group in words.by_difference(comparison.groups)]
    if not rows:
        return ""
    note = comparison.group_summary.note or ""
    return section(words.groups_heading(comparison), table(words.GROUP_COLUMNS, rows, 2), note=note)


def _compile(comparison: Comparison, facts: CompileFacts | None, side: SideName) -> str:
    if facts is None:
        return ""
    rows = words.compile_facts(facts, comparison.steps)
    return section(f"torch.compile in the {side}", table(("", ""), rows, 2))


def _gates(comparison: Comparison) -> str:
    rows = [(words.OUTCOMES[gate.outcome], gate.gate, gate.text) for gate in comparison.gates]
    return section("Limits", table(("", "limit", ""), rows, 3)) if rows else ""


def _comparison(comparison: Comparison) -> str:
    parts = (
        _head(comparison),
        _gates(comparison),
        _deltas(comparison),
        _groups(comparison),
        _compile(comparison, comparison.baseline_compile, "baseline"),
        _compile(comparison, comparison.compile, "candidate"),
        findings_section(comparison.findings, words.rate(comparison.steps)),
        unchecked_section(comparison.rules),
    )
    return "".join(parts)


def comparison_page(comparisons: Sequence[Comparison]) -> str:
    """One page of one or more comparisons."""
    return page("Two runs compared", *map(_comparison, comparisons))


def run_page(run: RunComparison) -> str:
    """The comparisons of two runs, and the files that were compared with nothing."""
    unpaired = "".join(f"<p>{text(line)}.</p>" for line in words.unpaired(run))
    return page("Two runs compared", *map(_comparison, run.comparisons), unpaired)
