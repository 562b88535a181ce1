"""Where an event of the CPU comes from: operator, module, annotation, phase, line of the user.

docs/definitions/call_sites.md, "The site of a wait".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.backward import BackwardPasses, find_backward_passes
from tb_plugin_explain.analyses.module_paths import ModulePaths, find_module_paths
from tb_plugin_explain.analyses.nesting import Nesting, find_nesting
from tb_plugin_explain.trace import frames, vocabulary
from tb_plugin_explain.trace.model import NONE, Bools, Category, Int64s, Trace

Phase = Literal["input", "optimizer", "backward", "forward", "other"]
PHASES: tuple[Phase, ...] = ("input", "optimizer", "backward", "forward", "other")


class Places(Struct, frozen=True, eq=False):
    """Of some rows, one element each.

    operator_row, top_row: rows of operators. module: index into ``ModulePaths.paths``.
    annotation, source: indices into ``Trace.names``. All -1 where there is none.
    phase: index into ``PHASES``.
    """

    operator_row: Int64s
    top_row: Int64s
    module: Int64s
    annotation: Int64s
    source: Int64s
    phase: Int64s


class Origins:
    """The trees of a trace and what can be asked of them, computed when first asked for."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def nesting(self) -> Nesting:
        return find_nesting(self._trace)

    @cached_property
    def backward(self) -> BackwardPasses:
        return find_backward_passes(self._trace, self.nesting)

    @cached_property
    def modules(self) -> ModulePaths:
        return find_module_paths(self._trace, self.nesting)

    @cached_property
    def operators(self) -> Bools:
        """Whether each row is an operator."""
        return self._trace.is_category(Category.CPU_OP) & ~self._trace.is_step

    @cached_property
    def annotations(self) -> Bools:
        """Whether each row is an annotation that is no step."""
        return self._trace.is_category(Category.ANNOTATION) & ~self._trace.is_step

    @cached_property
    def user_frames(self) -> Bools:
        """Whether each row is a frame of the user's code."""
        return self._trace.is_category(Category.PYTHON) & self._trace.names_where(frames.is_user_frame)

    @cached_property
    def _inside(self) -> Mapping[Phase, Bools]:
        """What lies in each phase that an ancestor tells."""
        trace, nesting, led_to = self._trace, self.nesting, self.backward.forward
        differentiated = np.zeros(len(trace.events), np.bool_)
        differentiated[nesting.top_of_run(led_to[led_to >= 0].astype(np.int64), self.operators)] = True
        return {
            "input": nesting.inside(trace.names_where(vocabulary.is_data_loader)),
            "optimizer": nesting.inside(trace.names_where(vocabulary.is_optimizer_part)),
            "backward": self.backward.running,
            "forward": nesting.inside(self.modules.frames | differentiated),
        }

    def phases(self, rows: Int64s) -> Int64s:
        """The phase of each row, as an index into ``PHASES``."""
        masks = [self._inside[phase][rows] for phase in PHASES[:-1]]
        return np.select(masks, list(range(len(masks))), len(masks)).astype(np.int64)

    def _near(self, rows: Int64s, forward: Int64s, members: Bools) -> Int64s:
        """The innermost marked ancestor of each row; where there is none, of its forward operator."""
        own = self.nesting.nearest(rows, members)
        missing = np.flatnonzero((own < 0) & (forward >= 0))
        own[missing] = self.nesting.nearest(forward[missing], members)
        return own

    def _name(self, rows: Int64s) -> Int64s:
        return np.where(rows >= 0, self._trace.events.name[rows], NONE)

    def modules_of(self, rows: Int64s, forward: Int64s) -> Int64s:
        """The module path of each row, or of its forward operator, -1 where there is none."""
        frame = self._near(rows, forward, self.modules.frames)
        return np.where(frame >= 0, self.modules.path[frame], NONE)

    def of(self, rows: Int64s) -> Places:
        """Where each of some rows comes from."""
        nesting = self.nesting
        forward = self.backward.forward_of(rows)
        operator = nesting.nearest(rows, self.operators)
        return Places(
            operator_row=operator,
            top_row=nesting.top_of_run(operator, self.operators),
            module=self.modules_of(rows, forward),
            annotation=self._name(nesting.nearest(rows, self.annotations)),
            source=self._name(self._near(rows, forward, self.user_frames)),
            phase=self.phases(rows),
        )
