"""Why two runs may not be comparable, in words: warnings of kind ``not_comparable``."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison_schema import Change
from tb_plugin_explain.report_schema import Warning

_KIND = "not_comparable"
_WORDS = {
    "device": (
        "The two runs used different devices: {baseline} and {candidate}.",
        "The groups tell which kernels do the same work; that their times differ is the devices’ doing too.",
    ),
    "ranks": (
        "The two runs had different numbers of ranks: {baseline} and {candidate}.",
        "Compare runs of equal size, or only what one rank does for itself.",
    ),
    "rank": (
        "Rank {baseline} is compared with rank {candidate}.",
        "A communication kernel lasts until the latest rank has come, so a longer time there may be a longer "
        "wait and no slower network.",
    ),
    "batch": (
        "Operators worked on tensors of other sizes: in the candidate, sizes are {candidate}.",
        "Record both runs on the same model and inputs.",
    ),
    "modes": (
        "The profiler recorded different things (baseline: {baseline}; candidate: {candidate}), and what it "
        "records slows the CPU.",
        "Record both runs with the same options of profile().",
    ),
}


def find_warnings(changes: Sequence[Change]) -> Sequence[Warning]:
    """One warning a change that stands against a comparison."""
    found = []
    for change in changes:
        if change.what in _WORDS:
            message, advice = _WORDS[change.what]
            data = {"what": change.what, "baseline": change.baseline, "candidate": change.candidate}
            words = message.format(baseline=change.baseline, candidate=change.candidate)
            found.append(Warning(_KIND, 1, words, advice, data))
    return found
