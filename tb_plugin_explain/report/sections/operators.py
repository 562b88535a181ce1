"""Section ``operators``: CPU time, and the GPU work that each name launched."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.operators import Operators, OperatorTimes
from tb_plugin_explain.report.sections import MAX_ROWS, NO_GPU_EVENT, event_of
from tb_plugin_explain.report_sections import operators as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _row(run: RunAnalyses, row: OperatorTimes, found: Operators) -> schema.Operator:
    known = found.device_known
    return schema.Operator(
        name=row.name,
        recorded=schema.RecordedOperator(
            row.recorded_calls, to_us(row.recorded_total_ns), to_us(row.recorded_self_ns)
        ),
        calls=row.calls,
        cpu_total_us=to_us(row.cpu_total_ns),
        cpu_self_us=to_us(row.cpu_self_ns),
        device_self_us=to_us(row.device_self_ns) if known else None,
        device_total_us=to_us(row.device_total_ns) if known else None,
        kernels=row.kernels if known else None,
        share=row.device_self_ns / found.device_ns if found.device_ns else None,
        longest_event=event_of(run.trace, row.longest),
    )


def _rest(rows: Sequence[OperatorTimes], known: bool) -> schema.RestOfOperators:
    return schema.RestOfOperators(
        names=len(rows),
        calls=sum(r.calls for r in rows),
        cpu_self_us=to_us(sum(r.cpu_self_ns for r in rows)),
        device_self_us=to_us(sum(r.device_self_ns for r in rows)) if known else None,
        kernels=sum(r.kernels for r in rows) if known else None,
    )


def _not_measured(found: Operators) -> dict[str, str]:
    if found.device_known:
        return {}
    names = ("device_us", "unattributed_us", "share", "device_self_us", "device_total_us", "kernels")
    return dict.fromkeys(names, NO_GPU_EVENT)


def build(run: RunAnalyses) -> schema.Operators | None:
    """The section; None where the trace has no operator."""
    found = run.operators
    if not found.rows:
        return None
    known = found.device_known
    return schema.Operators(
        steps=len(run.averaged),
        rows=[_row(run, row, found) for row in found.rows[:MAX_ROWS]],
        rest=_rest(found.rows[MAX_ROWS:], known),
        device_us=to_us(found.device_ns) if known else None,
        unattributed_us=to_us(found.unattributed_ns) if known else None,
        not_measured=_not_measured(found),
    )
