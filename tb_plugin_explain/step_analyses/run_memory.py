"""Memory, the input pipeline, and what the profiler itself cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from tb_plugin_explain.analyses import (
    input_pipeline,
    memory_events,
    memory_use,
    profiler_cost,
)
from tb_plugin_explain.step_analyses.run_base import RunBase
from tb_plugin_explain.trace.model import Category, Int64s


class RunMemory(RunBase):
    """The part of ``RunAnalyses`` about memory, input and the profiler."""

    @cached_property
    def memory(self) -> Sequence[memory_use.MemoryUse]:
        """Each allocator over the steps, those of the CPU last."""
        found = memory_events.find_allocators(self.trace)
        return [memory_use.MemoryUse(a, self.recording.steps, self.averaged) for a in found]

    def operator_name(self, name: int) -> str:
        """The operator of a block of memory by its name id, for a sentence."""
        return self.trace.names[name] if name >= 0 else "code outside operators"

    @cached_property
    def input_pipeline(self) -> input_pipeline.InputPipeline:
        return input_pipeline.InputPipeline(self.recording, self.busiest_device)

    @cached_property
    def profiler_records(self) -> Mapping[str, Int64s]:
        """What each mode of the profiler recorded, counted by step."""
        return profiler_cost.count_records(self.recording)

    @cached_property
    def profiler_modes(self) -> Mapping[str, bool]:
        """Which costly modes were on: the file says so, or holds what only they record."""
        meta, details = self.trace.meta, self.trace.details
        frames = self.trace.is_category(Category.PYTHON)
        return {
            "with_stack": meta.with_stack or bool(frames.any()),
            "record_shapes": meta.record_shapes or bool((details.operators.shape >= 0).any()),
            "profile_memory": meta.profile_memory or bool(self.memory),
        }

    @cached_property
    def profiler_overhead(self) -> Sequence[profiler_cost.OverheadKind]:
        return profiler_cost.find_overhead(self.recording)
