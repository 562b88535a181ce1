"""The section ``gaps``: when the devices were idle in the averaged steps, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.gap_causes import GapCauses
from tb_plugin_explain.analyses.gap_table import (
    KINDS,
    LENGTHS_NS,
    GapTable,
    by_length,
    join,
    longest,
    work_before,
)
from tb_plugin_explain.analyses.gpu_idle import CAUSES, HOST_CLASSES
from tb_plugin_explain.report_sections import gaps as section
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses
from tb_plugin_explain.wording import to_us

MAX_ROWS = 200


def _in_us(parts: Mapping[str, int]) -> dict[str, float]:
    return {name: to_us(time_ns) for name, time_ns in parts.items() if time_ns}


class _Sums(Struct, frozen=True):
    """Of several gaps: their number, time and causes."""

    count: int
    time_ns: int
    causes_ns: Mapping[str, int]
    host_by_ns: Mapping[str, int]

    def without(self, some: _Sums) -> _Sums:
        return _Sums(
            self.count - some.count,
            self.time_ns - some.time_ns,
            {name: time_ns - some.causes_ns[name] for name, time_ns in self.causes_ns.items()},
            {name: time_ns - some.host_by_ns[name] for name, time_ns in self.host_by_ns.items()},
        )


def _sums(gpus: Sequence[GpuStepAnalyses]) -> _Sums:
    """Of all gaps, whose causes are those of the idle time."""
    idle = [gpu.idle for gpu in gpus]
    return _Sums(
        sum(len(gpu.gaps) for gpu in gpus),
        sum(i.idle_ns for i in idle),
        {name: sum(i.by_cause[name] for i in idle) for name in CAUSES},
        {name: sum(i.host_by[name] for i in idle) for name in HOST_CLASSES},
    )


def _causes(gpus: Sequence[GpuStepAnalyses], table: GapTable) -> GapCauses:
    """Those of some gaps, which are few."""
    found = GapCauses(
        np.zeros((len(table), len(CAUSES)), np.int64), np.zeros((len(table), len(HOST_CLASSES)), np.int64)
    )
    rows: dict[tuple[int, int], list[int]] = {}
    for row, of in enumerate(zip(table.step.tolist(), table.device.tolist(), strict=True)):
        rows.setdefault(of, []).append(row)
    for gpu in gpus:
        if mine := rows.get((gpu.step_index, gpu.device)):
            causes = gpu.causes_of_gaps(np.searchsorted(gpu.gaps.end_ns, table.end_ns[mine]))
            found.by_cause[mine], found.host_by[mine] = causes.by_cause, causes.host_by
    return found


def _gap(run: RunAnalyses, row: GapTable, parts: GapCauses, before: int) -> section.Gap:
    """``row``: a table of this gap alone."""
    gpu, events, names, origin = run.recording.gpu, run.trace.events, run.trace.names, run.recording.origin_ns
    causes, host_by = parts.sums
    after = int(row.next[0])
    launch = int(gpu.launch[after])
    linked = launch >= 0
    return section.Gap(
        step=run.steps[int(row.step[0])].step.number,
        device=int(row.device[0]),
        start_us=to_us(int(row.start_ns[0]) - origin),
        duration_us=to_us(int(row.length_ns[0])),
        kind=KINDS[int(row.kind[0])],
        causes=_in_us(causes),
        host_by=_in_us(host_by),
        queued_us=to_us(int(row.queued_ns[0])),
        hole_us=to_us(int(row.hole_ns[0])),
        before=names[int(gpu.name[before])] if before >= 0 else None,
        before_event=int(events.ordinal[gpu.row[before]]) if before >= 0 else None,
        after=names[int(gpu.name[after])],
        after_event=int(events.ordinal[gpu.row[after]]),
        launch=run.trace.name_of(launch) if linked else None,
        launch_event=int(events.ordinal[launch]) if linked else None,
        launch_start_us=to_us(int(events.start_ns[launch]) - origin) if linked else None,
        launch_duration_us=to_us(int(events.end_ns_of(launch) - events.start_ns[launch])) if linked else None,
    )


def _lengths(tables: Sequence[GapTable]) -> list[section.GapLengths]:
    bounds = [*(to_us(ns) for ns in LENGTHS_NS), None]
    classes = sum(map(by_length, tables[1:]), by_length(tables[0])).tolist()
    return [
        section.GapLengths(up_to, count, to_us(time_ns), to_us(queued_ns))
        for up_to, (count, time_ns, queued_ns) in zip(bounds, classes, strict=True)
    ]


def build(run: RunAnalyses) -> section.Gaps | None:
    """The section; None where no averaged step has GPU work."""
    gpus = run.averaged_gpus
    if not gpus:
        return None
    tables = [gpu.gaps for gpu in gpus]
    listed = longest(join([longest(table, MAX_ROWS) for table in tables]), MAX_ROWS)
    causes, before = _causes(gpus, listed), work_before(run.recording.gpu, listed).tolist()
    whole = _sums(gpus)
    rest = whole.without(_Sums(len(listed), int(listed.length_ns.sum()), *causes.sums))
    rows = [slice(i, i + 1) for i in range(len(listed))]
    return section.Gaps(
        count=whole.count,
        duration_us=to_us(whole.time_ns),
        causes=_in_us(whole.causes_ns),
        host_by=_in_us(whole.host_by_ns),
        longest=[
            _gap(run, listed.where(one), causes.where(one), -1 if opens else before[one.start])
            for one, opens in zip(rows, listed.opens.tolist(), strict=True)
        ],
        rest=section.GapRest(
            rest.count, to_us(rest.time_ns), _in_us(rest.causes_ns), _in_us(rest.host_by_ns)
        ),
        by_length=_lengths(tables),
    )
