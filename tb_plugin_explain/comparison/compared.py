"""What is known of a pair once its parts are computed: what comparison rules read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from tb_plugin_explain.analyses.bound import Bound
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison_schema import (
    Change,
    ComparisonHeadline,
    CompileFacts,
    Delta,
    FusionGroup,
    GroupKind,
    GroupSummary,
)
from tb_plugin_explain.wording import to_us


class Compared(Struct, frozen=True, dict=True):
    """One pair with its figures, groups and compile facts (of the candidate)."""

    pair: Pair
    changes: Sequence[Change]
    deltas: Mapping[str, Delta]
    headline: ComparisonHeadline
    groups: Sequence[FusionGroup]
    summary: GroupSummary
    compile: CompileFacts | None

    @property
    def bounds(self) -> tuple[Bound | None, Bound | None]:
        """What bounds each run."""
        return self.pair.baseline.run.bound, self.pair.candidate.run.bound

    @cached_property
    def step_us(self) -> float | None:
        """What a step of the candidate costs: its pace, else what stands in for it."""
        speed = self.pair.candidate.run.speed_ns
        return None if speed is None else to_us(speed)

    @property
    def newly_compiled(self) -> bool:
        """Whether the candidate is compiled and the baseline is not."""
        return self.pair.candidate.compiled and not self.pair.baseline.compiled

    def of_kind(self, kind: GroupKind) -> Sequence[FusionGroup]:
        return [group for group in self.groups if group.kind == kind]

    def time_of(self, *kinds: GroupKind) -> tuple[float, float]:
        """Summed time (µs) of the groups of some kinds on both sides."""
        totals = [total for total in self.summary.totals if total.kind in kinds]
        return sum(t.baseline_us for t in totals), sum(t.candidate_us for t in totals)
