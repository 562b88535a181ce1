"""The words of a comparison that its text and its markdown share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.comparison_schema import (
    ComparedSteps,
    Comparison,
    ComparisonVerdict,
    CompileFacts,
    Delta,
    FusionGroup,
    GateOutcome,
    GroupKind,
    LeftOutStep,
    RunComparison,
)
from tb_plugin_explain.report_schema import TraceInfo

VERDICTS: Mapping[ComparisonVerdict, str] = {
    "faster": "faster",
    "slower": "slower",
    "within_noise": "within noise",
    "undecided": "undecided",
    "not_comparable": "not comparable",
}
KINDS: Mapping[GroupKind, str] = {
    "unchanged": "unchanged",
    "replaced": "replaced",
    "fused": "fused",
    "dispatch_fused": "merged calls",
    "removed": "removed",
    "added": "added",
    "unattributed": "unattributed",
}
OUTCOMES: Mapping[GateOutcome, str] = {"passed": "passed", "failed": "failed", "not_measured": "not measured"}
_METRICS: Mapping[str, str] = {
    "pace_us": "pace",
    "step_us": "CPU span",
    "period_us": "period",
    "cpu_busy_us": "CPU busy",
    "gpu_busy_us": "GPU busy",
    "gpu_idle_us": "GPU idle",
    "sync_us": "waiting",
    "implicit_sync_us": "hidden waits",
    "bubble_us": "bubble",
    "copy_bytes": "copied",
    "first_us": "lane offset",
    "compile_tax_us": "compile tax",
    "peak_memory_bytes": "peak memory",
}
_NOTHING = "–"
# Operators of a graph break or phases of compiling that are named; the JSON has all.
_MOST_NAMES = 4


def metric(name: str) -> str:
    """What a metric is called: as the columns of a report call it."""
    return _METRICS.get(name, name.replace("_", " "))


def trace(info: TraceInfo) -> str:
    """One side’s file, with its run and devices."""
    file = f"{info.run}/{info.file}" if info.run else info.file
    devices = ", ".join(sorted({d.name for d in info.devices if d.name}))
    return f"{file} · {devices}" if devices else file


def value(number: float | None, unit: str) -> str:
    return _NOTHING if number is None else wording.amount(number, unit)


def difference(delta: Delta) -> str:
    return _NOTHING if delta.difference is None else wording.difference(delta.difference, delta.unit)


def relative(delta: Delta) -> str:
    if delta.difference is None:
        return _NOTHING
    return wording.relative_difference(delta.difference, delta.baseline) or _NOTHING


def interval(delta: Delta) -> str:
    """Between which limits the difference lies."""
    if delta.interval is None:
        return _NOTHING
    lowest, highest = (wording.difference(limit, delta.unit) for limit in delta.interval)
    if lowest == highest:
        return lowest
    _, space, unit = highest.rpartition(" ")
    return f"{lowest.removesuffix(space + unit) if space else lowest} … {highest}"


def noise(delta: Delta) -> str:
    if delta.within_noise is None:
        return _NOTHING
    return "yes" if delta.within_noise else "no"


def measured(deltas: Sequence[Delta]) -> Sequence[Delta]:
    """Those with a value on one side at least."""
    return [d for d in deltas if d.baseline is not None or d.candidate is not None]


def not_measured(deltas: Sequence[Delta]) -> Sequence[str]:
    """Which figures are missing and why, one line a reason."""
    reasons: dict[str, list[str]] = {}
    for delta in deltas:
        if delta.difference is None:
            reasons.setdefault(delta.not_measured or "not in these traces", []).append(metric(delta.metric))
    return [f"{wording.listing(names)} ({reason})" for reason, names in reasons.items()]


def of_steps(steps: ComparedSteps) -> bool:
    """Whether the figures are those of a step; else they are of the whole recording."""
    return any(number is not None for number in (*steps.baseline, *steps.candidate))


def span(steps: ComparedSteps) -> str:
    """What the figures are of, as the head of their table says it."""
    if of_steps(steps) and None in (*steps.baseline, *steps.candidate):
        return "step or recording"
    return "a step" if of_steps(steps) else "recording"


def rate(steps: ComparedSteps) -> str:
    """The same behind a figure."""
    return "a step" if of_steps(steps) else "in the recording"


def compared(steps: ComparedSteps) -> str:
    """Which steps of which side were compared."""
    baseline, candidate = (wording.steps(numbers) for numbers in (steps.baseline, steps.candidate))
    text = f"{baseline} of the baseline, {candidate} of the candidate"
    return text if steps.settled else f"{text}; not known to be settled"


def left_out(steps: Sequence[LeftOutStep]) -> Sequence[str]:
    """The steps that were not compared, one line a side and reason."""
    by_reason: dict[tuple[str, str], list[int | None]] = {}
    for step in steps:
        because = ", ".join(step.because).replace("_", " ")
        by_reason.setdefault((step.side, because), []).append(step.step)
    return [f"{side} {wording.steps(found)} ({why})" for (side, why), found in by_reason.items()]


def changes(comparison: Comparison) -> Sequence[str]:
    """What differs besides the figures, one line each."""
    return [f"{c.what}: {c.baseline} → {c.candidate}" for c in comparison.headline.changes]


def groups_heading(comparison: Comparison) -> str:
    of = "the GPU’s work" if comparison.group_summary.of == "gpu" else "the operators’ CPU time"
    typical = comparison.steps.typical
    baseline, candidate = (wording.steps([n]) for n in (typical.baseline, typical.candidate))
    return f"Where {of} went: {baseline} of the baseline, {candidate} of the candidate"


def by_difference(groups: Sequence[FusionGroup]) -> Sequence[FusionGroup]:
    """What changed most first; of equal differences, what took longest."""
    return sorted(groups, key=lambda g: (-abs(change_us(g)), -max(g.baseline.time_us, g.candidate.time_us)))


def change_us(group: FusionGroup) -> float:
    return group.candidate.time_us - group.baseline.time_us


def title(group: FusionGroup) -> str:
    """What a group is, with how sure its match is where it is not clear."""
    return group.title if group.confidence == "clear" else f"{group.title} ({group.confidence})"


def events(baseline: int, candidate: int) -> str:
    """How many events each side has."""
    return f"{baseline:,} → {candidate:,}"


def compile_facts(facts: CompileFacts, steps: ComparedSteps) -> Sequence[tuple[str, str]]:
    """What torch.compile did, as label and text; figures are of the typical step unless said otherwise."""
    of = "in this step" if of_steps(steps) else rate(steps)
    rows = [("regions", _regions(facts, of))]
    if facts.graph_breaks:
        rows.append(("graph breaks", _breaks(facts)))
    if facts.recompiles:
        again = wording.steps(facts.recompiled_steps)
        rows.append(("recompiled", f"{wording.count(facts.recompiles, 'time')}, in {again}"))
    rows.append(("launches", _launches(facts, of)))
    rows.append(("compile tax", _tax(facts, of)))
    compiling, break_even = _compiling(facts), _break_even(facts)
    rows.append(("compiling", compiling))
    return rows if break_even == compiling else [*rows, ("break-even", break_even)]


def _regions(facts: CompileFacts, of: str) -> str:
    if not facts.regions and facts.region_calls:
        return f"{wording.count(facts.region_calls, 'call')} {of}; {_why(facts, 'regions')}"
    if not facts.regions:
        return "none recorded"
    ids = ", ".join(facts.regions[:_MOST_NAMES]) + (" …" if len(facts.regions) > _MOST_NAMES else "")
    calls = wording.count(facts.region_calls, "call")
    return f"{wording.count(len(facts.regions), 'compiled region')} ({ids}), {calls} {of}"


def _breaks(facts: CompileFacts) -> str:
    names = list(dict.fromkeys(name for found in facts.breaks for name in found.operators))
    between = ", ".join(names[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
    lost = wording.time(sum(found.between_us for found in facts.breaks))
    told = f"{facts.graph_breaks:,}, with {lost} between the regions"
    return f"{told}: {between}" if between else told


def _launches(facts: CompileFacts, of: str) -> str:
    if facts.kernel_launches is None or facts.graph_launches is None:
        return _why(facts, "kernel_launches")
    text = f"{wording.count(facts.kernel_launches, 'kernel launch', 'kernel launches')}"
    text += f" and {wording.count(facts.graph_launches, 'graph launch', 'graph launches')} {of}"
    captures = wording.count(facts.captures, "graph capture")
    return f"{text}; {captures} in the recording" if facts.captures else text


def _tax(facts: CompileFacts, of: str) -> str:
    if facts.tax_us is None:
        return _why(facts, "tax_us")
    text = f"{wording.time(facts.tax_us)} of CPU time {of}"
    if facts.tax is None:
        return text
    parts = {
        "cache lookup": facts.tax.lookup_us,
        "prologue": facts.tax.prologue_us,
        "wrappers": facts.tax.wrapper_us,
    }
    told = ", ".join(f"{name} {wording.time(time)}" for name, time in parts.items() if time)
    return f"{text}: {told}" if told else text


def _compiling(facts: CompileFacts) -> str:
    if facts.compile_us is None:
        return _why(facts, "compile_us")
    longest = sorted(facts.phases, key=lambda phase: -phase.time_us)[:_MOST_NAMES]
    told = ", ".join(f"{phase.name} {wording.time(phase.time_us)}" for phase in longest)
    text = f"{wording.time(facts.compile_us)} in the recording"
    return f"{text}: {told}" if told else text


def _break_even(facts: CompileFacts) -> str:
    if facts.break_even_steps is None:
        return _why(facts, "break_even_steps")
    return f"after {wording.count(facts.break_even_steps, 'step')}"


def _why(facts: CompileFacts, name: str) -> str:
    return facts.not_measured.get(name, "this trace does not tell it")


def delta_columns(steps: ComparedSteps) -> Sequence[str]:
    """The heads of ``delta_cells``."""
    return (span(steps), "baseline", "candidate", "difference", "%", "interval", "within noise")


def delta_cells(delta: Delta) -> Sequence[str]:
    """One row of the table of figures."""
    old, new = value(delta.baseline, delta.unit), value(delta.candidate, delta.unit)
    return metric(delta.metric), old, new, difference(delta), relative(delta), interval(delta), noise(delta)


GROUP_COLUMNS = ("", "what", "events", "baseline", "candidate", "difference")


def group_cells(group: FusionGroup) -> Sequence[str]:
    """One row of the table of groups."""
    return (
        KINDS[group.kind],
        title(group),
        events(group.baseline.events, group.candidate.events),
        wording.time(group.baseline.time_us),
        wording.time(group.candidate.time_us),
        wording.difference(change_us(group), "us"),
    )


def unpaired(run: RunComparison) -> Sequence[str]:
    """The files that were compared with nothing, one line each."""
    return [
        f"{found.file} of the {found.side} has no counterpart, so it was not compared"
        for found in run.unpaired
    ]
