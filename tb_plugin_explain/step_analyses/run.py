"""Everything that is known of one trace."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tb_plugin_explain.analyses import compiled_work
from tb_plugin_explain.step_analyses.run_compile import RunCompile
from tb_plugin_explain.step_analyses.run_memory import RunMemory
from tb_plugin_explain.step_analyses.run_queue import RunQueue
from tb_plugin_explain.step_analyses.run_work import RunWork
from tb_plugin_explain.step_analyses.step import StepAnalyses


class RunAnalyses(RunWork, RunCompile, RunQueue, RunMemory):
    """Everything that is known of one trace, computed when first asked for."""

    @cached_property
    def steps(self) -> Sequence[StepAnalyses]:
        return [StepAnalyses(self, i) for i in range(len(self.recording.steps))]

    @cached_property
    def compiled_work(self) -> compiled_work.CompiledWork:
        """How much of the averaged steps torch.compile made, and how much graph launches bring."""
        return compiled_work.analyze(self.trace, self.origins.nesting, self.kernel_table)
