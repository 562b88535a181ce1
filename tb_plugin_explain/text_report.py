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
from tb_plugin_explain.report_sections.communication import RanksTogether
from tb_plugin_explain.report_sections.gaps import Gap, Gaps
from tb_plugin_explain.report_sections.kernels import Kernels
from tb_plugin_explain.report_sections.memory import Memory, MemoryPeak
from tb_plugin_explain.report_sections.operators import Operator
from tb_plugin_explain.run_report import RunSummary

_VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    "fix": ("worth fixing", "bold yellow"),
    "undecided": ("undecided", "bold magenta"),
    "expected": ("expected", "dim"),
    "artifact": ("artefact", "dim"),
}
_NOTHING = "–"
# Rows of a table of evidence; the whole table is in the JSON.
_MAX_ROWS = 6
# Kernels below the first few seldom matter.
_MAX_KERNELS = 5
# Steps that are shown one by one; the rest is in the JSON.
_MAX_STEPS = 20
_SPAN = "CPU span: a step on the CPU, from its start to its end."
_PACE = "is what a step costs: from one to the next, on CPU or GPU, whichever takes longer."
# Operators that are shown; the first few take most of the time.
_MAX_OPERATORS = 5
# Gaps that are shown one by one, and the share of a step and of all idle time that each of them must make.
_MAX_GAPS = 5
_MIN_GAP_SHARE = 0.05
_GAP_KINDS: Mapping[str, str] = {
    "before_recording": "launched before recording",
    "launch_not_recorded": "launch not recorded",
    "queued": "work was queued",
    "hole": "no CPU event",
}
_CAUSES: Mapping[str, str] = {
    "profiler": "profiler",
    "sync_bubble": "refill after a wait",
    "input": "data loader",
    "dependency": "other stream",
    "launch": "start of a kernel",
    "unknown": "not known",
    "loading": "loading GPU code",
    "allocator": "memory allocation",
    "wait": "waiting for the GPU",
    "launch_call": "launch calls",
    "compile_lookup": "torch.compile’s checks",
    "optimizer": "optimizer",
    "op_dispatch": "operators",
    "python": "Python code",
}


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
    sure = "of the cause, none" if headline.verdict == "undecided" else headline.confidence
    about = f"Confidence: {sure} ({headline.why})."
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
        sync = step.sync
        table.add_row(
            "all" if step.number is None else str(step.number),
            _time(step.duration_us),
            *_gpu_figures(step),
            *(_NOTHING if "sync" in step.not_measured else _time(t) for t in (sync.total_us, sync.bubble_us)),
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
        f"{looks_like}, gain unknown" if finding.verdict == "undecided" else f"0 µs, looks like {looks_like}"
    )


def _cell(value: str | int | float | None, column: str) -> str:
    if value is None:
        return _NOTHING
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


def _figures_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table whose first column is text, the others figures."""
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in columns:
        first = column == columns[0]
        table.add_column(column, justify="left" if first else "right", no_wrap=not first, overflow="ellipsis")
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    return table


def _share(share: float | None) -> str:
    return _NOTHING if share is None else wording.percent(share)


def _print_kernels(console: Console, kernels: Kernels) -> None:
    console.print()
    console.print(_text("Where the GPU’s time goes", "bold"))
    rows = [
        (
            wording.in_short(row.name),
            f"{row.count:,}",
            _time(row.time_us),
            _share(row.share),
            _time(row.median_us),
        )
        for row in kernels.rows[:_MAX_KERNELS]
    ]
    table = _figures_table(("kernel", "count", "time", "of GPU work", "median"), rows)
    console.print(Padding(table, (0, 0, 0, 2)))
    if kernels.names > _MAX_KERNELS:
        console.print(_text(f"  … {kernels.names - _MAX_KERNELS:,} more names in the JSON", "dim"))


def _operators_table(rows: Sequence[Operator]) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in ("operator", "calls", "CPU self", "GPU", "of the GPU’s work"):
        table.add_column(column, justify="left" if column == "operator" else "right")
    for row in rows:
        table.add_row(
            _text(row.name),
            f"{row.calls:,}",
            _time(row.cpu_self_us),
            _time(row.device_self_us),
            _NOTHING if row.share is None else wording.percent(row.share),
        )
    return table


def _print_operators(console: Console, report: Report) -> None:
    """The operators that cost most, of the steps that averages use."""
    if report.operators is None:
        return
    rows = [row for row in report.operators.rows[:_MAX_OPERATORS] if row.calls]
    if rows:
        console.print()
        console.print(_text(f"Operators of {wording.steps(report.headline.steps)}", "bold"))
        console.print(_operators_table(rows))


def _what(gap: Gap) -> str:
    """What a gap is; of an ordinary one, what makes most of it."""
    if gap.kind in _GAP_KINDS:
        return _GAP_KINDS[gap.kind]
    causes = {name: time for name, time in gap.causes.items() if name != "host"} | dict(gap.host_by)
    return _CAUSES[max(causes, key=lambda name: causes[name])]


def _print_gaps(console: Console, gaps: Gaps, steps: Sequence[Step]) -> None:
    """The longest gaps of the steps shown, where they are long beside all others and the step itself."""
    shown = {step.number: step.duration_us for step in steps}
    long = [
        g
        for g in gaps.longest
        if g.duration_us >= _MIN_GAP_SHARE * max(gaps.duration_us, shown.get(g.step, float("inf")))
    ]
    if not long:
        return
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in ("step", "at", "length", "mostly", "before it", "after it"):
        table.add_column(column, justify="right" if column in ("step", "at", "length") else "left")
    for gap in long[:_MAX_GAPS]:
        before = _NOTHING if gap.before is None else wording.kernel(gap.before)
        table.add_row(
            "all" if gap.step is None else str(gap.step),
            _time(gap.start_us),
            _time(gap.duration_us),
            _what(gap),
            _text(before),
            _text(wording.kernel(gap.after)),
        )
    console.print()
    console.print(_text("Longest times without GPU work", "bold"))
    console.print(Padding(table, (0, 0, 0, 1)))


def _holder(peak: MemoryPeak) -> str:
    """Who held most of a peak: an operator, or what was there before."""
    live = peak.live
    most = live.by_operator[0].bytes if live.by_operator else 0
    if live.before_recording_bytes > most:
        return "before the recording"
    return (live.by_operator[0].operator or "no operator") if live.by_operator else _NOTHING


def _memory_table(memory: Memory) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in ("memory", "peak", "in step", "held most by", "growth a step", "reserved unused"):
        table.add_column(column, justify="left" if column in ("memory", "held most by") else "right")
    for device in memory.devices:
        if device.peak is None:
            continue
        growth, unused = device.growth, device.reserved_unused_bytes
        table.add_row(
            device.device_type if device.device is None else f"{device.device_type} {device.device}",
            wording.size(device.peak.peak_bytes),
            "all" if device.peak.step is None else str(device.peak.step),
            _text(_holder(device.peak)),
            _NOTHING if growth is None else wording.size(growth.median_bytes),
            _NOTHING if unused is None else wording.size(unused),
        )
    return table


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
        if report.pace_us is not None:
            pace = f"{_SPAN} The pace, {wording.time(report.pace_us)}, {_PACE}"
            console.print(_text(pace, "dim"))
    unit = "a step" if any(s.number is not None for s in report.steps) else "in the recording"
    for finding in report.findings:
        _print_finding(console, finding, unit)
    if report.kernels is not None and report.kernels.rows:
        _print_kernels(console, report.kernels)
    _print_operators(console, report)
    if report.gaps is not None:
        _print_gaps(console, report.gaps, steps)
    if report.memory is not None and any(device.peak for device in report.memory.devices):
        console.print()
        console.print(_memory_table(report.memory))
    _print_trust(console, report)


def _print_ranks(console: Console, cycle: RanksTogether) -> None:
    about = f"Ranks {wording.listing([str(r) for r in cycle.ranks])}, {wording.steps(cycle.steps)}"
    console.print()
    console.print(_text(about, "bold"))
    if cycle.reason is not None:
        console.print(_text(f"  Waiting cannot be told from transfer: {cycle.reason}."))
        return
    rows = [
        (f"rank {r.rank}", _time(r.time_us), _time(r.waiting_us), f"{r.late_count:,}", _time(r.late_us))
        for r in cycle.by_rank
    ]
    columns = ("", "communication", "of it waiting", "times late", "late by")
    console.print(Padding(_figures_table(columns, rows), (0, 0, 0, 2)))


def print_run(run: RunSummary, console: Console) -> None:
    """Prints what several files of one run say together; nothing where they say nothing."""
    for cycle in run.communication:
        _print_ranks(console, cycle)
    for finding in run.findings:
        _print_finding(console, finding, "a step")
