"""What torch.compile did."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tb_plugin_explain.analyses import compile_time, compiled_path
from tb_plugin_explain.step_analyses.run_who import RunWho
from tb_plugin_explain.trace import vocabulary


class RunCompile(RunWho):
    """The part of ``RunAnalyses`` about torch.compile."""

    @cached_property
    def compiled_path(self) -> compiled_path.CompiledPath:
        return compiled_path.find_compiled_path(self.recording, self.origins, self.operator_tree)

    @cached_property
    def compile_time(self) -> compile_time.CompileTime | None:
        return compile_time.find_compile_time(self.trace)

    @cached_property
    def captures(self) -> int:
        """How many captures of graphs the recording holds."""
        begins = self.trace.names_where(vocabulary.begins_capture)
        return int(np.count_nonzero(self.recording.kinds.call & begins))
