"""Section ``input`` of the report: docs/definitions/input.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

LoaderWorkers = Literal["in_process", "worker_processes", "both"]


class StepInput(Struct, frozen=True):
    """What one step spent on getting its batch."""

    number: int | None
    averaged: bool
    loader_us: float
    loader_share: float | None
    loader_calls: int
    idle_us: float | None
    copies: int | None
    copy_bytes: int | None
    copy_us: float | None
    pageable: int | None
    pinned: int | None
    copy_exposed_us: float | None


class TypicalInput(Struct, frozen=True):
    """Medians over the averaged steps."""

    loader_us: float
    loader_share: float | None
    idle_us: float | None
    copy_us: float | None
    copy_exposed_us: float | None


class InputPipeline(Struct, frozen=True):
    """The input pipeline: data loader, and copies from host to device."""

    workers: LoaderWorkers | None
    device: int | None
    typical: TypicalInput
    steps: Sequence[StepInput]
    steps_left_out: int
    not_measured: Mapping[str, str]
