"""A report as text for a terminal. Everything that comes from the file is shown as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Evidence, Finding, Verdict
from tb_plugin_explain.findings import Table as EvidenceTable
from tb_plugin_explain.report_schema import Headline, Report, Step

_VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    "fix": ("worth fixing", "bold yellow"),
    "undecided": ("undecided", "bold magenta"),
    "expected": ("expected", "dim"),
    "artifact": ("artefact", "dim"),
}
_NOTHING = "–"
# Rows of a table of evidence; the whole table is in the JSON.
_MAX_ROWS = 6
# Steps that are shown one by one; the rest is in the JSON.
_MAX_STEPS = 20


def printable(text: str) -> str:
    """The text without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _time(time_us: float | None) -> str:
    return _NOTHING if time_us is None else wording.time(time_us)


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)


def _pairs(rows: Iterable[tuple[str, str]]) -> Table:
    """Two columns, the left one as labels."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for label, text in rows:
        table.add_row(_text(label, "bold"), _text(text))
    return table


def _title(report: Report) -> str:
    trace = report.trace
    device = ", ".join(sorted({d.name for d in trace.devices if d.name})) or None
    parts = [trace.file, device, wording.count(trace.events, "event")]
    return " · ".join(part for part in parts if part)


def _print_headline(console: Console, headline: Headline) -> None:
    console.print(_text(headline.text, "bold"))
    console.print(_text(headline.detail))
    about = f"Confidence: {headline.confidence} ({headline.why})."
    if len(headline.steps) > 1:
        about += f" Averages are over {wording.steps(headline.steps)}."
    console.print(_text(about, "dim"))
    rows = [("First", headline.first.text)] if headline.first else []
    if headline.false_alarms:
        rows.append(("False alarms", "; ".join(alarm.text for alarm in headline.false_alarms)))
    if rows:
        console.print()
        console.print(_pairs(rows))


def _gpu_figures(step: Step) -> tuple[str, str]:
    """Busy and idle time of a step's devices; of several, the busiest."""
    if step.gpu is None:
        return "unknown", _NOTHING
    if not step.gpu:
        return "none", _NOTHING
    gpu = max(step.gpu, key=lambda g: g.busy_us)
    return _time(gpu.busy_us), _time(gpu.idle_us)


def _settled(step: Step) -> str:
    if step.settled is None:
        return "not known"
    return "yes" if step.settled else ", ".join(step.unsettled_because).replace("_", " ")


def _steps_table(steps: Sequence[Step]) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    columns = ("step", "CPU span", "GPU busy", "GPU idle", "waiting", "bubble", "lane offset", "settled")
    for column in columns:
        table.add_column(
            column, justify="left" if column == "settled" else "right", no_wrap=column != "settled"
        )
    for step in steps[:_MAX_STEPS]:
        table.add_row(
            "all" if step.number is None else str(step.number),
            _time(step.duration_us),
            *_gpu_figures(step),
            _time(step.sync.total_us),
            _time(step.sync.bubble_us),
            _time(step.lane_offset.first_us),
            _settled(step),
        )
    return table


def _stake(finding: Finding, unit: str) -> str:
    if finding.at_stake_us:
        return f"{wording.time(finding.at_stake_us)} {unit}"
    if not finding.looks_like_us:
        return ""
    looks_like = wording.time(finding.looks_like_us)
    return (
        f"{looks_like}, cause unknown" if finding.verdict == "undecided" else f"0 µs, looks like {looks_like}"
    )


def _cell(value: str | int | float | None, column: str) -> str:
    if value is None:
        return _NOTHING
    if column.endswith("_us") and not isinstance(value, str):
        return wording.time(value)
    # A step's number is its name, so it takes no commas.
    return f"{value:,}" if isinstance(value, int) and column != "step" else str(value)


def _evidence_table(evidence: EvidenceTable) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in evidence.columns:
        numeric = column.endswith("_us") or column in ("count", "step")
        table.add_column(column.removesuffix("_us").replace("_", " "), justify="right" if numeric else "left")
    for row in evidence.rows[:_MAX_ROWS]:
        table.add_row(*(_text(_cell(v, c)) for v, c in zip(row, evidence.columns, strict=True)))
    if len(evidence.rows) > _MAX_ROWS:
        table.add_row(_text(f"… {len(evidence.rows) - _MAX_ROWS} more"))
    return table


def _print_finding(console: Console, finding: Finding, unit: str) -> None:
    label, style = _VERDICTS[finding.verdict]
    head = Text.assemble((f"[{label}] ", style), (printable(finding.title), "bold"))
    stake = _stake(finding, unit)
    if stake:
        head.append(f"  ({stake})", "dim")
    console.print()
    console.print(head)
    console.print(Padding(_text(finding.text), (0, 0, 0, 2)))
    console.print(Padding(Text.assemble(("What to do: ", "italic"), printable(finding.advice)), (0, 0, 0, 2)))
    tables: Iterable[Evidence] = finding.evidence
    for evidence in tables:
        if isinstance(evidence, EvidenceTable) and evidence.rows:
            console.print(Padding(_evidence_table(evidence), (0, 0, 0, 2)))


def _print_trust(console: Console, report: Report) -> None:
    open_questions = [r for r in report.rules if r.outcome in ("not_measured", "failed")]
    if open_questions:
        console.print()
        console.print(_text("Could not be checked", "bold"))
        reasons: dict[str, list[str]] = {r.reason or "": [] for r in open_questions}
        for rule in open_questions:
            reasons[rule.reason or ""].append(rule.title)
        for reason, titles in reasons.items():
            console.print(Padding(_text(f"{'; '.join(titles)}: {reason}."), (0, 0, 0, 2)))
    if report.trust.cannot:
        console.print()
        console.print(_text("What this trace cannot tell", "bold"))
        rows = (
            (f"  {c.title}", f"{c.text} {f'Record: {c.record}' if c.record else ''}")
            for c in report.trust.cannot
        )
        console.print(_pairs(rows))
    told = {finding.rule for finding in report.findings}
    warnings = [w for w in report.warnings if w.kind.replace("_", "-") not in told]
    if warnings:
        console.print()
        console.print(_text("Warnings", "bold"))
        console.print(_pairs((f"  {w.kind}", f"{w.message} {w.advice}") for w in warnings))


def print_report(report: Report, console: Console) -> None:
    """Prints one report."""
    steps = report.steps
    console.print(_text(_title(report), "dim"))
    console.print()
    _print_headline(console, report.headline)
    if steps:
        console.print()
        console.print(_steps_table(steps))
        if len(steps) > _MAX_STEPS:
            console.print(
                _text(f"… {len(steps) - _MAX_STEPS} more steps; --step N or --format json shows them", "dim")
            )
    unit = "a step" if any(s.number is not None for s in report.steps) else "in the recording"
    for finding in report.findings:
        _print_finding(console, finding, unit)
    _print_trust(console, report)
