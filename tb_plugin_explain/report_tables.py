"""The sections of a report as tables of words and figures, for files that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.report_schema import GpuStep, Report, Step
from tb_plugin_explain.report_sections.copies import CopyFigures
from tb_plugin_explain.report_sections.gaps import Gap
from tb_plugin_explain.report_wording import CAUSES, GAP_KINDS, NOTHING

Row = Sequence[str]


class TextTable(Struct, frozen=True):
    """One table. ``texts``: how many columns at its start are text; the others hold figures."""

    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Row]
    texts: int = 1


def time(time_us: float | None) -> str:
    return NOTHING if time_us is None else wording.time(time_us)


def share(part: float | None) -> str:
    return NOTHING if part is None else wording.percent(part)


def number(value: float | None) -> str:
    return NOTHING if value is None else wording.amount(value, "count")


def size(value: float | None) -> str:
    return NOTHING if value is None else wording.size(value)


def step_name(step: int | None) -> str:
    return "all" if step is None else str(step)


def sums(report: Report) -> str:
    """What the figures of a section are sums over."""
    return f"Sums over {wording.steps(report.headline.steps)}."


def _more(left_out: int, noun: str) -> str:
    return f" {wording.count(left_out, f'more {noun}')} not listed." if left_out > 0 else ""


def steps(report: Report) -> TextTable:
    """One row a step, of its busiest device."""
    columns = (
        "settled",
        "step",
        "CPU span",
        "GPU busy",
        "GPU idle",
        "waiting",
        "bubble",
        "lane offset",
        "launches",
        "kernels",
    )
    rows = [_step(step) for step in report.steps]
    note = (
        ""
        if report.pace_us is None
        else f"The pace, what a step costs in the long run, is {time(report.pace_us)}."
    )
    return TextTable("Steps", note, columns, rows)


def _busiest(step: Step) -> GpuStep | None:
    return max(step.gpu, key=lambda g: g.busy_us) if step.gpu else None


def settled(step: Step) -> str:
    if step.settled is None:
        return "not known"
    return "yes" if step.settled else ", ".join(step.unsettled_because).replace("_", " ")


def _step(step: Step) -> Row:
    gpu = _busiest(step)
    waits = "sync" not in step.not_measured
    return (
        settled(step),
        step_name(step.number),
        time(step.duration_us),
        time(gpu.busy_us) if gpu else NOTHING,
        time(gpu.idle_us) if gpu else NOTHING,
        time(step.sync.total_us) if waits else NOTHING,
        time(step.sync.bubble_us) if waits else NOTHING,
        time(step.lane_offset.first_us),
        number(step.launches),
        number(step.kernels),
    )


def kernels(report: Report) -> TextTable | None:
    found = report.kernels
    if found is None:
        return None
    rows = [
        (row.human or NOTHING, row.name, number(row.count), time(row.time_us), share(row.share),
         time(row.median_us), time(row.max_us))
        for row in found.rows
    ]  # fmt: skip
    note = sums(report) + (_more(found.rest.names, "name") if found.rest else "")
    columns = ("what", "kernel", "count", "time", "of GPU work", "median", "longest")
    return TextTable("Kernels", note, columns, rows, texts=2)


def operators(report: Report) -> TextTable | None:
    found = report.operators
    if found is None or not found.rows:
        return None
    rows = [
        (row.name, number(row.calls), time(row.cpu_self_us), time(row.cpu_total_us), time(row.device_self_us),
         number(row.kernels), share(row.share))
        for row in found.rows
    ]  # fmt: skip
    columns = ("operator", "calls", "CPU self", "CPU total", "GPU", "kernels", "of GPU work")
    return TextTable("Operators", sums(report) + _more(found.rest.names, "name"), columns, rows)


def modules(report: Report) -> TextTable | None:
    found = report.modules
    if found is None or not found.rows:
        return None
    rows = [
        (row.path, number(row.calls), time(row.cpu_self_us), time(row.cpu_total_us), time(row.device_self_us),
         time(row.device_total_us), time(row.backward_total_us))
        for row in found.rows
    ]  # fmt: skip
    columns = ("module", "calls", "CPU self", "CPU total", "GPU self", "GPU total", "backward on the GPU")
    return TextTable("Modules", sums(report) + _more(found.rest.paths, "path"), columns, rows)


def annotation_table(report: Report) -> TextTable | None:
    found = report.annotations
    if found is None or not found.rows:
        return None
    rows = [
        (row.name, number(row.count), time(row.cpu_total_us), time(row.device_us), number(row.kernels))
        for row in found.rows
    ]
    columns = ("annotation", "count", "CPU", "GPU", "kernels")
    return TextTable("Annotations", sums(report) + _more(found.rest.names, "name"), columns, rows)


def call_sites(report: Report) -> TextTable | None:
    found = report.call_sites
    if found is None or not found.sites:
        return None
    rows = [
        (site.source or site.operator or site.annotation or ", ".join(site.calls), ", ".join(site.calls),
         site.phase, number(site.count), time(site.waiting_us), time(site.gpu_busy_us),
         time(site.gpu_idle_us), time(site.bubble_us))
        for site in found.sites
    ]  # fmt: skip
    columns = ("who waits", "calls", "phase", "count", "waiting", "GPU busy", "GPU idle", "bubble")
    note = sums(report) + _more(found.rest.sites, "place")
    return TextTable("Who made the CPU wait", note, columns, rows, texts=3)


def idle(report: Report) -> TextTable | None:
    """Why each device was idle, over the averaged steps; of the CPU, what it did."""
    by_device: dict[int, dict[str, float]] = {}
    for step in report.steps:
        if step.number in report.headline.steps and step.settled == report.headline.settled:
            for gpu in step.gpu or ():
                _add(by_device.setdefault(gpu.device, {}), gpu)
    rows = [
        (CAUSES[cause] if "/" not in cause else f"of it {CAUSES[cause.split('/')[1]]}", str(device), time(us))
        for device, causes in sorted(by_device.items())
        for cause, us in causes.items()
        if us > 0
    ]
    if not rows:
        return None
    return TextTable("Why the GPU was idle", sums(report), ("cause", "device", "time"), rows)


def _add(causes: dict[str, float], gpu: GpuStep) -> None:
    by = gpu.idle_by_cause
    host = gpu.host_by
    parts: Iterable[tuple[str, float]] = [
        ("profiler", by.profiler), ("sync_bubble", by.sync_bubble), ("input", by.input), ("host", by.host),
        ("host/python", host.python), ("host/op_dispatch", host.op_dispatch),
        ("host/optimizer", host.optimizer), ("host/compile_lookup", host.compile_lookup),
        ("host/launch_call", host.launch_call), ("host/allocator", host.allocator),
        ("host/loading", host.loading), ("host/wait", host.wait),
        ("dependency", by.dependency), ("launch", by.launch), ("unknown", by.unknown),
    ]  # fmt: skip
    for cause, us in parts:
        causes[cause] = causes.get(cause, 0.0) + us


def gap_cause(gap: Gap) -> str:
    """What a gap is; of an ordinary one, what makes most of it."""
    if gap.kind in GAP_KINDS:
        return GAP_KINDS[gap.kind]
    causes = {name: us for name, us in gap.causes.items() if name != "host"} | dict(gap.host_by)
    return CAUSES[max(causes, key=lambda name: causes[name])]


def gaps(report: Report) -> TextTable | None:
    found = report.gaps
    if found is None or not found.longest:
        return None
    rows = [
        (gap_cause(gap), NOTHING if gap.before is None else gap.before, gap.after, step_name(gap.step),
         str(gap.device), time(gap.start_us), time(gap.duration_us))
        for gap in found.longest
    ]  # fmt: skip
    note = f"{number(found.count)} in all, {time(found.duration_us)}."
    columns = ("mostly", "before it", "after it", "step", "device", "at", "length")
    return TextTable("Longest times without GPU work", note, columns, rows, texts=3)


def queue(report: Report) -> TextTable | None:
    found = report.queue
    if found is None or not found.steps:
        return None
    rows = [
        (f"step {step_name(step.step)}, device {step.device}", number(step.launches), number(step.mean),
         number(step.max), number(step.late), time(step.idle_empty_us), time(step.idle_queued_us))
        for step in found.steps
    ]  # fmt: skip
    columns = ("", "launches", "mean depth", "deepest", "late", "idle, queue empty", "idle, work queued")
    note = "The queue is what was launched and has not ended." + _more(found.left_out, "step")
    return TextTable("Queue", note, columns, rows)


def copies(report: Report) -> TextTable | None:
    found = report.copies
    if found is None or not found.rows:
        return None
    rows = [(row.name, *_copy(row.figures)) for row in found.rows]
    columns = ("copy", "count", "time", "bytes", "GB/s", "exposed", "that block", "blocked for")
    note = sums(report) + (_more(found.rest.names, "name") if found.rest else "")
    return TextTable("Copies and memsets", note, columns, rows)


def _copy(figures: CopyFigures) -> Row:
    return (
        number(figures.count),
        time(figures.time_us),
        size(figures.bytes),
        NOTHING if figures.bandwidth_gb_per_s is None else wording.significant(figures.bandwidth_gb_per_s),
        time(figures.exposed_us),
        number(figures.blocking_count),
        time(figures.blocking_us),
    )


def communication(report: Report) -> TextTable | None:
    found = report.communication
    if found is None or not found.rows:
        return None
    rows = [
        (row.collective or "not named", row.library or NOTHING, number(row.count), time(row.time_us),
         size(row.bytes), time(row.exposed_us), time(row.overlapped_us))
        for row in found.rows
    ]  # fmt: skip
    columns = ("collective", "library", "count", "time", "bytes", "exposed", "overlapped")
    return TextTable("Communication", sums(report), columns, rows, texts=2)


def memory(report: Report) -> TextTable | None:
    found = report.memory
    if found is None:
        return None
    rows = [
        (device.device_type if device.device is None else f"{device.device_type} {device.device}",
         number(device.allocations), number(device.frees),
         size(device.peak.peak_bytes) if device.peak else NOTHING,
         step_name(device.peak.step) if device.peak else NOTHING,
         size(device.growth.median_bytes) if device.growth else NOTHING,
         size(device.reserved_unused_bytes))
        for device in found.devices
    ]  # fmt: skip
    columns = ("memory of", "allocations", "frees", "peak", "in step", "growth a step", "reserved unused")
    return TextTable("Memory", "", columns, rows)


def input_pipeline(report: Report) -> TextTable | None:
    found = report.input
    if found is None or not found.steps:
        return None
    rows = [
        (step_name(step.number), time(step.loader_us), share(step.loader_share), time(step.idle_us),
         number(step.copies), size(step.copy_bytes), time(step.copy_us), time(step.copy_exposed_us))
        for step in found.steps
    ]  # fmt: skip
    columns = (
        "step",
        "data loader",
        "of the step",
        "GPU idle for it",
        "copies",
        "copied",
        "copying",
        "exposed",
    )
    return TextTable("Input pipeline", _more(found.steps_left_out, "step").strip(), columns, rows)


_DRIFTS: Mapping[str, str] = {
    "duration_us": "CPU span",
    "pace_us": "pace",
    "gpu_busy_us": "GPU busy",
    "gpu_idle_us": "GPU idle",
    "offset_us": "lane offset",
}
_DRIFTING: Mapping[bool | None, str] = {None: "too few steps", True: "yes", False: "no"}


def drift(report: Report) -> TextTable | None:
    found = report.drift
    if found is None:
        return None
    rows = [
        (_DRIFTS[figure.figure], _DRIFTING[figure.drifts], time(figure.first_us), time(figure.last_us),
         time(figure.slope_us), time(figure.spread_us))
        for figure in found.figures
    ]  # fmt: skip
    columns = ("figure", "drifts", "first", "last", "change a step", "spread")
    return TextTable("Drift", f"Over {wording.count(found.steps, 'step')}.", columns, rows, texts=2)


def profiler_cost(report: Report) -> TextTable | None:
    found = report.profiler_cost
    if found is None or not found.overhead:
        return None
    rows = [
        (row.name, number(row.count), time(row.total_us), time(row.longest_us), time(row.outside_us))
        for row in found.overhead
    ]
    columns = ("work of the profiler", "count", "time", "longest", "outside of steps")
    return TextTable("What the profiler cost", "In the whole recording.", columns, rows)


_SECTIONS: Sequence[Callable[[Report], TextTable | None]] = (
    call_sites, idle, gaps, queue, kernels, operators, modules, annotation_table, copies, communication,
    memory, input_pipeline, drift, profiler_cost,
)  # fmt: skip


def sections(report: Report) -> Sequence[TextTable]:
    """The sections that the report has, without the steps."""
    return [table for table in (make(report) for make in _SECTIONS) if table is not None]
