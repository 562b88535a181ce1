"""Which steps are compared with which, and which are left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from tb_plugin_explain.comparison.deltas import make_delta
from tb_plugin_explain.comparison.metrics import METRICS
from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison_schema import (
    ComparedSteps,
    Delta,
    LeftOutStep,
    StepPair,
    TypicalSteps,
)
from tb_plugin_explain.step_analyses import StepAnalyses

# What a reader looks for in one pair of steps; the rest stands in the medians.
METRICS_OF_A_PAIR = frozenset(
    {
        "step_us",
        "gpu_busy_us",
        "gpu_idle_us",
        "sync_us",
        "bubble_us",
        "launches",
        "kernels",
        "copies",
        "first_us",
    }
)
# Some 2 kB a pair: more would make the answer larger than its reader can use.
MAX_PAIRS = 500
NOT_KNOWN = "not_known"


def _left_out(side: Side) -> Sequence[LeftOutStep]:
    compared = set(side.run.averaged)
    return [
        LeftOutStep(side.name, step.step.number, step.settled.because or (NOT_KNOWN,))
        for step in side.run.steps
        if step.index not in compared
    ]


def _all_settled(side: Side) -> bool:
    return all(step.settled.settled is True for step in side.steps)


def compared_steps(pair: Pair) -> ComparedSteps:
    """The steps that statements rest on, and the others."""
    typical = [None if s.shown is None else s.run.steps[s.shown].step.number for s in pair.sides]
    return ComparedSteps(
        baseline=[s.step.number for s in pair.baseline.steps],
        candidate=[s.step.number for s in pair.candidate.steps],
        typical=TypicalSteps(*typical),
        left_out=[left for side in pair.sides for left in _left_out(side)],
        settled=all(_all_settled(side) for side in pair.sides),
    )


def _deltas(pair: Pair, baseline: StepAnalyses | None, candidate: StepAnalyses | None) -> Sequence[Delta]:
    return [
        make_delta(
            pair,
            metric,
            None if baseline is None else metric.of(baseline),
            None if candidate is None else metric.of(candidate),
            ended=tuple(step is None for step in (baseline, candidate)),
        )
        for metric in METRICS
        if metric.id in METRICS_OF_A_PAIR
    ]


def step_pairs(pair: Pair) -> Sequence[StepPair]:
    """All steps of both sides in order of recording, the first with the first; at most ``MAX_PAIRS``."""
    both = zip_longest(pair.baseline.run.steps[:MAX_PAIRS], pair.candidate.run.steps[:MAX_PAIRS])
    return [
        StepPair(
            baseline=None if old is None else old.step.number,
            candidate=None if new is None else new.step.number,
            deltas=_deltas(pair, old, new),
        )
        for old, new in both
    ]
