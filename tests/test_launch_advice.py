"""The next step of a run that is compiled, or uses graphs, already."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.compiled_work import CompiledWork
from tb_plugin_explain.launch_advice import next_step, what_is_left
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.rules.asking import found
from tests.rules.gpu_steps import Work, steps_of

ADVICE = "Launch less often. Use torch.compile or CUDA graphs."
EAGER = [Work("add", 2, call_us=6)] * 30
COMPILED = [Work("triton_poi_fused_add_0", 2, call_us=6)] * 30
GRAPHS = [*EAGER, Work("k", 2, call_us=40, call="cudaGraphLaunch", events=30)]


def left(trace: Trace) -> str | None:
    return what_is_left(RunAnalyses(trace).compiled_work)


def test_a_run_without_either_keeps_its_advice() -> None:
    assert left(steps_of(EAGER)) is None
    assert next_step(RunAnalyses(steps_of(EAGER)), ADVICE) == ADVICE


def test_a_compiled_run_is_told_of_graphs_and_graph_breaks() -> None:
    said = next_step(RunAnalyses(steps_of(COMPILED)), ADVICE)
    assert said.startswith(
        "Launch less often. 100 % of the kernels are from torch.compile already: CUDA graphs"
    )
    assert "graph_breaks" in said


def test_a_run_of_graphs_is_not_told_of_graphs() -> None:
    said = left(steps_of(GRAPHS))
    assert said is not None
    assert said.startswith("Graph launches bring 50.0 % of the kernels already: larger batches")
    assert "CUDA graphs" not in said


def test_little_of_either_is_to_become_more() -> None:
    few = left(steps_of([*EAGER, *COMPILED[:1]]))
    assert few is not None
    assert few.startswith(
        "3.23 % of the kernels are from torch.compile already: let it take more of the step"
    )
    some = left(steps_of([*EAGER, Work("k", 2, call="cudaGraphLaunch", events=10)]))
    assert some == (
        "Graph launches bring 25.0 % of the kernels already: let them take more of the step, or make the "
        "batches larger."
    )


def test_both_are_named_where_both_are_in_use() -> None:
    most = what_is_left(CompiledWork(kernels=10, compiled=8, in_graphs=1, generated=True))
    assert "torch.compile already, and graph launches bring 10.0 %: CUDA graphs" in str(most)
    some = what_is_left(CompiledWork(kernels=10, compiled=2, in_graphs=1, generated=True))
    assert some == (
        "20.0 % of the kernels are from torch.compile already, and graph launches bring 10.0 %: let them "
        "take more of the step, or make the batches larger."
    )


def test_a_backend_that_writes_no_kernel_is_told_of_the_default_one() -> None:
    assert "Compiled code runs 80.0 % of the kernels, and none of them was generated" in str(
        what_is_left(CompiledWork(kernels=10, compiled=8, in_graphs=0, generated=False))
    )


@pytest.mark.parametrize("rule", ["host-bound", "short-kernels"])
@pytest.mark.parametrize("works", [COMPILED, GRAPHS])
def test_rules_do_not_advise_what_is_in_use(rule: str, works: list[Work]) -> None:
    before, now = found(rule, steps_of(EAGER)).advice, found(rule, steps_of(works)).advice
    assert "torch.compile" in before or "CUDA graphs" in before
    assert " already: " in now
    assert "torch.compile fuses" not in now
