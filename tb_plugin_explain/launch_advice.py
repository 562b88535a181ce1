"""What is left to do about launches: the advice of a run that is compiled, or uses graphs, already.

Several rules say how to launch less; none may advise what the trace shows to be in use.
"""

from __future__ import annotations

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.compiled_work import CompiledWork
from tb_plugin_explain.step_analyses import RunAnalyses

# From half on, most of what can be won by compiling, or by graphs, has been won.
MOSTLY = 0.5


def is_mostly_compiled(run: RunAnalyses) -> bool:
    """Whether torch.compile made most kernels, so that there is little left for it to fuse."""
    return _is_mostly_compiled(run.compiled_work)


def _is_mostly_compiled(work: CompiledWork) -> bool:
    return work.generated and work.compiled_share >= MOSTLY


def _graphs(work: CompiledWork) -> str:
    return f"Graph launches bring {wording.percent(work.graph_share)} of the kernels already"


def _compiled(work: CompiledWork) -> str:
    """How much is compiled and, where there are any, how much of all is in graphs."""
    in_graphs = f", and graph launches bring {wording.percent(work.graph_share)}" if work.in_graphs else ""
    return f"{wording.percent(work.compiled_share)} of the kernels are from torch.compile already{in_graphs}"


def _mostly(work: CompiledWork) -> str | None:
    """What is left where most kernels are launched by graphs or compiled."""
    if work.graph_share >= MOSTLY:
        return (
            f"{_graphs(work)}: larger batches give each launch more work, and what runs outside the graphs "
            "is left to shorten."
        )
    if _is_mostly_compiled(work):
        return (
            f'{_compiled(work)}: CUDA graphs (mode="reduce-overhead") launch compiled code with one '
            'call, TORCH_LOGS="graph_breaks" names what cuts it into pieces, and larger batches give each '
            "launch more work."
        )
    return None


def _partly(work: CompiledWork) -> str | None:
    """What is left where some kernels are."""
    if work.compiled and not work.generated:
        return (
            f"Compiled code runs {wording.percent(work.compiled_share)} of the kernels, and none of them was "
            "generated: torch.compile with its default backend (inductor) fuses small operators, and with "
            "larger batches each launch brings more work."
        )
    if work.compiled and work.in_graphs:
        return f"{_compiled(work)}: let them take more of the step, or make the batches larger."
    if work.compiled:
        return (
            f'{_compiled(work)}: let it take more of the step, with CUDA graphs (mode="reduce-overhead") '
            "where shapes stay the same, or make the batches larger."
        )
    if work.in_graphs:
        return f"{_graphs(work)}: let them take more of the step, or make the batches larger."
    return None


def what_is_left(work: CompiledWork) -> str | None:
    """The next step of a run that uses torch.compile or graphs already; None where it uses neither."""
    return _mostly(work) or _partly(work)


def next_step(run: RunAnalyses, advice: str) -> str:
    """The advice; where the run does already what it says, its first sentence and what is left instead."""
    left = what_is_left(run.compiled_work)
    return advice if left is None else f"{wording.first_sentence(advice)} {left}"
