"""Waits hidden in other calls: memory allocation, module loading, copies of pageable memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.wait_calls import WaitCall, WaitKind
from tb_plugin_explain.evidence import averaged, calls_lane, step_lane, the_unit, to_us, typical
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Below this share of a step nobody would look for them.
MIN_WAIT_SHARE = 0.01
# A bubble below this share of a step is within the spread of most runs.
MIN_BUBBLE_SHARE = 0.01

_WHY: Mapping[WaitKind, str] = {
    "copy": (
        "a copy from or to ordinary (pageable) memory goes through a staging buffer, and the CPU waits for it"
    ),
    "allocator": "allocating or freeing GPU memory may wait until the whole GPU has finished",
    "loading": "loading GPU code may wait until the whole GPU has finished",
}
_ADVICE: Mapping[WaitKind, str] = {
    "copy": (
        "Copy from pinned memory. pin_memory=True in the DataLoader and .to(device, non_blocking=True) "
        "let the CPU go on; fetch results less often."
    ),
    "allocator": (
        "Stop allocating inside steps. Reuse tensors and keep shapes constant, so that PyTorch’s "
        "caching allocator can reuse its blocks."
    ),
    "loading": "Load all GPU code during warm-up. Code is loaded when a kernel is first used.",
}


def _calls_table(calls: Sequence[WaitCall]) -> Table:
    return Table(
        ["call", "count", "inside_us", "gpu_busy_us", "gpu_idle_us"],
        [
            [c.name, c.count, to_us(c.split.total_ns), to_us(c.split.gpu_busy_ns), to_us(c.split.gpu_idle_ns)]
            for c in calls
        ],
    )


def _text(names: str, one: bool, kind: WaitKind, bubble_ns: float, costly: bool) -> str:
    cost = (
        f"The GPU then ran dry for {wording.time_ns(bubble_ns)}; this much can be won back."
        if costly
        else "The GPU did not run dry because of them, so there is little to win."
    )
    return (
        f"{names} can make the CPU wait although {'its name does' if one else 'their names do'} not say so: "
        f"{_WHY[kind]}. How much of the time is waiting, the trace does not say. {cost}"
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    steps = averaged(run)
    if not steps:
        raise NotMeasured("the trace has no events")
    inside = typical([s.sync.implicit.total_ns for s in steps])
    step_ns = run.speed_ns or typical([s.step.duration_ns for s in steps])
    if step_ns <= 0 or inside < MIN_WAIT_SHARE * step_ns:
        return
    known = [s for s in steps if not s.gpu_is_unknown]
    if not known:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the calls cost")
    # What the explicit waits would have cost alone is promised by the rule about them.
    bubble = typical([s.bubble_ns - s.explicit_bubble_ns for s in known])
    costly = bubble >= MIN_BUBBLE_SHARE * step_ns
    step = max(known, key=lambda s: s.sync.implicit.total_ns)
    calls = [c for c in step.wait_calls if c.kind != "explicit"]
    names = wording.listing([c.name for c in calls[:3]])
    yield Finding(
        verdict="fix" if costly else "expected",
        title=f"{wording.time_ns(inside)} in calls that wait without saying so",
        text=_text(names, len(calls) == 1, calls[0].kind, bubble, costly),
        advice=_ADVICE[calls[0].kind]
        if costly
        else "Leave these calls alone, unless the CPU has something better to do.",
        at_stake_us=to_us(bubble) if costly else 0.0,
        looks_like_us=None if costly else to_us(inside),
        pill=None if costly else f"{wording.time_ns(inside)} in {calls[0].name}",
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, [c.longest_row for c in calls]),
            _calls_table(calls),
            Quantity(f"in such calls in {the_unit(run)}", to_us(inside), "us"),
        ],
    )


RULE = Rule(
    id="implicit-waits",
    title="Waits hidden in other calls",
    why=(
        "cudaFree, cudaMalloc, a module load or a pageable copy may wait for the GPU, and nothing in "
        "their names says so."
    ),
    link="https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    check=_check,
)
