"""Parts of text on a terminal that several commands print: cells, tables, findings.

Everything that comes from a file is shown as plain text: a terminal would obey its control characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Evidence, Finding, RuleOutcome, Verdict
from tb_plugin_explain.findings import Table as EvidenceTable
from tb_plugin_explain.report_schema import Warning
from tb_plugin_explain.report_wording import NOTHING as NOTHING
from tb_plugin_explain.report_wording import VERDICTS, stake

_STYLES: Mapping[Verdict, str] = {
    "fix": "bold yellow",
    "undecided": "bold magenta",
    "expected": "dim",
    "artifact": "dim",
}
# Rows of a table of evidence; the whole table is in the JSON.
_MAX_ROWS = 6


def printable(text: str) -> str:
    """The text without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else "�" for c in text)


def plain(text: str, style: str = "") -> Text:
    """The text as it is, without markup and without control characters."""
    return Text(printable(text), style=style)


def time(time_us: float | None) -> str:
    """A time, or a dash where there is none."""
    return NOTHING if time_us is None else wording.time(time_us)


def pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Two columns, the left one as labels."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for label, text in rows:
        table.add_row(plain(label, "bold"), plain(text))
    return table


def figures_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table whose first column is text, the others figures."""
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in columns:
        first = column == columns[0]
        table.add_column(column, justify="left" if first else "right", no_wrap=not first, overflow="ellipsis")
    for row in rows:
        table.add_row(*(plain(cell) for cell in row))
    return table


def print_heading(console: Console, text: str) -> None:
    """A heading, after an empty line."""
    console.print()
    console.print(plain(text, "bold"))


def _cell(value: str | int | float | None, column: str) -> str:
    if value is None:
        return NOTHING
    if column.endswith("_us") and not isinstance(value, str):
        return wording.time(value)
    if column.endswith("_bytes") and not isinstance(value, str):
        return wording.size(value)
    # A step's number is its name, so it takes no commas.
    return f"{value:,}" if isinstance(value, int) and column != "step" else str(value)


def _evidence_table(evidence: EvidenceTable) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in evidence.columns:
        numeric = column.endswith(("_us", "_bytes")) or column in ("count", "step")
        label = column.removesuffix("_us").removesuffix("_bytes").replace("_", " ")
        table.add_column(label, justify="right" if numeric else "left")
    for row in evidence.rows[:_MAX_ROWS]:
        table.add_row(*(plain(_cell(v, c)) for v, c in zip(row, evidence.columns, strict=True)))
    if len(evidence.rows) > _MAX_ROWS:
        table.add_row(plain(f"… {len(evidence.rows) - _MAX_ROWS} more"))
    return table


def print_finding(console: Console, finding: Finding, unit: str) -> None:
    """One finding; ``unit`` says of what its time at stake is, such as ``a step``."""
    label = f"[{VERDICTS[finding.verdict]}] "
    head = Text.assemble((label, _STYLES[finding.verdict]), (printable(finding.title), "bold"))
    at_stake = stake(finding, unit)
    if at_stake:
        head.append(f"  ({at_stake})", "dim")
    console.print()
    console.print(head)
    console.print(Padding(plain(finding.text), (0, 0, 0, 2)))
    console.print(Padding(Text.assemble(("What to do: ", "italic"), printable(finding.advice)), (0, 0, 0, 2)))
    tables: Iterable[Evidence] = finding.evidence
    for evidence in tables:
        if isinstance(evidence, EvidenceTable) and evidence.rows:
            console.print(Padding(_evidence_table(evidence), (0, 0, 0, 2)))


def print_unchecked(console: Console, rules: Sequence[RuleOutcome]) -> None:
    """The rules whose question could not be answered, one line a reason."""
    reasons: dict[str, list[str]] = {}
    for rule in rules:
        if rule.outcome in ("not_measured", "failed"):
            reasons.setdefault(rule.reason or "", []).append(rule.title)
    if reasons:
        print_heading(console, "Could not be checked")
    for reason, titles in reasons.items():
        console.print(Padding(plain(f"{'; '.join(titles)}: {reason}."), (0, 0, 0, 2)))


def print_warnings(console: Console, warnings: Sequence[Warning], findings: Sequence[Finding]) -> None:
    """The warnings that no finding tells already."""
    told = {finding.rule for finding in findings}
    untold = [w for w in warnings if w.kind.replace("_", "-") not in told]
    if untold:
        print_heading(console, "Warnings")
        console.print(pairs((f"  {w.kind.replace('_', ' ')}", f"{w.message} {w.advice}") for w in untold))
