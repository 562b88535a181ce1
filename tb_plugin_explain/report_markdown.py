"""A report as markdown to paste into an issue or a pull request: short, and safe to paste."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain import report_tables, wording
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.markdown_parts import escaped, table
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.report_tables import TextTable
from tb_plugin_explain.report_wording import VERDICTS, confidence, stake
from tb_plugin_explain.run_report import RunReport

# An issue is read in passing: the HTML and the JSON have all rows.
_MAX_STEPS = 12
_MAX_ROWS = 8


def _head(report: Report) -> Sequence[str]:
    headline = report.headline
    lines = [f"**{escaped(headline.text)}** {escaped(headline.detail)}", "", escaped(confidence(headline))]
    if headline.first:
        lines += ["", f"**First:** {escaped(headline.first.text)}"]
    if headline.false_alarms:
        alarms = "; ".join(escaped(alarm.text) for alarm in headline.false_alarms)
        lines += ["", f"**False alarms:** {alarms}."]
    return lines


def _shown(found: TextTable, most: int) -> Sequence[str]:
    rows = [[wording.in_short(cell) for cell in row] for row in found.rows[:most]]
    lines = table(found.columns, rows, found.texts)
    more = len(found.rows) - most
    rest = ["", f"… and {wording.count(more, 'more row')}."] if more > 0 else []
    note = ["", escaped(found.note)] if found.note else []
    return ["", f"### {found.title}", "", *lines, *rest, *note]


def _finding(finding: Finding, unit: str) -> str:
    at_stake = stake(finding, unit)
    about = f" ({escaped(at_stake)})" if at_stake else ""
    text = f"- **{escaped(finding.title)}**, {VERDICTS[finding.verdict]}{about}. {_flowing(finding.text)}"
    return f"{text} *What to do:* {_flowing(finding.advice)}" if finding.advice else text


def _flowing(text: str) -> str:
    """On one line: in a list, a new line could begin anything."""
    return escaped(" ".join(text.split()))


def _findings(report: Report) -> Sequence[str]:
    unit = "a step" if any(s.number is not None for s in report.steps) else "in the recording"
    lines = [_finding(finding, unit) for finding in report.findings]
    return ["", "### Findings", "", *lines] if lines else []


def _cannot(report: Report) -> Sequence[str]:
    lines = [f"- **{escaped(c.title)}.** {escaped(c.text)}" for c in report.trust.cannot]
    return ["", "### What this trace cannot tell", "", *lines] if lines else []


def _about(report: Report) -> Sequence[str]:
    trace = report.trace
    file = f"{trace.run}/{trace.file}" if trace.run else trace.file
    devices = ", ".join(sorted({d.name for d in trace.devices if d.name}))
    parts = [file, *([devices] if devices else []), wording.count(trace.events, "event")]
    return ["", f"<sub>{escaped(' · '.join(parts))}</sub>"]


def as_markdown(report: Report) -> str:
    """One report, ending in a newline."""
    wanted = (report_tables.call_sites, report_tables.kernels, report_tables.operators)
    tables = [made for made in (make(report) for make in wanted) if made is not None]
    parts = (
        _head(report),
        _shown(report_tables.steps(report), _MAX_STEPS) if report.steps else [],
        _findings(report),
        *(_shown(found, _MAX_ROWS) for found in tables),
        _cannot(report),
        _about(report),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def run_as_markdown(run: RunReport) -> str:
    """The reports of a run, one heading a file, and what they say together."""
    parts = [f"## {escaped(report.trace.file)}\n\n{as_markdown(report)}" for report in run.reports]
    parts += [_finding(finding, "a step") + "\n" for finding in run.run.findings]
    return "\n".join(parts)
