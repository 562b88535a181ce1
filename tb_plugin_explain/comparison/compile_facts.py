"""What torch.compile did in one of the two runs: docs/definitions/comparison.md, "compile"."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from tb_plugin_explain.analyses.compiled_path import Part, Tax
from tb_plugin_explain.analyses.graph_breaks import operators_between, place_of
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison_schema import CompileFacts, CompilePhase, CompileTax, GraphBreak
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.wording import to_us

# Stands for the id of a region where the version that recorded it writes none.
NO_ID = "?"
_NO_GPU = "the trace has no GPU event and no launch of one"
_NO_IDS = "this recording gives regions no ids, as older versions of PyTorch do"
_NO_PATH = "the trace shows no event of the compiled path in the typical step"
_NOT_MARKED = (
    "this recording does not tell the compiled graph’s own code from the machinery around it (older versions "
    "of PyTorch do not, nor backends other than Inductor)"
)
_NOT_SEEN = (
    "the recording shows no compiling: it was done before, or this version of PyTorch writes no events of it"
)
_NOTHING_WON = "this run is not known to be faster than the other"


def _region_names(run: RunAnalyses, rows: Int64s) -> list[str]:
    return [vocabulary.region_id(run.trace.name_of(row)) or NO_ID for row in rows.tolist()]


def _breaks(run: RunAnalyses, step: int) -> Sequence[GraphBreak]:
    path, breaks = run.compiled_path, run.compiled_path.breaks
    here = np.flatnonzero(np.isin(breaks.after, path.of_step(step, Part.REGION)))
    between = operators_between(run.trace, run.origins, breaks, here, path.events)
    found = []
    for i, rows in zip(here.tolist(), between, strict=True):
        before, after = _region_names(run, np.array([breaks.before[i], breaks.after[i]]))
        names = [run.trace.name_of(row) for row in rows.tolist()]
        where = place_of(run.trace, run.origins, breaks, i)
        found.append(GraphBreak(before, after, to_us(int(breaks.between_ns[i])), names, where))
    return found


def _launches(side: Side, step: int) -> tuple[int | None, int | None]:
    """Graph launches and other kernel launches of a step, without those that a capture wrote down.

    None where the recording shows no GPU work and no launch: then it was of the CPU alone.
    """
    run, launches = side.run, side.run.launches
    if not side.has_gpu_work and not len(launches.row):
        return None, None
    rows = launches.row[(launches.step == step) & ~launches.captured]
    graphs = sum(vocabulary.is_graph_launch(run.trace.name_of(row)) for row in rows.tolist())
    return graphs, len(rows) - graphs


def _tax(found: Tax) -> CompileTax:
    return CompileTax(to_us(found.lookup_ns), to_us(found.prologue_ns), to_us(found.wrapper_ns))


def _break_even(compile_us: float | None, won_us: float | None) -> int | None:
    """After how many steps the time won pays for compiling."""
    if compile_us is None or won_us is None or won_us <= 0:
        return None
    return math.ceil(compile_us / won_us)


def _not_measured(facts: CompileFacts, shows_path: bool, ids: Sequence[str]) -> dict[str, str]:
    """Why a figure is missing, by its field."""
    reasons = {}
    if NO_ID in ids:
        reasons["regions"] = _NO_IDS
    if facts.kernel_launches is None:
        reasons |= dict.fromkeys(("graph_launches", "kernel_launches"), _NO_GPU)
    if facts.tax_us is None:
        reasons["tax_us"] = _NOT_MARKED if shows_path else _NO_PATH
    if facts.compile_us is None:
        reasons["compile_us"] = _NOT_SEEN
    if facts.break_even_steps is None:
        reasons["break_even_steps"] = _NOT_SEEN if facts.compile_us is None else _NOTHING_WON
    return reasons


def find_compile_facts(side: Side, won_us: float | None) -> CompileFacts | None:
    """The facts of one side; None where its compared steps run nothing compiled.

    won_us: by how much its pace is shorter than the other side’s, None where it is not ``faster``.
    """
    step = side.shown
    if not side.compiled or step is None:
        return None
    path = side.run.compiled_path
    ids = _region_names(side.run, path.of_step(step, Part.REGION))
    facts = _measured(side, step, ids, won_us)
    return replace(facts, not_measured=_not_measured(facts, len(path.of_step(step)) > 0, ids))


def _measured(side: Side, step: int, ids: Sequence[str], won_us: float | None) -> CompileFacts:
    """The figures of one step and of its run. ids: of the regions that the step runs, in order."""
    run, path = side.run, side.run.compiled_path
    breaks = _breaks(run, step)
    again = [s.step.number for s in run.steps if "recompile" in s.settled.because]
    graphs, kernels = _launches(side, step)
    tax, compiling = path.tax(step), run.compile_time
    compile_us = None if compiling is None else to_us(compiling.total_ns)
    phases = {} if compiling is None else compiling.phases_ns
    return CompileFacts(
        regions=[known for known in dict.fromkeys(ids) if known != NO_ID],
        region_calls=len(ids),
        graph_breaks=len(breaks),
        breaks=breaks,
        recompiles=len(again),
        recompiled_steps=again,
        lookups=len(path.of_step(step, Part.LOOKUP)),
        graph_launches=graphs,
        kernel_launches=kernels,
        captures=run.captures,
        tax_us=None if tax is None else to_us(tax.total_ns),
        tax=None if tax is None else _tax(tax),
        compile_us=compile_us,
        phases=[CompilePhase(name, to_us(time)) for name, time in phases.items()],
        break_even_steps=_break_even(compile_us, won_us),
        not_measured={},
    )
