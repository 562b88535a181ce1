"""Who asked for each wait, grouped by call site (docs/definitions/call_sites.md).

Invariants: over all sites the waiting time sums to that of the averaged steps, explicit and
implicit, and the bubbles to those of the averaged steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.launched_work import sums
from tb_plugin_explain.analyses.origins import PHASES, Origins, Phase
from tb_plugin_explain.analyses.sync_calls import Waits
from tb_plugin_explain.analyses.wait_times import WaitTimes
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import NONE, Bools, Int64s, Trace


class SiteTotals(Struct, frozen=True):
    """count: how often the site asked. bubble_ns: idle time that its waits made."""

    count: int
    wait_calls: int
    waiting_ns: int
    bubble_ns: int


class CallSite(Struct, frozen=True, eq=False):
    """One site; its names are None where the trace does not tell.

    averaged: of the averaged steps, whose waiting is split; recorded: of the whole file.
    rows: rows of its waits that begin in an averaged step, the longest first.
    """

    operator: str | None
    top_operator: str | None
    module: str | None
    annotation: str | None
    phase: Phase
    source: str | None
    calls: Sequence[str]
    averaged: SiteTotals
    gpu_busy_ns: int
    profiler_ns: int
    implicit_ns: int
    steps_with: int
    recorded: SiteTotals
    rows: Int64s

    @property
    def gpu_idle_ns(self) -> int:
        return self.averaged.waiting_ns - self.gpu_busy_ns - self.profiler_ns


def _by_site(columns: Sequence[Int64s]) -> Sequence[Int64s]:
    """The positions of each distinct combination of the columns."""
    order = np.lexsort(columns)
    differs = np.any(np.diff(np.stack(columns)[:, order], axis=1), axis=0)
    return np.split(order, np.flatnonzero(differs) + 1)


class _Sites:
    """The waits of a trace by site, as columns."""

    def __init__(
        self, trace: Trace, origins: Origins, waits: Waits, averaged: Bools, times: WaitTimes
    ) -> None:
        self.trace, self.origins, self.waits, self.times = trace, origins, waits, times
        self.places = origins.of(waits.row)
        names = trace.events.name
        self.operator = np.where(self.places.operator_row >= 0, names[self.places.operator_row], NONE)
        self.top = np.where(self.places.top_row >= 0, names[self.places.top_row], NONE)
        places = self.places
        self.positions = _by_site(
            (self.operator, self.top, places.module, places.annotation, places.phase, places.source)
        )
        self.here = averaged
        # A wait without an operator asks by itself.
        self.asked = np.where(places.operator_row >= 0, places.operator_row, -2 - np.arange(len(waits.row)))

    def _name(self, name: int) -> str | None:
        return self.trace.names[name] if name >= 0 else None

    def _totals(self, mine: Int64s, bubble: int) -> SiteTotals:
        return SiteTotals(
            len(distinct(self.asked[mine])), len(mine), int(self.times.total_ns[mine].sum()), bubble
        )

    def site(self, mine: Int64s, bubble: int, recorded_bubble: int) -> CallSite:
        """One site; ``mine``: positions of its waits."""
        first, places = mine[0], self.places
        now = mine[self.here[mine]]
        names = self.trace.events.name[self.waits.row[mine]]
        longest = now[np.argsort(-self.times.total_ns[now], kind="stable")]
        spent = sums(names, self.times.total_ns[mine], int(names.max()) + 1)
        calls = sorted(set(names.tolist()), key=lambda n: (-int(spent[n]), self.trace.names[n]))
        return CallSite(
            operator=self._name(int(self.operator[first])),
            top_operator=self._name(int(self.top[first])),
            module=self.origins.modules.text(int(places.module[first])),
            annotation=self._name(int(places.annotation[first])),
            phase=PHASES[int(places.phase[first])],
            source=self._name(int(places.source[first])),
            calls=[self.trace.names[n] for n in calls],
            averaged=self._totals(now, bubble),
            gpu_busy_ns=int(self.times.gpu_busy_ns[now].sum()),
            profiler_ns=int(self.times.profiler_ns[now].sum()),
            implicit_ns=int(self.times.total_ns[now[~self.waits.explicit[now]]].sum()),
            steps_with=len(distinct(self.waits.step[now])),
            recorded=self._totals(mine, recorded_bubble),
            rows=self.waits.row[longest],
        )


def _cost(site: CallSite) -> tuple[object, ...]:
    names = (site.operator, site.top_operator, site.module, site.annotation, site.source)
    return (
        -site.averaged.bubble_ns,
        -site.averaged.waiting_ns,
        -site.recorded.waiting_ns,
        tuple(name or "" for name in names),
    )


def analyze(
    trace: Trace,
    origins: Origins,
    waits: Waits,
    averaged: Bools,
    times: WaitTimes,
    bubble_ns: Int64s,
    recorded_bubble_ns: Int64s,
) -> Sequence[CallSite]:
    """All sites, the most expensive first.

    ``averaged``: whether each wait begins in an averaged step. ``bubble_ns``: what each wait made
    of the idle time of the averaged steps; ``recorded_bubble_ns``: of all steps.
    """
    if not len(waits.row):
        return []
    columns = _Sites(trace, origins, waits, averaged, times)
    found = [
        columns.site(mine, int(bubble_ns[mine].sum()), int(recorded_bubble_ns[mine].sum()))
        for mine in columns.positions
    ]
    return sorted(found, key=_cost)
