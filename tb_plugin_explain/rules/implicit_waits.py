"""Waits hidden in other calls: memory allocation, module loading, copies of pageable memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.wait_calls import WaitCall, WaitKind
from tb_plugin_explain.evidence import (
    calls_lane,
    named_site,
    nearest,
    need_fit,
    step_lane,
    steps_with_known_gpu,
    the_unit,
    typical,
    unit,
    where,
)
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table, Verdict
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Below this share of a step nobody would look for them.
MIN_WAIT_SHARE = 0.01
# Less than this share of a step is within the spread of most runs.
MIN_LOST_SHARE = 0.01
# A GPU that is idle for more of a step than this is no false alarm, whatever the cause.
MIN_IDLE_SHARE = 0.05
# More names than this make no sentence.
MAX_NAMES = 3

_WHY: Mapping[WaitKind, str] = {
    "copy_in": (
        "a copy from ordinary (pageable) memory goes through a staging buffer, and the CPU may wait for that"
    ),
    "copy_out": "a copy to the CPU may wait until its data is there",
    "copy": "a copy may wait until it is done",
    "allocator": "allocating or freeing memory may wait until the whole GPU has finished",
    "loading": "loading GPU code may wait until the whole GPU has finished",
}
_ADVICE: Mapping[WaitKind, str] = {
    "copy_in": (
        "Copy from pinned memory. pin_memory=True in the DataLoader and .to(device, non_blocking=True) let "
        "the CPU go on."
    ),
    "copy_out": (
        "Read results back less often. Keep values on the GPU, or copy them into pinned memory with "
        "non_blocking=True and use them later."
    ),
    "copy": "Copy less often. Keep data where it is used.",
    "allocator": (
        "Stop allocating in the loop. Reuse tensors and keep shapes constant, so that PyTorch’s caching "
        "allocator can reuse its blocks."
    ),
    "loading": "Load all GPU code during warm-up. Code is loaded when a kernel is first used.",
}

_WARM_UP = (
    "Record steps after a warm-up first. A run takes memory and loads code as it starts; if settled steps do "
    "so too, reuse tensors and keep shapes constant."
)


# It is what PyTorch calls on ROCm for every copy that is not to be asynchronous, of pinned memory too.
_WAITS_ALWAYS = "hipMemcpyWithStream"


def _why(call: WaitCall) -> str:
    return "it returns when its copy is done" if call.name == _WAITS_ALWAYS else _WHY[call.kind]


def _calls_table(calls: Sequence[WaitCall]) -> Table:
    return Table(
        ["call", "count in all", "inside_us", "gpu_busy_us", "gpu_idle_us"],
        [
            [c.name, c.count, to_us(c.split.total_ns), to_us(c.split.gpu_busy_ns), to_us(c.split.gpu_idle_ns)]
            for c in calls
        ],
    )


class _Cost(Struct, frozen=True):
    """What the calls of a typical step cost; all in ns.

    inside: time in them. bubble: the GPU ran dry after them. behind: its next launch stood behind them.
    idle: the GPU did nothing meanwhile, for this reason or another.
    """

    inside: float
    bubble: float
    behind: float
    idle: float
    step: float

    @property
    def lost(self) -> float:
        return self.bubble + self.behind

    @property
    def verdict(self) -> Verdict:
        if self.lost >= MIN_LOST_SHARE * self.step:
            return "fix"
        return "undecided" if self.idle >= MIN_IDLE_SHARE * self.step else "expected"


def _bubble_ns(run: RunAnalyses, step: StepAnalyses) -> int:
    """What the explicit waits would have cost alone is promised by the rule about them."""
    bubbles = step.bubbles_on(run.busiest_device)
    return bubbles.all_ns - bubbles.explicit_ns


def _behind_ns(run: RunAnalyses, step: StepAnalyses) -> int:
    """Idle time before launches that stood behind such calls: named here, promised by host-bound."""
    hosts = [g.idle.host_by for g in step.gpu if g.device == run.busiest_device]
    return sum(host[name] for host in hosts for name in ("allocator", "loading"))


def _what_it_costs(cost: _Cost) -> str:
    if cost.verdict == "fix":
        elsewhere = (
            f" {wording.time_ns(cost.behind)} of it stood before its next launch and is counted in the time "
            "that the GPU waits for the CPU."
            if cost.behind > 0
            else ""
        )
        return (
            f"For {wording.time_ns(cost.lost)} the GPU had nothing to do because of them; at most this much "
            f"can be won back.{elsewhere}"
        )
    if cost.verdict == "undecided":
        return (
            f"The GPU showed no work for {wording.time_ns(cost.idle)} meanwhile; whether it had any to do, "
            "the trace does not say."
        )
    if cost.lost > 0:
        dry = wording.time_ns(cost.lost)
        return f"The GPU ran dry for only {dry} because of them, so there is little to win."
    return "The GPU did not run dry because of them, so there is little to win."


def _text(calls: Sequence[WaitCall], cost: _Cost) -> str:
    shown = calls[:MAX_NAMES]
    one = len(shown) == 1
    reasons = dict.fromkeys(_why(c) for c in shown)
    return (
        f"{wording.listing([c.name for c in shown])} can make the CPU wait although "
        f"{'its name does' if one else 'their names do'} not say so: "
        f"{'; '.join(reasons)}. How much of the time is waiting, the trace does not "
        f"say. {_what_it_costs(cost)}"
    )


def _asked_for(run: RunAnalyses) -> str:
    """The site that the largest part comes from, where the trace knows more than the call’s name."""
    waits = run.waits
    rows = set(waits.row[~waits.explicit & ~run.claimed_waits].tolist())
    sites = [s for s in run.call_sites if s.implicit_ns and not rows.isdisjoint(s.rows.tolist())]
    sites = [s for s in sites if s.operator is not None or where(s) is not None]
    if not sites:
        return ""
    top = max(sites, key=lambda s: s.implicit_ns)
    return f" The largest part of that time is spent for {named_site(run, top)}."


def _advice(run: RunAnalyses, kind: WaitKind, verdict: Verdict) -> str:
    if verdict == "expected":
        return "Leave these calls alone, unless the CPU has something better to do."
    if verdict == "undecided":
        return f"Find out first whether the GPU had work to do. If so: {_ADVICE[kind]}"
    if unit(run) == "recording" and kind in ("allocator", "loading"):
        return _WARM_UP
    return _ADVICE[kind]


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_fit(run)
    steps = steps_with_known_gpu(run)
    cost = _Cost(
        inside=typical([s.general_waits(explicit=False).total_ns for s in steps]),
        bubble=typical([_bubble_ns(run, s) for s in steps]),
        behind=typical([_behind_ns(run, s) for s in steps]),
        idle=typical([s.general_waits(explicit=False).gpu_idle_ns for s in steps]),
        step=run.speed_ns or typical([s.step.duration_ns for s in steps]),
    )
    if cost.step <= 0 or cost.inside < MIN_WAIT_SHARE * cost.step:
        return
    if steps[0].gpu_is_unknown:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the calls cost")
    step = nearest(steps, cost.inside, lambda s: s.general_waits(explicit=False).total_ns)
    calls = [c for c in step.wait_calls if c.kind != "explicit"]
    verdict = cost.verdict
    harmless = verdict == "expected"
    yield Finding(
        verdict=verdict,
        title=f"{wording.time_ns(cost.inside)} in calls that wait without saying so",
        text=_text(calls, cost) + _asked_for(run),
        advice=_advice(run, calls[0].kind, verdict),
        at_stake_us={"fix": to_us(cost.bubble) or None, "undecided": None}.get(verdict, 0.0),
        looks_like_us={"expected": to_us(cost.inside), "undecided": to_us(cost.idle)}.get(verdict),
        pill=f"{wording.time_ns(cost.inside)} in {calls[0].name}" if harmless else None,
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, [c.longest_row for c in calls]),
            _calls_table(calls),
            Quantity(f"in such calls in {the_unit(run)}", to_us(cost.inside), "us"),
            Quantity("GPU idle meanwhile", to_us(cost.idle), "us"),
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
