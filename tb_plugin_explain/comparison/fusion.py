"""Third: generated kernels with the events of the other side whose operators their names hold."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison.assignment import assign
from tb_plugin_explain.comparison.evidence_of_names import covers, operators_of, speaks_by_name
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.operator_names import SILENT
from tb_plugin_explain.comparison.pairs import Open, phase_of
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.report_schema import Confidence

_BY_NAME = "no operator is recorded; the kernels’ names speak of the operators in the generated name"


def match_generated(state: Open) -> None:
    """Matches the generated kernels of the fused side, then those left on the plain side."""
    for kernels_are_fused in (True, False):
        for phases in _phases(state, kernels_are_fused):
            _match_phase(state, phases, kernels_are_fused)


def _phases(state: Open, kernels_are_fused: bool) -> list[frozenset[str]]:
    """Forward with forward and so on; phases that one side does not tell go with what is left."""
    kernels, events = _sides(state, kernels_are_fused)
    told = [p for p in dict.fromkeys(map(phase_of, kernels)) if p in set(map(phase_of, events))]
    everything = frozenset(map(phase_of, [*kernels, *events]))
    known = {phase_of(u) for u in state.plain} & {phase_of(u) for u in state.fused}
    alone = everything - known
    apart = [frozenset([phase]) for phase in told]
    return [*apart, everything] if alone else apart


def _sides(state: Open, kernels_are_fused: bool) -> tuple[list[Unit], list[Unit]]:
    """The generated kernels of one side and what is left on the other."""
    fused, plain = state.fused_units, state.plain_units
    kernels, events = (fused, plain) if kernels_are_fused else (plain, fused)
    named = [k for k in kernels if k.generated and k.generated.ops]
    return named, [e for e in events if operators_of(e)]


def _match_phase(state: Open, phases: frozenset[str], kernels_are_fused: bool) -> None:
    kernels, events = _sides(state, kernels_are_fused)
    kernels = [k for k in kernels if phase_of(k) in phases]
    events = [e for e in events if phase_of(e) in phases]
    if not kernels or not events:
        return
    places = [k.position for k in kernels]
    expected = state.places.to_plain(places) if kernels_are_fused else state.places.to_fused(places)
    count = len(state.plain if kernels_are_fused else state.fused)
    for kernel, found in zip(kernels, assign(kernels, events, expected, count), strict=True):
        if found:
            match = _match(kernel, found, kernels_are_fused)
            state.take(match)


def _match(kernel: Unit, events: Sequence[Unit], kernel_is_fused: bool) -> Match:
    assert kernel.generated is not None
    ops = kernel.generated.ops
    covered = [op for op in ops if covers(events, op)]
    missing = [op for op in ops if op not in covered and op not in SILENT]
    by_name = any(speaks_by_name(event) for event in events)
    clear = kernel.generated.sure and not missing and not by_name
    confidence: Confidence = "clear" if clear else "likely"
    alike = all(event.generated for event in events)
    one, other = tuple(e.position for e in events), (kernel.position,)
    return Match(
        "replaced" if alike else "fused",
        one if kernel_is_fused else other,
        other if kernel_is_fused else one,
        tuple(covered),
        confidence,
        _BY_NAME if by_name else _why(missing, kernel.generated.sure, alike),
    )


def _why(missing: Sequence[str], sure: bool, alike: bool) -> str:
    if alike:
        return "generated kernels on both sides, whose names share operators"
    if not sure:
        return "by the operators in the generated name, which can be read in several ways"
    if missing:
        return f"by the operators in the generated name; none found for {', '.join(missing)}"
    return "each operator in the generated name was found, in order"
