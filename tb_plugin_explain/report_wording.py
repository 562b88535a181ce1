"""The words of a report that its text, its markdown and its page share."""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding, Verdict
from tb_plugin_explain.report_schema import Headline

NOTHING = "–"
VERDICTS: Mapping[Verdict, str] = {
    "fix": "worth fixing",
    "undecided": "undecided",
    "expected": "expected",
    "artifact": "artefact",
}
GAP_KINDS: Mapping[str, str] = {
    "before_recording": "launched before recording",
    "launch_not_recorded": "launch not recorded",
    "queued": "work was queued",
    "hole": "no CPU event",
}
CAUSES: Mapping[str, str] = {
    "profiler": "profiler",
    "sync_bubble": "refill after a wait",
    "input": "data loader",
    "host": "CPU not ready",
    "dependency": "other stream",
    "launch": "start of a kernel",
    "unknown": "not known",
    "loading": "loading GPU code",
    "allocator": "memory allocation",
    "wait": "waiting for the GPU",
    "launch_call": "launch calls",
    "compile_lookup": "torch.compile’s checks",
    "optimizer": "optimizer",
    "op_dispatch": "operators",
    "python": "Python code",
}


def stake(finding: Finding, unit: str) -> str:
    """What is at stake in a finding, ``unit`` says of what, such as ``a step``; empty where nothing is."""
    if finding.at_stake_us:
        of = unit if finding.step is None else f"in step {finding.step}"
        return f"{wording.time(finding.at_stake_us)} {of}"
    if not finding.looks_like_us:
        return ""
    looks_like = wording.time(finding.looks_like_us)
    return (
        f"{looks_like}, gain unknown"
        if finding.verdict == "undecided"
        else f"nothing to win, looks like {looks_like}"
    )


def confidence(headline: Headline) -> str:
    """How sure the headline is, why, and of which steps its averages are."""
    sure = "of the cause, none" if headline.verdict == "undecided" else headline.confidence
    about = f"Confidence: {sure} ({headline.why})."
    if len(headline.steps) > 1:
        about += f" Averages are over {wording.steps(headline.steps)}."
    return about
