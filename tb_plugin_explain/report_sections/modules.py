"""Calls of ``nn.Module``s by path (docs/definitions/modules.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Module(Struct, frozen=True):
    """One path; figures are sums over the averaged steps.

    ``backward_*``: GPU work of the backward pass of what the module did forward.
    """

    path: str
    calls: int
    cpu_total_us: float
    cpu_self_us: float
    device_self_us: float | None
    device_total_us: float | None
    kernels: int | None
    backward_self_us: float | None
    backward_total_us: float | None
    longest_event: int | None


class RestOfModules(Struct, frozen=True):
    """What the paths that are not listed amount to."""

    paths: int
    calls: int
    cpu_self_us: float
    device_self_us: float | None
    backward_self_us: float | None


class Modules(Struct, frozen=True):
    """The modules, the most expensive first. ``unattributed_us``: GPU work of none of them."""

    steps: int
    rows: Sequence[Module]
    rest: RestOfModules
    device_us: float | None
    unattributed_us: float | None
    not_measured: Mapping[str, str]
