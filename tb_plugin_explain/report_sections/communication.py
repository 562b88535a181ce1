"""Communication with other ranks: docs/definitions/communication.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class CommunicationRow(Struct, frozen=True):
    """One collective of one library. ``recorded``: the collective is named by an argument."""

    collective: str | None
    library: str | None
    recorded: bool
    count: int
    time_us: float
    bytes: int | None
    sized_count: int
    union_us: float
    exposed_us: float
    overlapped_us: float
    longest_event: int | None


class CollectiveKind(Struct, frozen=True):
    """Kernels that may be one collective call of several ranks."""

    kernel: str
    collective: str | None


class CollectiveSequence(Struct, frozen=True):
    """The communication kernels of one device, in order; times count from the trace’s origin."""

    device: int
    kinds: Sequence[CollectiveKind]
    kind: Sequence[int]
    start_us: Sequence[float]
    duration_us: Sequence[float]


class Communication(Struct, frozen=True):
    """Sums over the averaged steps; exposed and overlapped sum to ``union_us``."""

    steps: int
    count: int
    time_us: float
    union_us: float
    exposed_us: float
    overlapped_us: float
    waiting_us: float | None
    transfer_us: float | None
    rows: Sequence[CommunicationRow]
    sequence: CollectiveSequence | None
    not_measured: Mapping[str, str]


class RankWaiting(Struct, frozen=True):
    """One rank in the collectives of a cycle: transfer is what the shortest rank needed."""

    rank: int
    time_us: float
    waiting_us: float
    late_count: int
    late_us: float


class RanksTogether(Struct, frozen=True):
    """What the files of several ranks say of one cycle; without figures, ``reason`` says why."""

    steps: Sequence[int | None]
    ranks: Sequence[int]
    collectives: int | None
    transfer_us: float | None
    by_rank: Sequence[RankWaiting]
    reason: str | None
