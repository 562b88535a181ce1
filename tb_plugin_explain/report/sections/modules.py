"""Section ``modules``: CPU time and GPU work of each path of modules."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.modules import Modules, ModuleTimes
from tb_plugin_explain.report.sections import (
    MAX_ROWS,
    NO_BACKWARD,
    NO_GPU_EVENT,
    NO_STACKS,
    event_of,
)
from tb_plugin_explain.report_sections import modules as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import to_us


def _us(time_ns: int, known: bool) -> float | None:
    return to_us(time_ns) if known else None


def _row(run: RunAnalyses, row: ModuleTimes, device: bool, backward: bool) -> schema.Module:
    return schema.Module(
        path=row.path,
        calls=row.calls,
        cpu_total_us=to_us(row.cpu_total_ns),
        cpu_self_us=to_us(row.cpu_self_ns),
        device_self_us=_us(row.device_self_ns, device),
        device_total_us=_us(row.device_total_ns, device),
        kernels=row.kernels if device else None,
        backward_self_us=_us(row.backward_self_ns, backward),
        backward_total_us=_us(row.backward_total_ns, backward),
        longest_event=event_of(run.trace, row.longest),
    )


def _rest(rows: Sequence[ModuleTimes], device: bool, backward: bool) -> schema.RestOfModules:
    return schema.RestOfModules(
        paths=len(rows),
        calls=sum(r.calls for r in rows),
        cpu_self_us=to_us(sum(r.cpu_self_ns for r in rows)),
        device_self_us=_us(sum(r.device_self_ns for r in rows), device),
        backward_self_us=_us(sum(r.backward_self_ns for r in rows), backward),
    )


def _not_measured(run: RunAnalyses, found: Modules) -> dict[str, str]:
    reasons = {}
    if not found.rows:
        stacks = run.trace.is_category(Category.PYTHON).any()
        reasons["rows"] = "no nn.Module was called while stacks were recorded" if stacks else NO_STACKS
    if not found.device_known:
        reasons["device_us"] = NO_GPU_EVENT
    if not found.backward_known:
        reasons["backward_self_us"] = NO_BACKWARD
    return reasons


def build(run: RunAnalyses) -> schema.Modules:
    """The section; without rows where no module is known."""
    found = run.modules
    device = found.device_known
    backward = device and found.backward_known
    return schema.Modules(
        steps=len(run.averaged),
        rows=[_row(run, row, device, backward) for row in found.rows[:MAX_ROWS]],
        rest=_rest(found.rows[MAX_ROWS:], device, backward),
        device_us=_us(found.device_ns, device),
        unattributed_us=_us(found.unattributed_ns, device),
        not_measured=_not_measured(run, found),
    )
