"""GPU memory that settled steps take from the driver, or give back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import calls_lane, numbers, step_lane
from tb_plugin_explain.findings import Finding, NotMeasured, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# One step in two: what happens less often is a shape that was new once.
MIN_SHARE_OF_STEPS = 0.5


def _rows_of_step(run: RunAnalyses) -> Mapping[int, list[int]]:
    """The calls that take or give back memory, by step."""
    found: dict[int, list[int]] = {}
    rows = np.flatnonzero(run.recording.kinds.device_allocator)
    for row, step in zip(rows.tolist(), run.recording.step_of_calls(rows).tolist(), strict=True):
        found.setdefault(step, []).append(row)
    return found


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not run.recording.kinds.call.any():
        raise NotMeasured("no call of a GPU’s driver was recorded")
    steps = [s for s in run.steps if s.step.number is not None and s.settled.settled]
    if not steps:
        raise NotMeasured("no step is known to be settled, and while a run warms up it allocates")
    of_step = _rows_of_step(run)
    found = {s.index: of_step[s.index] for s in steps if s.index in of_step}
    if len(found) < MIN_SHARE_OF_STEPS * len(steps):
        return
    rows = [row for rows in found.values() for row in rows]
    events = run.trace.events
    count = Counter(run.trace.name_of(row) for row in rows)
    time = Counter[str]()
    for row in rows:
        time[run.trace.name_of(row)] += int(events.end_ns_of(row) - events.start_ns[row])
    frees = any("Free" in name for name in count) and any("Malloc" in name for name in count)
    which = wording.steps(numbers([run.steps[i] for i in found]))
    why = (
        "Frees beside allocations are PyTorch giving its cache back because the GPU’s memory was full, and "
        "trying again."
        if frees
        else "PyTorch reuses freed blocks, so settled steps have no need to; sizes that change from step "
        "to step do."
    )
    yield Finding(
        verdict="fix",
        title=(
            f"{wording.count(len(rows), 'allocation or free', 'allocations and frees')} of GPU memory "
            "in settled steps"
        ),
        text=(
            f"In {which} {wording.listing(sorted(count))} took {wording.time_ns(sum(time.values()))} in "
            f"all. {why} "
            "What the GPU lost by waiting for them is counted under hidden waits and idle time, not here."
        ),
        advice=(
            "Make room for the allocator’s cache. A smaller batch, fewer kept tensors or "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True end the retries."
            if frees
            else "Give tensors the same sizes in every step. Padding to a few lengths lets PyTorch reuse "
            "its blocks."
        ),
        at_stake_us=None,
        evidence=[
            step_lane(run, [run.steps[i] for i in found]),
            calls_lane(run, rows),
            Table(
                ["call", "count in all", "inside_us"],
                [[name, count[name], to_us(time[name])] for name in sorted(count, key=lambda n: -time[n])],
            ),
        ],
    )


RULE = Rule(
    id="allocator-in-steps",
    title="GPU memory taken from the driver in settled steps",
    why="cudaMalloc and cudaFree may stop the whole GPU; PyTorch caches memory so that steps need neither.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management",
    check=_check,
)
