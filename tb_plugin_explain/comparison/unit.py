"""A piece of work of a typical step, as the matching of both sides sees it."""

from __future__ import annotations

from msgspec import Struct

from tb_plugin_explain.analyses.origins import Phase
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Category

# What Generated.kind is of the own time of a whole compiled graph.
GRAPH = "graph"


class Generated(Struct, frozen=True):
    """A generated kernel's name taken apart.

    identity: the name without the compiler's counting at its end. kind: ``poi``, ``red``, ``tem``, …,
    or ``graph`` of a compiled graph on a CPU, whose kernels leave no events: it has no ops.
    ops: the operators it holds, bare names. sure: whether the name has one reading only.
    """

    identity: str
    kind: str
    ops: tuple[str, ...]
    sure: bool


class Unit(Struct, frozen=True):
    """One GPU event of the step; of steps without GPU work, one call of an operator (own time).

    Units stand in the order of launch, then of start; ``position`` counts them.
    name: as in the trace. bytes: of a copy or memset, None where not recorded.
    ops: the operators around the launch, innermost first, bare: without namespace and in-place ``_``.
    calls: rows of these operators' events; all units of one call share them.
    shape: the innermost operator's input dimensions, None where not recorded.
    operation: what the glossary reads out of the kernel's name, None if nothing.
    operator: the innermost operator as the trace names it, None where none is known.
    """

    position: int
    name: str
    kind: Category
    time_ns: int
    bytes: int | None
    ops: tuple[str, ...]
    calls: tuple[int, ...]
    phase: Phase
    shape: str | None
    operation: str | None
    generated: Generated | None
    operator: str | None = None

    @property
    def is_machinery(self) -> bool:
        """Whether it is what torch.compile does around its code, and no work of the model.

        The compiled path without the graphs, and the node by which autograd calls a compiled backward pass.
        """
        around = vocabulary.is_compiled_path(self.name) or vocabulary.is_node_of_compiled_code(self.name)
        return self.kind == Category.CPU_OP and not self.is_graph and around

    @property
    def identity(self) -> str:
        """The name by which two units are the same kernel."""
        return self.generated.identity if self.generated else self.name

    @property
    def named_ops(self) -> tuple[str, ...]:
        """The operators that a generated name holds; of other units those around the launch."""
        return self.generated.ops if self.generated and self.generated.ops else self.ops

    @property
    def is_copy(self) -> bool:
        return self.kind in (Category.MEMCPY, Category.MEMSET)

    @property
    def is_graph(self) -> bool:
        """Whether it is the own time of a compiled graph, for the operators that it runs unseen."""
        return self.generated is not None and self.generated.kind == GRAPH
