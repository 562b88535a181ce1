"""Python frames so dense that recording them takes time of its own."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, step_table, the_unit, typical
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

# A frame costs about half a microsecond (PyTorch 2.13: 1,072 frames made a step of 3.1 ms 0.5 ms longer),
# so 50 in a millisecond are some 2.5 %.
MIN_FRAMES_PER_MS = 50.0


def _per_ms(step: StepAnalyses) -> float:
    return step.profiler_density("python_frames") or 0.0


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.steps:
        raise NotMeasured("the file holds no events")
    if run.trace.meta.with_stack and not run.profiler_records["python_frames"].any():
        raise NotMeasured("stacks were to be recorded, and no Python frame of a step is in the file")
    steps = averaged(run)
    density = typical([_per_ms(s) for s in steps])
    if density < MIN_FRAMES_PER_MS:
        return
    count = typical([float(run.profiler_records["python_frames"][s.index]) for s in steps])
    yield Finding(
        verdict="artifact",
        title=(
            f"Recording stacks makes the CPU look slower: {wording.significant(density)} Python frames "
            "a millisecond"
        ),
        text=(
            f"with_stack wrote {wording.count(round(count), 'Python frame')} in {the_unit(run)}, and "
            "each costs CPU "
            "time that the run does not need without it. CPU spans, launch times and idle time that the "
            "CPU causes "
            "are too long here; GPU kernels are not. How much, only a recording without stacks can tell."
        ),
        advice=(
            "Read lines of code from this trace, not CPU times. For times record once more without "
            "with_stack."
        ),
        evidence=[
            step_table(
                steps,
                ["python_frames", "per_ms"],
                lambda s: [int(run.profiler_records["python_frames"][s.index]), round(_per_ms(s), 1)],
            )
        ],
    )


RULE = Rule(
    id="stacks-slow-the-cpu",
    title="Stacks that make the CPU look slower",
    why="A host that looks too slow may be a profiler that writes down every Python call.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
    about_trust=True,
)
