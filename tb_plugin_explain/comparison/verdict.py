"""Faster or slower: which answer the figures bear, and why no other.

docs/definitions/comparison.md, "Verdict".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison_schema import Change, ComparisonVerdict, Delta

# What the device sets the pace of, the CPU's profiler modes do not slow down.
DEVICE_BOUND = frozenset({"compute_bound", "communication_bound", "copy_bound"})


# What sets the pace, by the verdict of a report, as sentences call it.
PACE_SETTERS: Mapping[str, str] = {
    "host_bound": "the CPU",
    "sync_bound": "waiting",
    "input_bound": "the data loader",
    "communication_bound": "communication",
    "copy_bound": "copies",
    "compute_bound": "the GPU",
}


class Judgement(Struct, frozen=True):
    """The answer, and what stands against a firmer one (empty where nothing does)."""

    verdict: ComparisonVerdict
    because: str


def _not_comparable(pair: Pair, changes: Sequence[Change]) -> str | None:
    if not pair.have_one_unit:
        return "One recording has steps and the other has none: a step cannot be compared with a recording."
    with_gpu = [side for side in pair.sides if side.has_gpu_work]
    if len(with_gpu) == 1:
        return f"Only the {with_gpu[0].name} recorded GPU work of its steps."
    if any(change.what == "batch" for change in changes):
        return "Operators worked on tensors of other sizes in the other run: not the same work."
    return None


def _cpu_sets_the_pace(side: Side) -> bool:
    bound = side.run.bound
    return bound is None or bound.verdict not in DEVICE_BOUND


def _undecided(pair: Pair, changes: Sequence[Change], pace: Delta) -> str | None:
    cut = [side.name for side in pair.sides if side.run.problem("truncated")]
    if cut:
        return f"The file of the {' and of the '.join(cut)} ends too early."
    modes = next((change for change in changes if change.what == "modes"), None)
    if modes and any(_cpu_sets_the_pace(side) for side in pair.sides):
        return (
            f"The profiler recorded more on one side (baseline: {modes.baseline}; candidate: "
            f"{modes.candidate}), which slows the CPU, and the CPU sets the pace."
        )
    if pace.interval is None:
        return (
            "A side with one step, or with none, shows no spread to judge a difference by: record five or "
            "more steps of both (call prof.step() in the loop)."
        )
    return None


def judge(pair: Pair, changes: Sequence[Change], pace: Delta) -> Judgement:
    """The verdict on the pace."""
    other = _not_comparable(pair, changes)
    if other:
        return Judgement("not_comparable", other)
    open_because = _undecided(pair, changes, pace)
    if open_because or pace.difference is None:
        return Judgement("undecided", open_because or f"The pace is not known: {pace.not_measured}.")
    if pace.within_noise:
        return Judgement("within_noise", "")
    return Judgement("faster" if pace.difference < 0 else "slower", "")
