"""Section ``annotations``: CPU time and GPU work of what the run itself named."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.annotation_times import Annotations, AnnotationTimes
from tb_plugin_explain.report.sections import MAX_ROWS, NO_BACKWARD, NO_GPU_EVENT, event_of
from tb_plugin_explain.report_sections import annotations as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _row(run: RunAnalyses, row: AnnotationTimes, found: Annotations) -> schema.Annotation:
    device = found.device_known
    return schema.Annotation(
        name=row.name,
        recorded_count=row.recorded_count,
        count=row.count,
        cpu_total_us=to_us(row.cpu_total_ns),
        device_us=to_us(row.device_ns) if device else None,
        kernels=row.kernels if device else None,
        backward_us=to_us(row.backward_ns) if device and found.backward_known else None,
        longest_event=event_of(run.trace, row.longest),
    )


def _rest(rows: Sequence[AnnotationTimes]) -> schema.RestOfAnnotations:
    return schema.RestOfAnnotations(
        names=len(rows),
        count=sum(r.count for r in rows),
        cpu_total_us=to_us(sum(r.cpu_total_ns for r in rows)),
    )


def _not_measured(found: Annotations) -> dict[str, str]:
    if not found.device_known:
        return dict.fromkeys(("device_us", "kernels", "backward_us"), NO_GPU_EVENT)
    return {} if found.backward_known else {"backward_us": NO_BACKWARD}


def build(run: RunAnalyses) -> schema.Annotations | None:
    """The section; None where the trace has no annotation but its steps."""
    found = run.annotations
    if not found.rows:
        return None
    return schema.Annotations(
        steps=len(run.averaged),
        rows=[_row(run, row, found) for row in found.rows[:MAX_ROWS]],
        rest=_rest(found.rows[MAX_ROWS:]),
        not_measured=_not_measured(found),
    )
