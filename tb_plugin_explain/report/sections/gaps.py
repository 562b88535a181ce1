"""The section ``gaps``: when the devices were idle in the averaged steps, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_plugin_explain.analyses.gap_table import (
    KINDS,
    LENGTHS_NS,
    GapTable,
    by_length,
    join,
    longest,
    sums,
    work_before,
)
from tb_plugin_explain.report_sections import gaps as section
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

MAX_ROWS = 200


def _in_us(parts: Mapping[str, int]) -> dict[str, float]:
    return {name: to_us(time_ns) for name, time_ns in parts.items() if time_ns}


def _gap(run: RunAnalyses, row: GapTable, before: int) -> section.Gap:
    """``row``: a table of this gap alone."""
    gpu, events, names, origin = run.recording.gpu, run.trace.events, run.trace.names, run.recording.origin_ns
    causes, host_by = sums(row)
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


def _rest(tables: Sequence[GapTable], *without: GapTable) -> section.GapRest:
    """All rows but some, which are few; without a copy of the others, which are many."""
    count = sum(map(len, tables)) - sum(map(len, without))
    total_ns = sum(int(t.length_ns.sum()) for t in tables) - sum(int(t.length_ns.sum()) for t in without)
    parts = [
        {name: of_all[name] - of_some[name] for name in of_all}
        for of_all, of_some in zip(sums(*tables), sums(*without), strict=True)
    ]
    return section.GapRest(count, to_us(total_ns), *map(_in_us, parts))


def _lengths(tables: Sequence[GapTable]) -> list[section.GapLengths]:
    bounds = [*(to_us(ns) for ns in LENGTHS_NS), None]
    classes = sum(map(by_length, tables[1:]), by_length(tables[0])).tolist()
    return [
        section.GapLengths(up_to, count, to_us(time_ns), to_us(queued_ns))
        for up_to, (count, time_ns, queued_ns) in zip(bounds, classes, strict=True)
    ]


def build(run: RunAnalyses) -> section.Gaps | None:
    """The section; None where no averaged step has GPU work."""
    tables = run.gap_tables
    if not tables:
        return None
    listed = longest(join([longest(table, MAX_ROWS) for table in tables]), MAX_ROWS)
    before = work_before(run.recording.gpu, listed).tolist()
    whole = _rest(tables)
    return section.Gaps(
        count=whole.count,
        duration_us=whole.duration_us,
        causes=whole.causes,
        host_by=whole.host_by,
        longest=[
            _gap(run, listed.where(slice(i, i + 1)), -1 if opens else before[i])
            for i, opens in enumerate(listed.opens.tolist())
        ],
        rest=_rest(tables, listed),
        by_length=_lengths(tables),
    )
