"""The operators' own CPU time, which stands for GPU work where neither side has any."""

from __future__ import annotations

from .. import names
from ..load import Event
from ..sections.basis import Basis, is_operator
from ..sections.operators import Tree
from ..steps import Step
from .compiled import is_graph_code


def own_times(basis: Basis) -> dict[Step, list[int]]:
    """Compared step → the own times of what works in it, as section `operators` has them.

    Operators, and compiled graphs (with shapes they are annotations): their own time stands for the operators
    that vanished in them.
    """
    tree = Tree(basis)
    found: dict[Step, list[int]] = {step: [] for step in basis.averaged}
    for event in basis.recording.events:
        if works(event) and tree.has_place(event):
            step = basis.step_of(event)
            if step in found:
                found[step].append(tree.self_time(event))
    return found


def works(event: Event) -> bool:
    return is_operator(event) or (event.kind == names.ANNOTATION and is_graph_code(event))
