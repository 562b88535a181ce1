"""A recording with every allocation in it."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, step_table, the_unit, typical
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

# Fewer allocations than this in a millisecond of CPU time add nothing that shows.
MIN_EVENTS_PER_MS = 1.0


def _per_ms(step: StepAnalyses) -> float:
    return step.profiler_density("memory_events") or 0.0


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.steps:
        raise NotMeasured("the file holds no events")
    if run.trace.meta.profile_memory and not run.memory:
        raise NotMeasured("memory was to be recorded, and no memory event is in the file")
    steps = averaged(run)
    density = typical([_per_ms(s) for s in steps])
    if density < MIN_EVENTS_PER_MS:
        return
    count = typical([float(run.profiler_records["memory_events"][s.index]) for s in steps])
    yield Finding(
        verdict="artifact",
        title=f"profile_memory wrote {wording.count(round(count), 'memory event')} in {the_unit(run)}",
        text=(
            f"The profiler stopped at every allocation and free, {wording.significant(density)} times in a "
            "millisecond of CPU time. That makes CPU times longer and the file larger; by how much, only "
            "a recording "
            "without it can tell. For memory questions this is the right recording, for speed it is not."
        ),
        advice="Record speed without profile_memory. Use it in a second pass, for memory alone.",
        evidence=[
            step_table(
                steps,
                ["memory_events", "per_ms"],
                lambda s: [int(run.profiler_records["memory_events"][s.index]), round(_per_ms(s), 1)],
            )
        ],
    )


RULE = Rule(
    id="memory-mode-first-pass",
    title="Every allocation was recorded",
    why="profile_memory answers questions about memory, and disturbs the answer to all others.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
    about_trust=True,
)
