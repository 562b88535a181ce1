"""The sentence that a comparison begins with, and the figures that carry it."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.changes import MOVERS, is_confounded
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.verdict import PACE_SETTERS, Judgement, judge
from tb_plugin_explain.comparison_schema import Change, ComparedSteps, ComparisonHeadline, Delta

_WORDS = {
    "device": "the device",
    "ranks": "the number of ranks",
    "precision": "the precision",
    "batch": "the sizes of tensors",
    "compile": "torch.compile",
}


def names(pair: Pair) -> tuple[str, str]:
    """What sentences call the two runs."""
    if pair.baseline.compiled != pair.candidate.compiled:
        old, new = ("compiled" if side.compiled else "eager" for side in pair.sides)
        return f"the {old} run", f"the {new} run"
    return "the baseline", "the candidate"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _change(delta: Delta) -> str:
    """``a step takes 618 µs instead of 641 µs (−23 µs, −3.6 %)``."""
    if delta.baseline is None or delta.candidate is None or delta.difference is None:
        return ""
    share = wording.relative_difference(delta.difference, delta.baseline)
    change = wording.difference(delta.difference, "us") + (f", {share}" if share else "")
    old, new = wording.time(delta.baseline), wording.time(delta.candidate)
    if old == new:
        return f"a step takes {new} in both runs ({change})"
    return f"a step takes {new} instead of {old} ({change})"


def _range(pace: Delta) -> str:
    low, high = (wording.difference(limit, "us") for limit in pace.interval or ())
    return f"it may be anything from {low} to {high}"


def _text(pair: Pair, judgement: Judgement, pace: Delta) -> str:
    _, new = names(pair)
    if judgement.verdict in ("faster", "slower"):
        return f"{_capital(new)} is {judgement.verdict}: {_change(pace)}."
    if judgement.verdict == "within_noise":
        if pace.difference == 0 and pace.baseline is not None:
            return f"No difference: a step takes {wording.time(pace.baseline)} in both runs."
        return f"No clear difference: {_change(pace)}; as the steps vary, {_range(pace)}."
    if judgement.verdict == "not_comparable":
        return "These runs cannot be compared step by step."
    return "Undecided: these recordings do not show which run is faster."


def _figure(delta: Delta, words: str) -> str | None:
    """One figure of both sides: ``GPU busy 641 → 618 µs``."""
    if delta.baseline is None or delta.candidate is None:
        return None
    old, new = (wording.amount(value, delta.unit) for value in (delta.baseline, delta.candidate))
    return f"{words} {old} → {new}"


_DETAILS = (
    ("gpu_busy_us", "GPU busy"),
    ("gpu_idle_us", "GPU idle"),
    ("step_us", "CPU span"),
    ("kernels", "kernels"),
    ("launches", "launches"),
)


def _detail(deltas: dict[str, Delta], steps: ComparedSteps) -> str:
    units = {number is None for number in (*steps.baseline, *steps.candidate)}
    if len(units) > 1:
        return ""
    of = "Whole recording" if units == {True} else "A step"
    figures = [figure for metric, words in _DETAILS if (figure := _figure(deltas[metric], words))]
    return f"{of}: {'; '.join(figures)}." if figures else ""


def _paced_by(pair: Pair) -> str:
    """What sets the pace of each run: why a saving does or does not make steps shorter."""
    bounds = [side.run.bound for side in pair.sides]
    old, new = (None if bound is None else PACE_SETTERS.get(bound.verdict) for bound in bounds)
    if old is None or new is None:
        return ""
    if old == new:
        return f" {_capital(new)} {'set' if new == 'copies' else 'sets'} the pace of both."
    return f" The pace is set by {old} in the baseline, by {new} in the candidate."


def _confounded(changes: Sequence[Change]) -> str:
    changed = wording.listing([_WORDS[c.what] for c in changes if c.what in MOVERS])
    return f" Several things changed at once ({changed}): this difference cannot be put down to one of them."


def _why(judgement: Judgement, steps: ComparedSteps, pace: Delta, confounded: str) -> str:
    if judgement.because:
        return judgement.because + confounded
    interval = ""
    if pace.interval is not None:
        low, high = pace.interval
        limits = (wording.difference(limit, "us") for limit in (low, high))
        interval = f"; the difference lies between {' and '.join(limits)}"
        if low == high:
            interval = "; the difference shows no spread"
    known = "settled " if steps.settled else ""
    rest = "" if steps.settled else " Not all of these steps are known to be settled."
    return (
        f"Medians over the {known}{wording.steps(steps.baseline)} of the baseline and "
        f"{wording.steps(steps.candidate)} of the candidate{interval}.{rest}{confounded}"
    )


def write_headline(
    pair: Pair, changes: Sequence[Change], steps: ComparedSteps, deltas: Sequence[Delta]
) -> ComparisonHeadline:
    """What the comparison says first."""
    by_metric = {delta.metric: delta for delta in deltas}
    pace = by_metric["pace_us"]
    judgement = judge(pair, changes, pace)
    confounded = is_confounded(changes)
    return ComparisonHeadline(
        verdict=judgement.verdict,
        text=_text(pair, judgement, pace),
        detail=(_detail(by_metric, steps) + _paced_by(pair)).strip(),
        why=_why(judgement, steps, pace, _confounded(changes) if confounded else ""),
        confounded=confounded,
        changes=changes,
    )
