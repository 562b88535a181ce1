"""Limits that a comparison must keep, as ``compare --fail-on`` takes them.

A gate is ``METRIC>+LIMIT`` or ``METRIC<-LIMIT``: it fails where the candidate has gone further in that
direction. LIMIT is a number with ``%`` (of the baseline) or in the metric's unit: ``us``, ``ms`` or
``s`` of times, ``B``, ``KiB``, ``MiB`` or ``GiB`` of sizes, none of counts. What lies within noise
never fails, and what cannot be measured never passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.comparison_schema import Comparison, Delta, GateOutcome, GateResult, MetricUnit
from tb_plugin_explain.errors import UsageError

_GATE = re.compile(r"\s*(\w+)\s*([<>])\s*([+-])\s*([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*(\S*)\s*")
# How many of the metric's own unit one of each is.
_UNITS: Mapping[MetricUnit, Mapping[str, float]] = {
    "us": {"": 1.0, "us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6},
    "bytes": {"": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    "count": {"": 1.0},
}
_SIGN_OF = {">": "+", "<": "-"}


class Gate(Struct, frozen=True):
    """One limit. ``limit``: with its sign, in the metric's unit, or a share of the baseline.

    text: as it was given.
    """

    text: str
    metric: str
    limit: float
    relative: bool
    rising: bool


def parse_gate(text: str, metrics: Mapping[str, MetricUnit]) -> Gate:
    """Reads a gate on one of ``metrics``, which gives the unit of each.

    Raises:
        UsageError: it is no gate, or on something that is not compared.
    """
    found = _GATE.fullmatch(text)
    if found is None:
        raise _refused(text, "a limit is METRIC>+AMOUNT or METRIC<-AMOUNT, such as pace_us>+5%", metrics)
    metric, direction, sign, number, unit = found.groups()
    if metric not in metrics:
        near = next((f"; perhaps {name}" for name in metrics if name.startswith(f"{metric}_")), "")
        raise _refused(text, f"there is no metric “{metric}”{near}", metrics)
    if sign != _SIGN_OF[direction]:
        why = f"“{direction}” takes a limit with “{_SIGN_OF[direction]}”, how far it may go there"
        raise _refused(text, why, metrics)
    size = {**_UNITS[metrics[metric]], "%": 0.01}
    if unit not in size:
        units = " or ".join(name for name in size if name)
        raise _refused(text, f"{metric} has no unit “{unit}”; write {units}", metrics)
    limit = float(number) * size[unit]
    return Gate(text.strip(), metric, limit if direction == ">" else -limit, unit == "%", direction == ">")


def _refused(text: str, why: str, metrics: Mapping[str, MetricUnit]) -> UsageError:
    return UsageError(f"--fail-on “{text}”: {why}. Metrics: {', '.join(metrics)}.")


def check_gate(gate: Gate, comparison: Comparison) -> GateResult:
    """Whether the candidate keeps the limit."""
    outcome, text = _outcome(gate, comparison)
    return GateResult(gate.text, outcome, text)


def check_gates(gates: Sequence[Gate], comparison: Comparison) -> Sequence[GateResult]:
    """``check_gate`` of each."""
    return [check_gate(gate, comparison) for gate in gates]


def _outcome(gate: Gate, comparison: Comparison) -> tuple[GateOutcome, str]:
    delta = next(d for d in comparison.deltas if d.metric == gate.metric)
    if comparison.headline.verdict == "not_comparable":
        return "not_measured", f"could not be measured: {comparison.headline.why.rstrip('.')}"
    if delta.difference is None or delta.baseline is None:
        return "not_measured", f"could not be measured: {delta.not_measured}"
    told = _told(delta.difference, delta)
    beyond = _is_beyond(gate, delta.difference, delta.baseline)
    if beyond and delta.within_noise:
        return "passed", f"{told}, beyond the limit but within noise"
    return "failed" if beyond else "passed", told


def _is_beyond(gate: Gate, difference: float, baseline: float) -> bool:
    """Of a baseline of zero, any difference is beyond any percentage."""
    limit = gate.limit * abs(baseline) if gate.relative else gate.limit
    return difference > limit if gate.rising else difference < limit


def _told(difference: float, delta: Delta) -> str:
    amount = wording.difference(difference, delta.unit)
    share = wording.relative_difference(difference, delta.baseline)
    alone = "" if delta.interval else "; too few steps to know the noise, so the difference alone decides"
    return (f"{amount} ({share})" if share else amount) + alone
