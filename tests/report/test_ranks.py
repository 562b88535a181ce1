"""Several ranks: what proves that their collectives belong together, and who waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tb_plugin_explain.report import explain, explain_path
from tb_plugin_explain.report.ranks import ranks_together
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.report_sections.communication import RanksTogether
from tb_plugin_explain.run_report import summarise
from tb_plugin_explain.trace.model import Category, TraceMeta
from tests.trace_drawing import Row, trace_of

ALL_REDUCE, SEND = "ncclDevKernel_AllReduce", "ncclDevKernel_SendRecv"


def rank(
    number: int | None, times_us: Sequence[tuple[float, float]], name: str = ALL_REDUCE, clock_us: int = 0
) -> Report:
    """A rank with one step and collectives from … to …, its clock ahead by ``clock_us``."""
    rows = [Row(Category.ANNOTATION, "ProfilerStep#3", 0, 10_000)]
    for i, (start, end) in enumerate(times_us, 1):
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", start - 10, 2, correlation=i))
        rows.append(Row(Category.KERNEL, name, start, end - start, correlation=i, device=0, stream="7"))
    meta = TraceMeta("drawn.json", 0, base_time_ns=clock_us * 1000, rank=number, world_size=2)
    return explain(trace_of(rows, meta))


def only(*reports: Report) -> RanksTogether:
    (found,) = ranks_together(reports)
    return found


def test_the_shortest_is_transfer_and_the_rest_is_waiting() -> None:
    found = only(rank(0, [(100, 200), (1000, 1400)]), rank(1, [(150, 200), (1300, 1400)], clock_us=77))
    assert (found.steps, found.ranks, found.collectives, found.reason) == ([3], [0, 1], 2, None)
    assert found.transfer_us == 150
    zero, one = found.by_rank
    assert (zero.time_us, zero.waiting_us, zero.late_count, zero.late_us) == (500, 350, 0, 0)
    assert (one.time_us, one.waiting_us, one.late_count, one.late_us) == (150, 0, 2, 350)


def test_late_is_told_by_the_next_rank() -> None:
    found = only(rank(0, [(100, 500)]), rank(1, [(390, 500)]), rank(2, [(400, 500)]))
    assert [(r.waiting_us, r.late_count) for r in found.by_rank] == [(300, 0), (10, 0), (0, 0)]


def test_collectives_that_do_not_overlap_prove_nothing() -> None:
    found = only(
        rank(0, [(100, 200), (1000, 1100), (2000, 2100)]), rank(1, [(100, 200), (1000, 1100), (2200, 2300)])
    )
    assert found.transfer_us is None
    assert found.by_rank == []
    assert found.reason is not None
    assert "different groups" in found.reason


@pytest.mark.parametrize(
    ("reports", "reason"),
    [
        ((rank(0, [(100, 200)]), rank(1, [(100, 200), (300, 400)])), "same order"),
        ((rank(0, [(100, 200)]), rank(1, [(100, 200)], "ncclDevKernel_AllGather")), "same order"),
        ((rank(0, [(100, 200)], SEND), rank(1, [(100, 200)], SEND)), "must meet"),
        ((rank(0, [(100, 200)]), rank(1, [])), "no communication"),
        ((rank(0, [(100, 200)]), rank(0, [(100, 200)]), rank(1, [(100, 200)])), "two files"),
    ],
)
def test_what_cannot_be_matched_is_not_guessed(reports: Sequence[Report], reason: str) -> None:
    found = only(*reports)
    assert (found.collectives, found.transfer_us, found.by_rank) == (None, None, [])
    assert reason in str(found.reason)


def test_one_rank_and_files_without_rank_make_no_cycle() -> None:
    assert ranks_together([rank(0, [(100, 200)])]) == []
    assert ranks_together([rank(None, [(100, 200)]), rank(None, [(100, 200)])]) == []


def test_ranks_of_other_steps_are_another_cycle() -> None:
    other = rank(1, [(100, 200)])
    later = replace(other, steps=[replace(s, number=9) for s in other.steps])
    assert ranks_together([rank(0, [(100, 200)]), later]) == []


def test_four_ranks_of_one_real_job(shared_traces: Path) -> None:
    files = [shared_traces / f"astrasim__megatron_kineto_{i}.json.gz" for i in range(4)]
    summary = summarise("job", [explain_path(str(f)) for f in files])
    (found,) = summary.communication
    assert (found.ranks, found.collectives, found.reason) == ([0, 1, 2, 3], 84, None)
    for member in found.by_rank:
        assert member.time_us == pytest.approx((found.transfer_us or 0) + member.waiting_us)
    assert sum(r.late_count for r in found.by_rank) <= 84
    (finding,) = summary.findings
    assert finding.title.startswith("Rank 0 comes late")
