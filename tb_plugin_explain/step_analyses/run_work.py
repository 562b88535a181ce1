"""What the GPU did: kernels, copies and communication of the averaged steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tb_plugin_explain.analyses import (
    communication_table,
)
from tb_plugin_explain.analyses.averaged_work import AveragedWork, find_averaged_work
from tb_plugin_explain.analyses.copy_table import CopyTable
from tb_plugin_explain.analyses.exposure import Exposure, find_exposure
from tb_plugin_explain.analyses.kernel_table import KernelTable
from tb_plugin_explain.step_analyses.run_base import RunBase
from tb_plugin_explain.trace.model import Bools, Category


class RunWork(RunBase):
    """The part of ``RunAnalyses`` about the GPU's work."""

    @cached_property
    def averaged_work(self) -> AveragedWork:
        return find_averaged_work(self.recording, self.averaged)

    @cached_property
    def kernel_table(self) -> KernelTable:
        return KernelTable(self.trace, self.averaged_work)

    def _exposure(self, chosen: Bools) -> Exposure:
        """When the chosen GPU events ran, and when nothing else of their averaged step did."""
        works = [window.work for i in self.averaged for window in self.windows[i]]
        return find_exposure(self.recording.gpu, works, chosen)

    @cached_property
    def copy_table(self) -> CopyTable:
        kind = self.recording.gpu.kind
        return CopyTable(
            self.trace,
            self.recording.kinds,
            self.averaged_work,
            self._exposure(kind == Category.MEMCPY),
            self._exposure(kind == Category.MEMSET),
        )

    @cached_property
    def collectives(self) -> communication_table.Collectives:
        return communication_table.Collectives(self.trace, self.recording.gpu)

    @cached_property
    def communication_rows(self) -> Sequence[communication_table.CommunicationRow]:
        """The collectives of the averaged steps, the most expensive first."""
        exposure = self._exposure(self.recording.gpu.communication)
        return communication_table.find_rows(self.collectives, self.averaged_work, exposure)

    @cached_property
    def collective_order(self) -> communication_table.CollectiveOrder | None:
        return communication_table.find_order(self.collectives, self.recording.gpu)
