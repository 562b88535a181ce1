"""How many of the averaged steps' kernels torch.compile made, and how many graph launches bring.

docs/definitions/kernels.md, "Compiled kernels". Invariant: neither is more than all kernels.
"""

from __future__ import annotations

from msgspec import Struct

from tb_plugin_explain.analyses.kernel_table import KernelTable
from tb_plugin_explain.analyses.nesting import Nesting
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.generated_names import is_generated
from tb_plugin_explain.trace.model import Trace


class CompiledWork(Struct, frozen=True):
    """Numbers of kernels: all, those of compiled code, those that graph launches bring.

    generated: whether the trace shows that torch.compile wrote code (its default backend, Inductor, does);
    other backends run the operators that they were given.
    """

    kernels: int
    compiled: int
    in_graphs: int
    generated: bool

    @property
    def compiled_share(self) -> float:
        return self.compiled / max(self.kernels, 1)

    @property
    def graph_share(self) -> float:
        return self.in_graphs / max(self.kernels, 1)


def analyze(trace: Trace, nesting: Nesting, kernels: KernelTable) -> CompiledWork:
    """A kernel is of compiled code if its launch lies in some, or if its name says that it was generated."""
    gpu = kernels.work.gpu
    launch = gpu.launch[kernels.position]
    inside = nesting.inside(trace.names_where(vocabulary.is_compiled_code))
    written = trace.names_where(is_generated)
    compiled = written[gpu.row[kernels.position]] | ((launch >= 0) & inside[launch])
    return CompiledWork(
        kernels=len(launch),
        compiled=int(compiled.sum()),
        in_graphs=int(kernels.in_graph.sum()),
        generated=bool(written[gpu.row].any() or trace.names_where(vocabulary.is_compiled_graph).any()),
    )
