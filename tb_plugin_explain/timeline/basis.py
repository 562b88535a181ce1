"""What a timeline takes of a trace's analyses. All else of them may go before its columns are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.backward import BackwardPasses
from tb_plugin_explain.analyses.launch_latency import LaunchLatencies
from tb_plugin_explain.analyses.nesting import Nesting
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.schema import StepSpan
from tb_plugin_explain.timeline.shading import Shaded, find_shaded
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Trace
from tb_plugin_explain.wording import to_us


class Basis(Struct, frozen=True, eq=False):
    """One trace. stepping_lane: of the file, on which most steps were made.

    in_averaged: whether each row belongs to a step that averages use: GPU work by its launch, all else by
    its start.
    """

    trace: Trace
    origin_ns: int
    steps: Sequence[StepSpan]
    stepping_lane: int | None
    in_averaged: Bools
    nesting: Nesting
    backward: BackwardPasses
    gpu: GpuWork
    latencies: LaunchLatencies
    shaded: Sequence[Shaded]


def _steps(run: RunAnalyses) -> list[StepSpan]:
    trace, origin_ns = run.trace, run.recording.origin_ns
    return [
        StepSpan(
            s.step.number,
            None if s.step.process is None else trace.processes[s.step.process],
            to_us(s.step.start_ns - origin_ns),
            to_us(s.step.duration_ns),
            s.settled.settled,
            s.index in run.averaged,
        )
        for s in run.steps
    ]


def _stepping_lane(run: RunAnalyses) -> int | None:
    made = Counter(step.lane for step in run.recording.steps if step.lane is not None)
    return made.most_common(1)[0][0] if made else None


def _in_averaged(run: RunAnalyses) -> Bools:
    marked = run.in_averaged.copy()
    marked[run.recording.gpu.row] = np.isin(run.recording.step_of_gpu, run.averaged)
    return marked


def basis_of(run: RunAnalyses) -> Basis:
    """From the analyses that its report was made of, which leaves little to compute, or from new ones."""
    return Basis(
        trace=run.trace,
        origin_ns=run.recording.origin_ns,
        steps=_steps(run),
        stepping_lane=_stepping_lane(run),
        in_averaged=_in_averaged(run),
        nesting=run.origins.nesting,
        backward=run.origins.backward,
        gpu=run.recording.gpu,
        latencies=run.latencies,
        shaded=find_shaded(run),
    )
