"""Section ``communication``: exchange with other ranks, by collective and library."""

from __future__ import annotations

from tb_plugin_explain.analyses.communication_table import CollectiveOrder, CommunicationRow
from tb_plugin_explain.report.sections import event_of
from tb_plugin_explain.report_sections import communication as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A recording of a few steps has far fewer; more would make every report large.
MAX_SEQUENCE = 2_000
_ONE_FILE = (
    "a rank that waits for a late one inside a kernel looks just like one that transfers: only the files "
    "of several ranks together tell"
)


def _row(run: RunAnalyses, row: CommunicationRow) -> schema.CommunicationRow:
    return schema.CommunicationRow(
        collective=row.collective,
        library=row.library,
        recorded=row.recorded,
        count=row.count,
        time_us=to_us(row.time_ns),
        bytes=row.bytes,
        sized_count=row.sized_count,
        union_us=to_us(row.union_ns),
        exposed_us=to_us(row.exposed_ns),
        overlapped_us=to_us(row.union_ns - row.exposed_ns),
        longest_event=event_of(run.trace, row.longest),
    )


def _sequence(run: RunAnalyses, order: CollectiveOrder | None) -> schema.CollectiveSequence | None:
    if order is None or len(order.kind) > MAX_SEQUENCE:
        return None
    return schema.CollectiveSequence(
        device=order.device,
        kinds=[schema.CollectiveKind(*kind) for kind in order.kinds],
        kind=order.kind.tolist(),
        start_us=[to_us(t) for t in (order.start_ns - run.recording.origin_ns).tolist()],
        duration_us=[to_us(t) for t in order.duration_ns.tolist()],
    )


def build(run: RunAnalyses) -> schema.Communication | None:
    """The section; None where no averaged step communicates."""
    rows = run.communication_rows
    if not rows:
        return None
    union_ns, exposed_ns = sum(r.union_ns for r in rows), sum(r.exposed_ns for r in rows)
    sequence = _sequence(run, run.collective_order)
    not_measured = {"waiting_us": _ONE_FILE, "transfer_us": _ONE_FILE}
    if sequence is None:
        not_measured["sequence"] = f"the device has more than {MAX_SEQUENCE:,} communication kernels"
    return schema.Communication(
        steps=len(run.averaged),
        count=sum(r.count for r in rows),
        time_us=to_us(sum(r.time_ns for r in rows)),
        union_us=to_us(union_ns),
        exposed_us=to_us(exposed_ns),
        overlapped_us=to_us(union_ns - exposed_ns),
        waiting_us=None,
        transfer_us=None,
        rows=[_row(run, row) for row in rows],
        sequence=sequence,
        not_measured=not_measured,
    )
