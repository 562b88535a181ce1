"""What the files of several ranks say together: waiting for late ranks, told from transfer.

docs/definitions/communication.md, "Several ranks". Nothing is told apart unless the times of the
ranks prove that their kernels belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.report_sections.communication import CollectiveSequence, RanksTogether, RankWaiting

# No rank can leave these before all have come.
_MEET = frozenset({"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"})
# The clocks of two devices differ by this much, as for waits.
CLOCK_TOLERANCE_US = 20.0

_NOT_ONE = "the ranks’ files do not hold the same collectives in the same order"
_TOO_MANY = "a rank has no communication, or more of it than is compared"
_NO_PROOF = (
    "the ranks’ collectives do not overlap in time as those of one group must: they may belong to "
    "different groups"
)
_NONE_MEETS = "there is no collective in which all ranks must meet"
_TWICE = "a rank has two files of the same steps"

Matrix = npt.NDArray[np.float64]


def _cycles(reports: Sequence[Report]) -> Iterator[tuple[list[int | None], list[Report]]]:
    """Reports with the same steps, by rank."""
    cycles: dict[tuple[int | None, ...], list[Report]] = {}
    for report in reports:
        if report.trace.rank is not None:
            cycles.setdefault(tuple(s.number for s in report.steps), []).append(report)
    for steps, members in cycles.items():
        if len({m.trace.rank for m in members}) > 1:
            yield list(steps), sorted(members, key=lambda m: m.trace.rank or 0)


def _kinds(sequence: CollectiveSequence) -> list[tuple[str, str | None]]:
    return [(sequence.kinds[k].kernel, sequence.kinds[k].collective) for k in sequence.kind]


def _aligned(reports: Sequence[Report], sequences: Sequence[CollectiveSequence]) -> tuple[Matrix, Matrix]:
    """Start and duration of each collective (column) on each rank (row), on one clock."""
    origin = min(r.trace.origin_ns for r in reports)
    shift = [(r.trace.origin_ns - origin) / 1000 for r in reports]
    start = np.array([np.array(s.start_us) + d for s, d in zip(sequences, shift, strict=True)])
    duration = np.array([s.duration_us for s in sequences], np.float64)
    offset = np.median(start + duration - (start + duration)[0], axis=1)
    return start - offset[:, None], duration


def _by_rank(ranks: Sequence[int], duration: Matrix) -> list[RankWaiting]:
    transfer = duration.min(axis=0)
    waiting = duration - transfer
    last = duration.argmin(axis=0)
    behind = np.sort(duration, axis=0)[1] - transfer
    late = behind > CLOCK_TOLERANCE_US
    return [
        RankWaiting(
            rank=rank,
            time_us=float(duration[i].sum()),
            waiting_us=float(waiting[i].sum()),
            late_count=int((late & (last == i)).sum()),
            late_us=float(behind[late & (last == i)].sum()),
        )
        for i, rank in enumerate(ranks)
    ]


def _judge(steps: list[int | None], reports: Sequence[Report]) -> RanksTogether:
    ranks = [r.trace.rank for r in reports if r.trace.rank is not None]

    def unknown(reason: str) -> RanksTogether:
        return RanksTogether(steps, ranks, None, None, [], reason)

    if len(set(ranks)) < len(ranks):
        return unknown(_TWICE)
    found = [r.communication.sequence if r.communication else None for r in reports]
    sequences = [s for s in found if s is not None]
    if len(sequences) < len(reports):
        return unknown(_TOO_MANY)
    kinds = _kinds(sequences[0])
    if any(_kinds(s) != kinds for s in sequences):
        return unknown(_NOT_ONE)
    meets = np.array([collective in _MEET for _, collective in kinds], np.bool_)
    if not meets.any():
        return unknown(_NONE_MEETS)
    start, duration = (times[:, meets] for times in _aligned(reports, sequences))
    if (start.max(axis=0) > (start + duration).min(axis=0) + CLOCK_TOLERANCE_US).any():
        return unknown(_NO_PROOF)
    by_rank = _by_rank(ranks, duration)
    return RanksTogether(steps, ranks, int(meets.sum()), float(duration.min(axis=0).sum()), by_rank, None)


def ranks_together(reports: Sequence[Report]) -> Sequence[RanksTogether]:
    """One entry a cycle of which at least two ranks have a file here."""
    return [_judge(steps, members) for steps, members in _cycles(reports)]
