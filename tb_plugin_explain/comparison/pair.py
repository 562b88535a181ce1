"""The two runs of a comparison, and what its parts ask of them, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tb_plugin_explain.analyses import averaged_work
from tb_plugin_explain.comparison_schema import SideName
from tb_plugin_explain.report_schema import TraceInfo
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses


class Side:
    """One run of the two."""

    def __init__(self, name: SideName, run: RunAnalyses, info: TraceInfo) -> None:
        self.name = name
        self.run = run
        self.info = info

    @property
    def steps(self) -> Sequence[StepAnalyses]:
        """The steps that are compared."""
        return [self.run.steps[i] for i in self.run.averaged]

    @cached_property
    def has_gpu_work(self) -> bool:
        return len(self.run.recording.gpu) > 0

    @cached_property
    def typical(self) -> int | None:
        """Index of the typical step; None where no compared step has GPU work."""
        return averaged_work.find_averaged_work(self.run.recording, self.run.averaged).typical


class Pair:
    """Baseline and candidate."""

    def __init__(self, baseline: Side, candidate: Side) -> None:
        self.baseline = baseline
        self.candidate = candidate

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.baseline, self.candidate
