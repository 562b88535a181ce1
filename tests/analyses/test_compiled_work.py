"""How much of a run is compiled, and how much graphs launch."""

from __future__ import annotations

from tb_plugin_explain.analyses.compiled_work import CompiledWork
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.trace_drawing import draw


def work_of(trace: Trace) -> CompiledWork:
    return RunAnalyses(trace).compiled_work


def half_compiled(region: str, kernel: str) -> Trace:
    return draw(
        """
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[region    ]  [c]   [d]
        cpu :  [a]  [b]
        s7  :    [a]  [b]     [c]   [d]
        """,
        names={"region": region, "a": kernel, "b": "gemm", "c": "gemm", "d": "gemm"},
    )


def test_what_compiled_code_launched_is_compiled() -> None:
    assert work_of(half_compiled("Torch-Compiled Region: 0/0", "triton_poi_fused_add_0")) == CompiledWork(
        kernels=4, compiled=2, in_graphs=0, generated=True
    )


def test_a_backend_that_writes_nothing_is_no_inductor() -> None:
    assert work_of(half_compiled("CompiledFunction", "gemm")) == CompiledWork(4, 2, 0, generated=False)
    assert work_of(half_compiled("## Call CompiledFxGraph abc ##", "gemm")).generated


def test_a_generated_kernel_is_compiled_wherever_it_was_launched() -> None:
    assert work_of(half_compiled("aten::mm", "triton__0d1d2de")) == CompiledWork(4, 1, 0, generated=True)


def test_kernels_of_graph_launches_are_counted_and_those_without_a_launch_are_not_compiled() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[cudaGraphLaunch a][b]
        s7  :     [a][a][a]       [b] [?]
        """
    )
    assert work_of(trace) == CompiledWork(kernels=4, compiled=0, in_graphs=3, generated=False)
    assert work_of(trace).graph_share == 0.75


def test_nothing_is_compiled_where_nothing_ran() -> None:
    nothing = work_of(draw("us  :0\nstep:[1     ]\ncpu :[op ]"))
    assert (nothing.kernels, nothing.compiled_share, nothing.graph_share) == (0, 0, 0)
