"""A report as text for a terminal. Everything that comes from the file is shown as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from tb_plugin_explain import wording
from tb_plugin_explain.report_schema import Headline, Report, Step
from tb_plugin_explain.report_sections.communication import RanksTogether
from tb_plugin_explain.report_sections.gaps import Gap, Gaps
from tb_plugin_explain.report_sections.kernels import Kernels
from tb_plugin_explain.report_sections.memory import Memory, MemoryPeak
from tb_plugin_explain.report_sections.operators import Operator
from tb_plugin_explain.report_wording import CAUSES, GAP_KINDS, confidence
from tb_plugin_explain.run_report import RunSummary
from tb_plugin_explain.text_parts import (
    NOTHING,
    figures_table,
    pairs,
    plain,
    print_finding,
    print_heading,
    print_unchecked,
    print_warnings,
    time,
)

# Kernels below the first few seldom matter.
_MAX_KERNELS = 5
# Steps that are shown one by one; the rest is in the JSON.
_MAX_STEPS = 20
_SPAN = "CPU span: a step on the CPU, from its start to its end."
_PACE = "is what a step costs: from one to the next, on CPU or GPU, whichever takes longer."
_COLUMNS = (
    " GPU idle: gaps in the GPU’s work, on its own clock. Waiting: of the CPU, for the GPU. Bubble: what of "
    "it left the GPU idle. Lane offset: how much later the GPU begins a step’s work than the CPU hands it "
    "out."
)
# Operators that are shown; the first few take most of the time.
_MAX_OPERATORS = 5
# Gaps that are shown one by one, and the share of a step and of all idle time that each of them must make.
_MAX_GAPS = 5
_MIN_GAP_SHARE = 0.05


def _title(report: Report) -> str:
    trace = report.trace
    device = ", ".join(sorted({d.name for d in trace.devices if d.name})) or None
    parts = [trace.file, device, wording.count(trace.events, "event")]
    return " · ".join(part for part in parts if part)


def _print_headline(console: Console, headline: Headline) -> None:
    console.print(plain(headline.text, "bold"))
    console.print(plain(headline.detail))
    console.print(plain(confidence(headline), "dim"))
    rows = [("First", headline.first.text)] if headline.first else []
    if headline.false_alarms:
        rows.append(("False alarms", "; ".join(alarm.text for alarm in headline.false_alarms)))
    if rows:
        console.print()
        console.print(pairs(rows))


def _gpu_figures(step: Step) -> tuple[str, str]:
    """Busy and idle time of a step's devices; of several, the busiest."""
    if step.gpu is None:
        return "unknown", NOTHING
    if not step.gpu:
        return "none", NOTHING
    gpu = max(step.gpu, key=lambda g: g.busy_us)
    return time(gpu.busy_us), time(gpu.idle_us)


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
            time(step.duration_us),
            *_gpu_figures(step),
            *(NOTHING if "sync" in step.not_measured else time(t) for t in (sync.total_us, sync.bubble_us)),
            time(step.lane_offset.first_us),
            _settled(step),
        )
    return table


def _share(share: float | None) -> str:
    return NOTHING if share is None else wording.percent(share)


def _print_kernels(console: Console, kernels: Kernels) -> None:
    print_heading(console, "Where the GPU’s time goes")
    rows = [
        (
            wording.in_short(row.name),
            f"{row.count:,}",
            time(row.time_us),
            _share(row.share),
            time(row.median_us),
        )
        for row in kernels.rows[:_MAX_KERNELS]
    ]
    table = figures_table(("kernel", "count", "time", "of GPU work", "median"), rows)
    console.print(Padding(table, (0, 0, 0, 2)))
    if kernels.names > _MAX_KERNELS:
        console.print(plain(f"  … {kernels.names - _MAX_KERNELS:,} more names in the JSON", "dim"))


def _operators_table(rows: Sequence[Operator]) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for column in ("operator", "calls", "CPU self", "GPU", "of the GPU’s work"):
        table.add_column(column, justify="left" if column == "operator" else "right")
    for row in rows:
        table.add_row(
            plain(row.name),
            f"{row.calls:,}",
            time(row.cpu_self_us),
            time(row.device_self_us),
            NOTHING if row.share is None else wording.percent(row.share),
        )
    return table


def _print_operators(console: Console, report: Report) -> None:
    """The operators that cost most, of the steps that averages use."""
    if report.operators is None:
        return
    rows = [row for row in report.operators.rows[:_MAX_OPERATORS] if row.calls]
    if rows:
        print_heading(console, f"Operators of {wording.steps(report.headline.steps)}")
        console.print(_operators_table(rows))


def _what(gap: Gap) -> str:
    """What a gap is; of an ordinary one, what makes most of it."""
    if gap.kind in GAP_KINDS:
        return GAP_KINDS[gap.kind]
    causes = {name: time for name, time in gap.causes.items() if name != "host"} | dict(gap.host_by)
    return CAUSES[max(causes, key=lambda name: causes[name])]


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
        before = NOTHING if gap.before is None else wording.kernel(gap.before)
        table.add_row(
            "all" if gap.step is None else str(gap.step),
            time(gap.start_us),
            time(gap.duration_us),
            _what(gap),
            plain(before),
            plain(wording.kernel(gap.after)),
        )
    print_heading(console, "Longest times without GPU work")
    console.print(Padding(table, (0, 0, 0, 1)))


def _holder(peak: MemoryPeak) -> str:
    """Who held most of a peak: an operator, or what was there before."""
    live = peak.live
    most = live.by_operator[0].bytes if live.by_operator else 0
    if live.before_recording_bytes > most:
        return "before the recording"
    return (live.by_operator[0].operator or "no operator") if live.by_operator else NOTHING


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
            plain(_holder(device.peak)),
            NOTHING if growth is None else wording.size(growth.median_bytes),
            NOTHING if unused is None else wording.size(unused),
        )
    return table


def _print_trust(console: Console, report: Report) -> None:
    print_unchecked(console, report.rules)
    if report.trust.cannot:
        print_heading(console, "What this trace cannot tell")
        rows = (
            (f"  {c.title}", f"{c.text} {f'Record: {c.record}' if c.record else ''}")
            for c in report.trust.cannot
        )
        console.print(pairs(rows))
    print_warnings(console, report.warnings, report.findings)


def print_report(report: Report, console: Console) -> None:
    """Prints one report."""
    steps = report.steps
    console.print(plain(_title(report), "dim"))
    console.print()
    _print_headline(console, report.headline)
    if steps:
        console.print()
        console.print(_steps_table(steps))
        if len(steps) > _MAX_STEPS:
            console.print(
                plain(f"… {len(steps) - _MAX_STEPS} more steps; --step N or --format json shows them", "dim")
            )
        if report.pace_us is not None:
            pace = f"{_SPAN} The pace, {wording.time(report.pace_us)}, {_PACE}{_COLUMNS}"
            console.print(plain(pace, "dim"))
    unit = "a step" if any(s.number is not None for s in report.steps) else "in the recording"
    for finding in report.findings:
        print_finding(console, finding, unit)
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
    print_heading(console, about)
    if cycle.reason is not None:
        console.print(plain(f"  Waiting cannot be told from transfer: {cycle.reason}."))
        return
    rows = [
        (f"rank {r.rank}", time(r.time_us), time(r.waiting_us), f"{r.late_count:,}", time(r.late_us))
        for r in cycle.by_rank
    ]
    columns = ("", "communication", "of it waiting", "times late", "late by")
    console.print(Padding(figures_table(columns, rows), (0, 0, 0, 2)))


def print_run(run: RunSummary, console: Console) -> None:
    """Prints what several files of one run say together; nothing where they say nothing."""
    for cycle in run.communication:
        _print_ranks(console, cycle)
    for finding in run.findings:
        print_finding(console, finding, "a step")
