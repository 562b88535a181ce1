"""Who asked for it: call sites of waits, operators, modules, annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median

import numpy as np

from tb_plugin_explain.analyses import (
    annotation_times,
    call_sites,
    launched_work,
    modules,
    operators,
    sync_bubble,
    wait_times,
)
from tb_plugin_explain.analyses.call_sites import CallSite
from tb_plugin_explain.analyses.operators import OperatorTree, find_tree
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.analyses.wait_causes import OWN_CAUSES, WaitCause, find_wait_causes
from tb_plugin_explain.step_analyses.run_base import RunBase
from tb_plugin_explain.trace.model import Bools, Int64s

# A cause of waits whose bubbles take this share of a step is told by itself; below it is within the
# spread of most runs, and told with all other waits.
OWN_FINDING_SHARE = 0.01


class RunWho(RunBase):
    """The part of ``RunAnalyses`` about who asked."""

    @cached_property
    def origins(self) -> Origins:
        """Which operator, module, annotation and line of the user an event of the CPU comes from."""
        return Origins(self.trace)

    @cached_property
    def in_averaged(self) -> Bools:
        """Whether each row begins in an averaged step of its process."""
        events = self.trace.events
        step = self.recording.windows.owner(events.start_ns, events.process)
        return np.isin(step, self.averaged)

    @cached_property
    def launched_work(self) -> launched_work.LaunchedWork:
        return launched_work.find_launched_work(self.recording, self.averaged)

    @cached_property
    def wait_times(self) -> wait_times.WaitTimes:
        return wait_times.find_wait_times(self.recording, self.waits)

    def bubble_of_waits(self, steps: Sequence[int], group: Int64s | None = None) -> Int64s:
        """How much of the idle time of some steps each wait made, in ns; ``group``: which comes first."""
        waits = self.waits
        bubble = np.zeros(len(waits.row), np.int64)
        gpus = [gpu for i in steps for gpu in self.steps[i].gpu]
        for device in {gpu.device for gpu in gpus}:
            pieces = wait_times.find_bubble_pieces(self.recording, waits, device, group)
            idle = [gpu.idle_spans for gpu in gpus if gpu.device == device]
            bubble += wait_times.bubble_in(pieces, idle, len(waits.row))
        return bubble

    @cached_property
    def call_sites(self) -> Sequence[CallSite]:
        """Who asked for the waits, the most expensive first."""
        averaged = self.bubble_of_waits(self.averaged)
        return self._sites_of(np.ones(len(self.waits.row), np.bool_), averaged)

    @cached_property
    def general_sites(self) -> Sequence[CallSite]:
        """Who asked for explicit waits whose cause has no finding of its own; figures are of these alone.

        A bubble that a wait of such a cause made too is not theirs; one that an implicit wait made too is.
        """
        explicit, claimed = self.waits.explicit, self.claimed_waits
        group = np.where(claimed, 0, np.where(explicit, 1, 2))
        sites = self._sites_of(explicit & ~claimed, self.bubble_of_waits(self.averaged, group))
        return [site for site in sites if site.averaged.wait_calls]

    def _sites_of(self, chosen: Bools, bubble_ns: Int64s) -> Sequence[CallSite]:
        """All sites; what they sum over the averaged steps is of the chosen waits."""
        waits = self.waits
        return call_sites.analyze(
            self.trace,
            self.origins,
            waits,
            np.isin(waits.step, self.averaged) & chosen,
            self.wait_times,
            np.where(chosen, bubble_ns, 0),
            self.bubble_of_waits(range(len(self.steps))),
        )

    @cached_property
    def wait_causes(self) -> Mapping[WaitCause, Bools]:
        return find_wait_causes(self.trace, self.origins, self.waits)

    @cached_property
    def claimed_causes(self) -> Mapping[WaitCause, float]:
        """The median bubble (ns a step) of the causes that deserve a finding of their own.

        Each is what its waits add to the bubbles of the causes before it, so that none counts twice.
        """
        claimed: dict[WaitCause, float] = {}
        least = max(OWN_FINDING_SHARE * (self.speed_ns or 0), 1)
        for cause in OWN_CAUSES:
            before = self._bubbles_in_steps(self._are_of(*claimed))
            now = self._bubbles_in_steps(self._are_of(*claimed, cause))
            added = [n - b for n, b in zip(now, before, strict=True)]
            if added and median(added) >= least:
                claimed[cause] = float(median(added))
        return claimed

    @cached_property
    def claimed_waits(self) -> Bools:
        """Whether each wait belongs to a cause that has a finding of its own."""
        return self._are_of(*self.claimed_causes)

    def _are_of(self, *causes: WaitCause) -> Bools:
        mask = np.zeros(len(self.waits.row), np.bool_)
        for cause in causes:
            mask |= self.wait_causes[cause]
        return mask

    def _bubbles_in_steps(self, chosen: Bools) -> Sequence[int]:
        bubbles = sync_bubble.find_bubbles(self.recording, self.waits, chosen)
        known = [self.steps[i] for i in self.averaged if not self.steps[i].gpu_is_unknown]
        device = self.busiest_device
        return [sum(g.idle_in(bubbles) for g in s.gpu if g.device == device) for s in known]

    @cached_property
    def operator_tree(self) -> OperatorTree:
        return find_tree(self.trace, self.origins)

    @cached_property
    def operators(self) -> operators.Operators:
        return operators.analyze(
            self.trace, self.origins, self.operator_tree, self.in_averaged, self.launched_work
        )

    @cached_property
    def modules(self) -> modules.Modules:
        return modules.analyze(self.origins, self.in_averaged, self.launched_work)

    @cached_property
    def annotations(self) -> annotation_times.Annotations:
        return annotation_times.analyze(self.trace, self.origins, self.in_averaged, self.launched_work)
