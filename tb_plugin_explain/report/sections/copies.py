"""Section ``copies``: copies and memsets by name."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.copy_table import CopyFigures, CopyRow
from tb_plugin_explain.report.sections import MAX_ROWS, event_of
from tb_plugin_explain.report_sections import copies as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _figures(figures: CopyFigures) -> schema.CopyFigures:
    return schema.CopyFigures(
        count=figures.count,
        time_us=to_us(figures.time_ns),
        bytes=figures.bytes,
        sized_count=figures.sized_count,
        bandwidth_gb_per_s=figures.timed_bytes / figures.timed_ns if figures.timed_ns else None,
        exposed_us=to_us(figures.exposed_ns),
        alone_us=to_us(figures.alone_ns),
        small_count=figures.small_count,
        blocking_count=figures.blocking_count,
        blocking_us=to_us(figures.blocking_ns),
    )


def _row(run: RunAnalyses, row: CopyRow) -> schema.CopyRow:
    said = row.said
    return schema.CopyRow(
        kind=row.kind,
        name=row.name,
        direction=said.direction,
        source=said.source,
        target=said.target,
        pinned=said.pinned,
        longest_event=event_of(run.trace, row.longest),
        figures=_figures(row.figures),
    )


def _rest(rows: Sequence[CopyRow]) -> schema.RestOfCopies | None:
    if not rows:
        return None
    return schema.RestOfCopies(
        len(rows), sum(r.figures.count for r in rows), to_us(sum(r.figures.time_ns for r in rows))
    )


def build(run: RunAnalyses) -> schema.Copies | None:
    """The section; None where no averaged step has GPU work."""
    table = run.copy_table
    if not len(run.averaged_work.position):
        return None
    return schema.Copies(
        steps=len(run.averaged),
        copies=_figures(table.copies),
        memsets=_figures(table.memsets),
        rows=[_row(run, row) for row in table.rows[:MAX_ROWS]],
        rest=_rest(table.rows[MAX_ROWS:]),
    )
