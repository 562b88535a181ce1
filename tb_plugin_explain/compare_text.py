"""A comparison as text for a terminal. Everything that comes from the files is shown as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from tb_plugin_explain import comparison_wording as words
from tb_plugin_explain import wording
from tb_plugin_explain.comparison_schema import (
    Comparison,
    Delta,
    FusionGroup,
    GateOutcome,
    GateResult,
    GroupSummary,
    RunComparison,
)
from tb_plugin_explain.text_parts import (
    pairs,
    plain,
    print_finding,
    print_heading,
    print_unchecked,
    print_warnings,
)

# Groups that are shown one by one: those that changed most. The rest is summed up, and in the JSON.
_MAX_GROUPS = 12
# Reasons for steps left out; a long recording may have many.
_MAX_REASONS = 6
_STYLES: Mapping[GateOutcome, str] = {"passed": "green", "failed": "bold red", "not_measured": "bold magenta"}
# A terminal of this width has room for shares of the baseline and numbers of events too.
_WIDE = 96
_LEFT_OUT = f"Shares of the baseline and numbers of events need {_WIDE} columns; this is narrower."


def _print_head(console: Console, comparison: Comparison) -> None:
    sides = (("baseline", comparison.baseline), ("candidate", comparison.candidate))
    console.print(pairs((name, words.trace(side.trace)) for name, side in sides))
    headline = comparison.headline
    console.print()
    console.print(plain(headline.text, "bold"))
    console.print(plain(headline.detail))
    console.print(plain(f"Verdict: {words.VERDICTS[headline.verdict]}. {headline.why}", "dim"))


def _print_basis(console: Console, comparison: Comparison) -> None:
    """What was compared with what, and what else differs."""
    rows = [("Changed" if i == 0 else "", text) for i, text in enumerate(words.changes(comparison))]
    rows.append(("Compared", words.compared(comparison.steps)))
    reasons = words.left_out(comparison.steps.left_out)
    rows += [("Left out" if i == 0 else "", text) for i, text in enumerate(reasons[:_MAX_REASONS])]
    if len(reasons) > _MAX_REASONS:
        rows.append(("", f"… {len(reasons) - _MAX_REASONS} more in the JSON"))
    console.print()
    console.print(pairs(rows))


def _deltas_table(deltas: Sequence[Delta], of: str, wide: bool) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    table.add_column(of)
    for column in ("baseline", "candidate", "difference"):
        table.add_column(column, justify="right", no_wrap=True)
    if wide:
        table.add_column("of baseline", justify="right", no_wrap=True)
    table.add_column("interval", justify="right")
    table.add_column("within noise")
    for delta in deltas:
        table.add_row(
            words.metric(delta.metric),
            words.value(delta.baseline, delta.unit),
            words.value(delta.candidate, delta.unit),
            words.difference(delta),
            *([words.relative(delta)] if wide else []),
            words.interval(delta),
            words.noise(delta),
        )
    return table


def _print_deltas(console: Console, comparison: Comparison) -> None:
    shown = words.measured(comparison.deltas)
    if shown:
        console.print()
        console.print(_deltas_table(shown, words.span(comparison.steps), console.width >= _WIDE))
    missing = words.not_measured(comparison.deltas)
    if missing:
        console.print(Padding(plain(f"Not measured: {'; '.join(missing)}.", "dim"), (0, 0, 0, 1)))


def _groups_table(groups: Sequence[FusionGroup], summary: GroupSummary, wide: bool) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("what", overflow="fold")
    for column in (*(["events"] if wide else []), "baseline", "candidate", "difference"):
        table.add_column(column, justify="right", no_wrap=True)
    for group in groups:
        table.add_row(
            words.KINDS[group.kind],
            plain(words.title(group)),
            *([words.events(group.baseline.events, group.candidate.events)] if wide else []),
            *_times(group.baseline.time_us, group.candidate.time_us),
        )
    old = sum(t.baseline_events for t in summary.totals)
    new = sum(t.candidate_events for t in summary.totals)
    table.add_row(
        "",
        "together",
        *([words.events(old, new)] if wide else []),
        *_times(summary.baseline_us, summary.candidate_us),
        style="bold",
    )
    return table


def _times(baseline_us: float, candidate_us: float) -> Sequence[str]:
    change = wording.difference(candidate_us - baseline_us, "us")
    return wording.time(baseline_us), wording.time(candidate_us), change


def _rest(groups: Sequence[FusionGroup]) -> str:
    before, after = sum(g.baseline.time_us for g in groups), sum(g.candidate.time_us for g in groups)
    old, new, change = _times(before, after)
    return f"… {wording.count(len(groups), 'more group')}: {old} → {new} ({change}); --format json shows all"


def _print_groups(console: Console, comparison: Comparison) -> None:
    summary = comparison.group_summary
    if comparison.groups:
        ordered = words.by_difference(comparison.groups)
        print_heading(console, words.groups_heading(comparison))
        console.print(_groups_table(ordered[:_MAX_GROUPS], summary, console.width >= _WIDE))
        if len(ordered) > _MAX_GROUPS:
            console.print(plain(f" {_rest(ordered[_MAX_GROUPS:])}", "dim"))
    if summary.unattributed_share:
        share = wording.percent(summary.unattributed_share)
        console.print(plain(f" {share} of the time could not be attributed.", "dim"))
    if summary.note:
        console.print(Padding(plain(summary.note, "dim"), (0, 0, 0, 1)))
    if console.width < _WIDE:
        console.print(Padding(plain(_LEFT_OUT, "dim"), (0, 0, 0, 1)))


def _print_compile(console: Console, comparison: Comparison) -> None:
    sides = (("baseline", comparison.baseline_compile), ("candidate", comparison.compile))
    for side, facts in sides:
        if facts is not None:
            step = getattr(comparison.steps.typical, side)
            where = "" if step is None else f", step {step}"
            print_heading(console, f"torch.compile in the {side}{where}")
            rows = words.compile_facts(facts, comparison.steps)
            console.print(pairs((f"  {label}", text) for label, text in rows))


def _print_gates(console: Console, gates: Sequence[GateResult]) -> None:
    if not gates:
        return
    print_heading(console, "Limits")
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for gate in gates:
        outcome = plain(f"  {words.OUTCOMES[gate.outcome]}", _STYLES[gate.outcome])
        table.add_row(outcome, plain(gate.gate), plain(gate.text))
    console.print(table)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Prints one comparison of two traces."""
    _print_head(console, comparison)
    _print_gates(console, comparison.gates)
    _print_basis(console, comparison)
    _print_deltas(console, comparison)
    _print_groups(console, comparison)
    _print_compile(console, comparison)
    for finding in comparison.findings:
        print_finding(console, finding, words.rate(comparison.steps))
    print_unchecked(console, comparison.rules)
    print_warnings(console, comparison.warnings, comparison.findings)


def print_run_comparison(run: RunComparison, console: Console) -> None:
    """Prints the comparisons of two runs, one after the other."""
    for i, comparison in enumerate(run.comparisons):
        if i:
            console.print()
            console.rule(style="dim")
        print_comparison(comparison, console)
    if run.unpaired:
        print_heading(console, "Not compared")
    for line in words.unpaired(run):
        console.print(plain(f"  {line}."))
