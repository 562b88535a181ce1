"""Reports as one self-contained page: it works offline, runs no script and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tb_plugin_explain import report_tables, wording
from tb_plugin_explain.findings import Cell, Finding, Quantity, RuleOutcome, Spans, Table
from tb_plugin_explain.html_parts import name, page, prose, section, table, text
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.report_wording import NOTHING, VERDICTS, confidence, stake
from tb_plugin_explain.step_strip import draw_steps

_MAX_SPANS = 8


def _head(report: Report) -> str:
    trace, headline = report.trace, report.headline
    file = f"{trace.run}/{trace.file}" if trace.run else trace.file
    devices = sorted({d.name for d in trace.devices if d.name})
    about = " · ".join(text(part) for part in (file, *devices, wording.count(trace.events, "event")))
    lines = [
        f'<p class="dim"><bdi>{about}</bdi></p>',
        f"<h1>{text(headline.text)}</h1>",
        f'<p class="lead">{text(headline.detail)}</p>',
        f'<p class="dim">{text(confidence(headline))}</p>',
    ]
    if headline.first:
        lines.append(f"<p><b>First:</b> {text(headline.first.text)}</p>")
    if headline.false_alarms:
        alarms = "; ".join(text(alarm.text) for alarm in headline.false_alarms)
        lines.append(f"<p><b>False alarms:</b> {alarms}</p>")
    return "".join(lines)


def _steps(report: Report) -> str:
    if not report.steps:
        return ""
    found = report_tables.steps(report)
    drawing = draw_steps(report.steps)
    key = "CPU span above the line; below it the busiest GPU: work, then idle time. Pale: not settled."
    return section(
        found.title, drawing, f'<p class="dim">{key} {text(found.note)}</p>', table(found.columns, found.rows)
    )


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return NOTHING
    if unit == "percent":
        return wording.percent(value / 100)
    return wording.significant(value) if unit == "ratio" else wording.amount(value, unit)


def _cell(value: Cell, column: str) -> str:
    if value is None or isinstance(value, str):
        return NOTHING if value is None else value
    if column.endswith("_us"):
        return wording.time(value)
    return wording.size(value) if column.endswith("_bytes") else wording.amount(value, "count")


def _evidence_table(found: Table) -> str:
    labels = [c.removesuffix("_us").removesuffix("_bytes").replace("_", " ") for c in found.columns]
    rows = [[_cell(v, c) for v, c in zip(row, found.columns, strict=True)] for row in found.rows]
    numeric = [all(not isinstance(row[at], str) for row in found.rows) for at in range(len(labels))]
    texts = numeric.index(True) if any(numeric) else len(labels)
    return table(labels, rows, texts)


def _spans(found: Spans) -> str:
    rows = [(s.name, wording.time(s.start_us), wording.time(s.duration_us)) for s in found.spans[:_MAX_SPANS]]
    return table((f"on {found.lane}", "at", "takes"), rows)


def _evidence(finding: Finding) -> Iterable[str]:
    quantities = [e for e in finding.evidence if isinstance(e, Quantity)]
    if quantities:
        yield table(("", ""), [(q.label, _amount(q.value, q.unit)) for q in quantities])
    for entry in finding.evidence:
        if isinstance(entry, Table) and entry.rows:
            yield _evidence_table(entry)
        elif isinstance(entry, Spans) and entry.spans:
            yield _spans(entry)


def finding_block(finding: Finding, unit: str) -> str:
    """One finding, unfolded where it is worth the reader's time."""
    at_stake = stake(finding, unit)
    told = f' <span class="dim">{text(at_stake)}</span>' if at_stake else ""
    verdict = f'<span class="verdict {finding.verdict}">{text(VERDICTS[finding.verdict])}</span>'
    advice = f"<h3>What to do</h3>{prose(finding.advice)}" if finding.advice else ""
    opened = " open" if finding.verdict in ("fix", "undecided") else ""
    body = f"{prose(finding.text)}{advice}{''.join(_evidence(finding))}"
    return f"<details{opened}><summary>{verdict} <b>{name(finding.title)}</b>{told}</summary>{body}</details>"


def findings_section(findings: Sequence[Finding], unit: str) -> str:
    """All findings; nothing where there are none."""
    blocks = [finding_block(finding, unit) for finding in findings]
    return section("Findings", *blocks) if blocks else ""


def unchecked_section(rules: Sequence[RuleOutcome]) -> str:
    """The rules whose question could not be answered."""
    rows = [(r.title, r.reason or "") for r in rules if r.outcome in ("not_measured", "failed")]
    return section("Could not be checked", table(("", "because"), rows, 2)) if rows else ""


def _trust(report: Report) -> str:
    trust = report.trust
    rows = [(c.title, c.text, c.record or "") for c in trust.cannot]
    rows += [(w.kind.replace("_", " "), w.message, w.advice) for w in report.warnings]
    if not rows:
        return ""
    better = (
        f"<h3>Record it better next time</h3>{prose(_fenced(trust.record_better))}"
        if trust.record_better
        else ""
    )
    return section("What this trace cannot tell", table(("", "", "what helps"), rows, 3), better)


def _fenced(code: str) -> str:
    return f"```\n{code}\n```"


def _report(report: Report) -> str:
    unit = "a step" if any(s.number is not None for s in report.steps) else "in the recording"
    tables = (
        section(found.title, table(found.columns, found.rows, found.texts), note=found.note)
        for found in report_tables.sections(report)
    )
    return "".join(
        (
            _head(report),
            _steps(report),
            findings_section(report.findings, unit),
            *tables,
            unchecked_section(report.rules),
            _trust(report),
        )
    )


def report_page(reports: Sequence[Report], findings: Sequence[Finding] = ()) -> str:
    """One page of one or more reports; ``findings``: what the files of a run say together."""
    title = (
        " and ".join(report.trace.file for report in reports[:2]) if len(reports) < 3 else "Several traces"
    )
    together = findings_section(findings, "a step")
    return page(f"{title}: explained", together, *map(_report, reports))
