"""The first launch of a kernel, which loads its code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.blocked_launches import LongLaunch
from tb_plugin_explain.evidence import calls_lane
from tb_plugin_explain.findings import Finding, NotMeasured, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Loading the code of one kernel takes about a millisecond and more; shorter delays have many causes.
MIN_LAUNCH_NS = 1_000_000
# Where launches of known kernels take as long, being the first explains nothing.
MIN_SHARE_OF_LONG = 0.9


def first_of_their_kernel(run: RunAnalyses) -> Sequence[LongLaunch]:
    """Long kernel launches that nothing held up, of a kernel that was not launched before in this file."""
    gpu, is_launch = run.recording.gpu, run.recording.kinds.kernel_launch
    long = [
        c
        for c in run.long_launches
        if c.reason is None and c.duration_ns >= MIN_LAUNCH_NS and c.step >= 0 and is_launch[c.row]
    ]
    linked = np.flatnonzero(gpu.linked)
    first_ns = np.full(len(run.trace.names), np.iinfo(np.int64).max)
    np.minimum.at(first_ns, gpu.name[linked], gpu.launch_start_ns[linked])
    first = [c for c in long if c.start_ns <= first_ns[gpu.name[c.first]]]
    explains = sum(c.duration_ns for c in first) >= MIN_SHARE_OF_LONG * sum(c.duration_ns for c in long)
    return first if explains else []


def _proof(run: RunAnalyses, calls: Sequence[LongLaunch]) -> str:
    kinds = run.recording.kinds
    loading = run.recording.union_of(kinds.overhead_loading | kinds.loading)
    starts = np.array([c.start_ns for c in calls])
    ends = starts + np.array([c.duration_ns for c in calls])
    loaded = int(loading.covered(starts, ends).sum())
    if loaded:
        return f"For {wording.time_ns(loaded)} of that time the trace shows GPU code being loaded."
    return "That it is this, and not another first use, the trace does not show."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    gpu = run.recording.gpu
    if not gpu.linked.any():
        raise NotMeasured("no GPU event of this file has a launch")
    calls = first_of_their_kernel(run)
    if not calls:
        return
    total, longest = sum(c.duration_ns for c in calls), calls[0]
    one = len(calls) == 1
    time = wording.time_ns(total)
    yield Finding(
        verdict="expected",
        title=f"{'A first launch takes' if one else f'{len(calls)} first launches take'} {time}",
        text=(
            f"{'This call launches' if one else 'Each of these calls launches'} its kernel for the first "
            f"time in this recording, and lasts {'' if one else 'up to '}"
            f"{wording.time_ns(longest.duration_ns)} where such a call usually takes "
            f"{wording.time_ns(longest.usual_ns)}. On first use the driver loads the code of a kernel, "
            f"and a library may try several. {_proof(run, calls)}"
        ),
        advice=(
            "Let warm-up steps run every kernel once. Then schedule(warmup=3) keeps the loading out of the "
            "recording, and the run pays for it only once."
        ),
        step=run.steps[longest.step].step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(total),
        pill=f"{time} in first launches",
        evidence=[
            calls_lane(run, [c.row for c in calls], "Launch calls"),
            Table(
                ["step", "call", "kernel", "call_us", "usual_us"],
                [
                    [
                        run.steps[c.step].step.number,
                        run.trace.name_of(c.row),
                        wording.kernel(run.trace.names[int(gpu.name[c.first])]),
                        to_us(c.duration_ns),
                        to_us(c.usual_ns),
                    ]
                    for c in calls
                ],
            ),
        ],
    )


RULE = Rule(
    id="first-launch",
    title="First launches of kernels",
    why=(
        "Since CUDA 11.7 the code of a kernel is loaded when it is first launched. One such launch can "
        "take longer than the whole step, and ruins every average that holds it."
    ),
    link="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#lazy-loading",
    check=_check,
)
