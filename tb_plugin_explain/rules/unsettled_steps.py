"""Steps that do not look like the run's steady state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, captures_graphs, numbers, step_lane, step_table, typical
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

REASONS: Mapping[str, str] = {
    "compiling": "torch.compile was compiling",
    "recompile": "torch.compile compiled again, usually for a new shape",
    "lazy_loading": "GPU code was loaded on first use",
    "profiler_buffer": "the profiler was busy with its own buffers",
    "cut_off": "GPU events are missing, as where recording ends before the GPU is done",
    "cold_start": "cold start, with length or kernels unlike the other steps’",
    "outlier": "length or kernels differ from the other steps’, for no reason that the trace shows",
}
_CAPTURED = "its launches went into a graph that was being captured, so the GPU ran none of them"
# Reasons that a longer warm-up keeps out of the recording.
_OF_WARM_UP = frozenset({"compiling", "lazy_loading", "profiler_buffer", "cold_start"})


def _why(steps: Sequence[StepAnalyses], captured: bool) -> str:
    """The reasons with the steps that they hold for, in one sentence for the same steps."""
    reasons_of: dict[str, list[str]] = {}
    for reason, meaning in REASONS.items():
        held = [s for s in steps if reason in s.settled.because]
        if held:
            words = _CAPTURED if captured and reason == "cut_off" else meaning
            reasons_of.setdefault(wording.steps(numbers(held)), []).append(words)
    return " ".join(f"{which.capitalize()}: {'; '.join(reasons)}." for which, reasons in reasons_of.items())


def _advice(steps: Sequence[StepAnalyses], captured: bool) -> str:
    reasons = {reason for s in steps for reason in s.settled.because}
    judge = f"Do not judge the run by {'this step' if len(steps) == 1 else 'these steps'}."
    if reasons & _OF_WARM_UP:
        return (
            f"{judge} A longer warm-up, schedule(wait=1, warmup=3, active=5), keeps first steps out of "
            "the recording."
        )
    if "cut_off" in reasons and not captured:
        whose = "its" if len(steps) == 1 else "their"
        return f"{judge} With one more step at the end of the recording, {whose} kernels are in it too."
    return judge


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.steps or run.steps[0].step.number is None:
        raise NotMeasured("the trace has no ProfilerStep, so steps cannot be compared")
    odd = [s for s in run.steps if s.settled.settled is False]
    if not odd:
        return
    good = [s for s in averaged(run) if s.settled.settled is not False]
    usual = typical([s.step.duration_ns for s in good])
    longest = max(odd, key=lambda s: s.step.duration_ns)
    extra = longest.step.duration_ns - usual if good else 0.0
    which = wording.steps(numbers(odd))
    many, captured = len(odd) > 1, captures_graphs(run)
    consequence = (
        f"{'They are' if many else 'It is'} left out of all averages, which use "
        f"{wording.steps(numbers(good))}."
        if good
        else "As no step is undisturbed, averages use all of them, and say less about the run."
    )
    yield Finding(
        verdict="expected",
        title=f"{which.capitalize()} {'have' if many else 'has'} not settled",
        text=f"{_why(odd, captured)} {consequence}",
        advice=_advice(odd, captured),
        step=longest.step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(extra) if extra > 0 else None,
        pill=f"long step {longest.step.number}" if extra > 0.5 * usual > 0 else None,
        evidence=[
            step_lane(run, run.steps),
            step_table(
                odd,
                ["cpu_span_us", "because"],
                lambda s: [to_us(s.step.duration_ns), ", ".join(s.settled.because).replace("_", " ")],
            ),
        ],
    )


RULE = Rule(
    id="unsettled-steps",
    title="Steps that have not settled",
    why=(
        "First steps compile, load and allocate. An average that holds them describes no step that the "
        "run will ever repeat."
    ),
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
)
