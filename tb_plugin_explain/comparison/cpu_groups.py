"""The groups of two steps without GPU work: operators by their own CPU time.

Inductor's C++ kernels leave no events unless kernel profiling was on. Then the own time of the compiled
graph stands for the operators that are on the other side alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison.cpu_units import find_cpu_units
from tb_plugin_explain.comparison.groups import build_groups
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.matching import match_units
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.pairs import PhaseGroup, phase_of
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison.units import seen_operators
from tb_plugin_explain.comparison_schema import FusionGroup, GroupSummary

_COMPILED = ("forward", "backward")
_WHY = "the compiled graph runs these operators in code of its own, which leaves no events"
_OTHER_CODE = "both are compiled graphs, whose keys differ: what they run leaves no events"
_NOTE = "Times are the operators’ own time on the CPU, as neither run has GPU work."
_NOTE_OF_GRAPHS = (
    " The code that torch.compile makes for a CPU leaves no events of its own, so the compiled graph’s own "
    "time stands for the operators that it runs. To see its kernels, record with the environment variable "
    "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1."
)


def join_graphs(baseline: Sequence[Unit], candidate: Sequence[Unit], matches: Sequence[Match]) -> list[Match]:
    """The matches, with what has no counterpart joined to the compiled graphs of the other side.

    Forward goes with forward and backward with backward; input and optimizer are not in the graph.
    """
    alone = [m for m in matches if m.kind in ("removed", "added", "unattributed")]
    gone = [baseline[i] for m in alone for i in m.baseline]
    come = [candidate[i] for m in alone for i in m.candidate]
    joined = [
        found for phase in _COMPILED for found in _joined(_of_phase(gone, phase), _of_phase(come, phase))
    ]
    taken = {i for m in joined for i in m.baseline}, {i for m in joined for i in m.candidate}
    kept = [m for m in matches if not (taken[0] & set(m.baseline) or taken[1] & set(m.candidate))]
    return [*kept, *joined]


def tell_graphs_apart(
    baseline: Sequence[Unit], candidate: Sequence[Unit], matches: Sequence[Match]
) -> list[Match]:
    """The matches; compiled graphs of different keys stand for each other, and need not be the same code."""
    return [
        Match("replaced", m.baseline, m.candidate, (), "likely", _OTHER_CODE)
        if m.kind == "unchanged" and _other_code(baseline[m.baseline[0]], candidate[m.candidate[0]])
        else m
        for m in matches
    ]


def _other_code(old: Unit, new: Unit) -> bool:
    """A graph’s name holds a key of its code and of the compiler’s settings."""
    return old.is_graph and old.name != new.name


def _of_phase(units: Sequence[Unit], phase: PhaseGroup) -> list[Unit]:
    return [unit for unit in units if phase_of(unit) == phase]


def _joined(gone: Sequence[Unit], come: Sequence[Unit]) -> list[Match]:
    """One match of the graphs of one side with the operators of the other; none where both have graphs."""
    graphs = [u for u in gone if u.is_graph], [u for u in come if u.is_graph]
    if bool(graphs[0]) == bool(graphs[1]):
        return []
    sides = (graphs[0], come) if graphs[0] else (gone, graphs[1])
    if not (sides[0] and sides[1]):
        return []
    plain = sides[1] if graphs[0] else sides[0]
    ops = tuple(dict.fromkeys(u.ops[0] for u in sorted(plain, key=lambda u: -u.time_ns) if u.ops))
    baseline, candidate = (tuple(u.position for u in side) for side in sides)
    return [Match("fused", baseline, candidate, ops, "likely", _WHY)]


def find_cpu_groups(pair: Pair) -> tuple[list[FusionGroup], GroupSummary]:
    """The groups of the operators of both typical steps."""
    baseline = find_cpu_units(pair.baseline, seen_operators(pair.candidate))
    candidate = find_cpu_units(pair.candidate, seen_operators(pair.baseline))
    matches = tell_graphs_apart(baseline, candidate, match_units(baseline, candidate))
    matches = join_graphs(baseline, candidate, matches)
    note = _NOTE + (_NOTE_OF_GRAPHS if any(unit.is_graph for unit in [*baseline, *candidate]) else "")
    return build_groups(baseline, candidate, matches, "cpu", note)
