"""A comparison as markdown that can be pasted into a pull request: short, and safe to paste.

Names come from strangers’ files: none of them may become markup, a link, or a mention of somebody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_plugin_explain import comparison_wording as words
from tb_plugin_explain import wording
from tb_plugin_explain.comparison_schema import (
    ComparedSteps,
    Comparison,
    CompileFacts,
    GateOutcome,
    GateResult,
    RunComparison,
    SideName,
)
from tb_plugin_explain.markdown_parts import escaped, table

# A pull request is read in passing: what changed most, and no more.
_MAX_GROUPS = 8
_MAX_FINDINGS = 3
_MARKS: Mapping[GateOutcome, str] = {"passed": "✅", "failed": "❌", "not_measured": "❔"}


def _head(comparison: Comparison) -> Sequence[str]:
    headline = comparison.headline
    lines = [f"**{escaped(headline.text)}** {escaped(headline.detail)}", ""]
    lines.append(escaped(f"Verdict: {words.VERDICTS[headline.verdict]}. {headline.why}"))
    changes = words.changes(comparison)
    if changes:
        lines += ["", escaped(f"Changed: {'; '.join(changes)}.")]
    return lines


def _deltas(comparison: Comparison) -> Sequence[str]:
    """The figures that are not nothing on both sides."""
    rows = [words.delta_cells(d) for d in words.measured(comparison.deltas) if d.baseline or d.candidate]
    columns = words.delta_columns(comparison.steps)
    return ["", *table(columns, rows)] if rows else []


def _groups(comparison: Comparison) -> Sequence[str]:
    ordered = words.by_difference(comparison.groups)
    if not ordered:
        return []
    shown = map(words.group_cells, ordered[:_MAX_GROUPS])
    lines = table(words.GROUP_COLUMNS, shown, text_columns=2)
    more = len(ordered) - _MAX_GROUPS
    rest = ["", f"… and {wording.count(more, 'more group')}."] if more > 0 else []
    note = comparison.group_summary.note
    notes = ["", escaped(note)] if note else []
    return ["", f"{words.groups_heading(comparison)}:", "", *lines, *rest, *notes]


def _compile(facts: CompileFacts | None, side: SideName, steps: ComparedSteps) -> Sequence[str]:
    if facts is None:
        return []
    rows = [f"- {label}: {escaped(text)}" for label, text in words.compile_facts(facts, steps)]
    return ["", f"`torch.compile` in the {side}:", "", *rows]


def _findings(comparison: Comparison) -> Sequence[str]:
    worth = [f for f in comparison.findings if f.verdict in ("fix", "undecided")]
    lines = [f"- **{escaped(f.title)}.** {escaped(f.text)}" for f in worth[:_MAX_FINDINGS]]
    return ["", *lines] if lines else []


def _gates(gates: Sequence[GateResult]) -> Sequence[str]:
    if not gates:
        return []
    rows = ((f"{_MARKS[g.outcome]} {words.OUTCOMES[g.outcome]}", g.gate, g.text) for g in gates)
    return ["", *table(("limit", "", "difference"), rows, text_columns=3)]


def _sides(comparison: Comparison) -> Sequence[str]:
    baseline, candidate = (words.trace(s.trace) for s in (comparison.baseline, comparison.candidate))
    return ["", f"<sub>{escaped(f'Baseline: {baseline}. Candidate: {candidate}.')}</sub>"]


def as_markdown(comparison: Comparison) -> str:
    """One comparison of two traces, ending in a newline."""
    parts = (
        _head(comparison),
        _gates(comparison.gates),
        _deltas(comparison),
        _groups(comparison),
        _compile(comparison.baseline_compile, "baseline", comparison.steps),
        _compile(comparison.compile, "candidate", comparison.steps),
        _findings(comparison),
        _sides(comparison),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def run_as_markdown(run: RunComparison) -> str:
    """The comparisons of two runs, one heading a pair of workers."""
    parts = []
    for comparison in run.comparisons:
        baseline, candidate = (s.trace for s in (comparison.baseline, comparison.candidate))
        names = dict.fromkeys(info.worker or info.file for info in (baseline, candidate))
        parts.append(f"### {escaped(' and '.join(names))}\n\n{as_markdown(comparison)}")
    parts += [f"- {escaped(line)}.\n" for line in words.unpaired(run)]
    return "\n".join(parts)
