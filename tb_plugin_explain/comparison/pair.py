"""The two runs of a comparison, and what its parts ask of them, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tb_plugin_explain.analyses import averaged_work
from tb_plugin_explain.analyses.compiled_path import is_compiled
from tb_plugin_explain.comparison_schema import SideName
from tb_plugin_explain.report_schema import TraceInfo
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.generated_names import is_generated
from tb_plugin_explain.trace.grouping import distinct


class Side:
    """One run of the two."""

    def __init__(self, name: SideName, run: RunAnalyses, info: TraceInfo) -> None:
        self.name = name
        self.run = run
        self.info = info
        # By id of the metric, its values in the compared steps: both median and spread ask for them.
        self.figures: dict[str, Sequence[float]] = {}

    @property
    def steps(self) -> Sequence[StepAnalyses]:
        """The steps that are compared."""
        return [self.run.steps[i] for i in self.run.averaged]

    @cached_property
    def has_gpu_work(self) -> bool:
        """Whether the file has GPU work, and not only outside of compared steps that all launch some."""
        return len(self.run.recording.gpu) > 0 and not all(step.gpu_is_unknown for step in self.steps)

    @property
    def has_steps(self) -> bool:
        """Whether figures are of a step; else they are of the whole recording."""
        return any(step.step.number is not None for step in self.run.steps)

    @cached_property
    def typical(self) -> int | None:
        """Index of the typical step; None where no compared step has GPU work."""
        return averaged_work.find_averaged_work(self.run.recording, self.run.averaged).typical

    @cached_property
    def typical_of_cpu(self) -> int | None:
        """Index of the typical step by own CPU time of operators and compiled graphs; None without any."""
        run = self.run
        chosen = run.operator_tree.operators | run.compiled_path.events
        rows = np.flatnonzero(chosen & run.in_averaged)
        events = run.trace.events
        step = run.recording.windows.owner(events.start_ns[rows], events.process[rows])
        return averaged_work.find_typical(step, run.operator_tree.self_ns[rows])

    @property
    def shown(self) -> int | None:
        """Index of the step that stands for the run: the typical one, by its GPU work where it has any."""
        return self.typical_of_cpu if self.typical is None else self.typical

    @cached_property
    def compiled(self) -> bool:
        """Whether the compared steps run code of torch.compile."""
        return is_compiled(self.run.compiled_path, self.run.averaged) or self._runs_generated_kernels

    @cached_property
    def _runs_generated_kernels(self) -> bool:
        gpu, recording = self.run.recording.gpu, self.run.recording
        work = np.isin(recording.step_of_gpu, self.run.averaged)
        names = {self.run.trace.names[i] for i in distinct(gpu.name[work]).tolist()}
        return any(map(is_generated, names))

    @cached_property
    def launches_graphs(self) -> bool:
        """Whether a call of the compared steps launches a CUDA or HIP graph."""
        graphs = self.run.trace.names_where(vocabulary.is_graph_launch)
        return bool((graphs & self.run.recording.kinds.call & self.run.in_averaged).any())


class Pair:
    """Baseline and candidate."""

    def __init__(self, baseline: Side, candidate: Side) -> None:
        self.baseline = baseline
        self.candidate = candidate

    @property
    def have_one_unit(self) -> bool:
        """Whether figures of both sides are of a step, or of both of a whole recording."""
        return self.baseline.has_steps == self.candidate.has_steps

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.baseline, self.candidate
