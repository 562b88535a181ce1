"""Section ``kernels``: what ran on the GPU, by kernel."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.kernel_table import KernelRow, KernelTable, ShapeRow, Short
from tb_plugin_explain.glossary import what_is
from tb_plugin_explain.report.sections import MAX_ROWS, event_of
from tb_plugin_explain.report_sections import kernels as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import to_us

MAX_SHAPES = 5


def _share(part_ns: int, whole_ns: int) -> float | None:
    return part_ns / whole_ns if whole_ns else None


def _short(short: Short) -> schema.ShortKernels:
    if not short.judged:
        return schema.ShortKernels(0, None, None, None)
    return schema.ShortKernels(short.judged, short.count, to_us(short.time_ns), to_us(short.call_ns))


def _shape(run: RunAnalyses, row: ShapeRow) -> schema.KernelShape:
    return schema.KernelShape(
        shape=row.shape,
        count=row.count,
        time_us=to_us(row.time_ns),
        median_us=to_us(row.median_ns),
        spread=row.spread,
        between=row.between,
        slowest_step=None if row.slowest is None else run.steps[row.slowest].step.number,
    )


def _human(name: str) -> str | None:
    said = what_is(name, Category.KERNEL)
    return said.human if said.telling else None


def _row(run: RunAnalyses, row: KernelRow, device_ns: int) -> schema.KernelRow:
    within, between = row.varied, row.compared
    return schema.KernelRow(
        name=row.name,
        human=_human(row.name),
        communication=row.communication,
        count=row.count,
        time_us=to_us(row.time_ns),
        share=_share(row.time_ns, device_ns),
        typical_count=row.typical_count,
        typical_us=to_us(row.typical_ns),
        min_us=to_us(row.min_ns),
        median_us=to_us(row.median_ns),
        max_us=to_us(row.max_ns),
        longest_event=event_of(run.trace, row.longest),
        launch_calls=row.launch_calls,
        graph_count=row.graph_count,
        short=_short(row.short),
        occupancy_percent=row.occupancy.percent,
        occupancy_share=_share(row.occupancy.known_ns, row.time_ns),
        shapes=len(row.shapes),
        by_shape=[_shape(run, s) for s in row.shapes[:MAX_SHAPES]],
        spread=within.spread if within else None,
        spread_shape=within.shape if within else None,
        between=between.between if between else None,
        between_shape=between.shape if between else None,
    )


def _rest(rows: Sequence[KernelRow], device_ns: int) -> schema.RestOfKernels | None:
    if not rows:
        return None
    time_ns = sum(r.time_ns for r in rows)
    return schema.RestOfKernels(
        names=len(rows),
        count=sum(r.count for r in rows),
        time_us=to_us(time_ns),
        typical_count=sum(r.typical_count for r in rows),
        typical_us=to_us(sum(r.typical_ns for r in rows)),
        share=_share(time_ns, device_ns),
    )


def _all(table: KernelTable, device_ns: int, run: RunAnalyses) -> schema.Kernels:
    work, everything = table.work, table.all
    kind = work.gpu.kind[work.position]
    typical = work.typical
    occupied, kernel_ns = table.occupied(everything), int(table.duration_ns.sum())
    rows = table.rows
    return schema.Kernels(
        steps=work.steps,
        typical_step=None if typical is None else run.steps[typical].step.number,
        device_us=to_us(device_ns),
        typical_device_us=to_us(int(work.duration_ns[work.step == typical].sum())),
        count=len(table.position),
        kernel_us=to_us(kernel_ns),
        copy_us=to_us(int(work.duration_ns[kind == Category.MEMCPY].sum())),
        memset_us=to_us(int(work.duration_ns[kind == Category.MEMSET].sum())),
        names=len(rows),
        short=_short(table.short(everything)),
        graph_count=int(table.in_graph.sum()),
        graph_us=to_us(int(table.duration_ns[table.in_graph].sum())),
        graph_launches=table.launch_calls(table.in_graph),
        occupancy_percent=occupied.percent,
        occupancy_share=_share(occupied.known_ns, kernel_ns),
        rows=[_row(run, row, device_ns) for row in rows[:MAX_ROWS]],
        rest=_rest(rows[MAX_ROWS:], device_ns),
    )


def build(run: RunAnalyses) -> schema.Kernels | None:
    """The section; None where no averaged step has GPU work."""
    table = run.kernel_table
    if not len(table.work.position):
        return None
    return _all(table, int(table.work.duration_ns.sum()), run)
