"""Steps that do not look like the run's steady state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, numbers, step_lane, step_table, to_us, typical
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

REASONS: Mapping[str, str] = {
    "compiling": "torch.compile was compiling",
    "recompile": "torch.compile compiled again, usually for a new shape",
    "lazy_loading": "GPU code was loaded on first use",
    "profiler_buffer": "the profiler was fetching memory to record into",
    "cut_off": "the recording ended before the GPU had done its work",
    "cold_start": "caches, memory and clocks were not warm yet",
    "outlier": "its length or its kernels differ from the other steps’, for no reason that the trace shows",
}


def _why(steps: Sequence[StepAnalyses]) -> str:
    """Each reason with the steps that it holds for, in one sentence a reason."""
    sentences = []
    for reason, meaning in REASONS.items():
        held = [s for s in steps if reason in s.settled.because]
        if held:
            sentences.append(f"{wording.steps(numbers(held)).capitalize()}: {meaning}.")
    return " ".join(sentences)


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
    many = len(odd) > 1
    consequence = (
        f"{'They are' if many else 'It is'} left out of all averages, which use "
        f"{wording.steps(numbers(good))}."
        if good
        else "As no step is undisturbed, averages use all of them, and are at most likely."
    )
    yield Finding(
        verdict="expected",
        title=f"{which.capitalize()} {'have' if many else 'has'} not settled",
        text=f"{_why(odd)} {consequence}",
        advice=(
            "Do not judge the run by these steps. A longer warm-up, schedule(warmup=3), keeps the "
            "first ones out of the recording."
        ),
        step=longest.step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(extra) if extra > 0 else None,
        pill=f"long step {longest.step.number}" if extra > 0.5 * usual > 0 else None,
        evidence=[
            step_lane(run, run.steps),
            step_table(
                odd,
                ["step_length_us", "because"],
                lambda s: [to_us(s.step.duration_ns), ", ".join(s.settled.because)],
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
