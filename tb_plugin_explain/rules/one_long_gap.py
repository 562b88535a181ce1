"""A single gap that makes most of a step's idle time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.gap_table import GapTable, work_before
from tb_plugin_explain.evidence import averaged, gpu_lane, need_fit, need_gpu, the_unit, typical, unit
from tb_plugin_explain.findings import Finding, Quantity, Table, Verdict
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.host_bound import MIN_SHARE as MIN_HOST_SHARE
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses
from tb_plugin_explain.wording import to_us

# The gap makes at least half of the idle time: all others together are not worth more.
MIN_SHARE_OF_IDLE = 0.5
# And a twentieth of a step, below which nobody would look for it.
MIN_SHARE = 0.05
# With fewer gaps one of them is always the longest by far.
MIN_GAPS = 10

# Each of them has a rule of its own that says all there is to say.
_SAID_ELSEWHERE = frozenset({"profiler", "sync_bubble", "input"})
_CAUSES: Mapping[str, str] = {
    "profiler": "the profiler was at work",
    "sync_bubble": "the CPU came back from a wait and had to hand out new work",
    "input": "the data loader was at work",
    "dependency": "the GPU went from one stream to another",
    "launch": "the GPU took its time to begin work that was launched",
    "unknown": "the trace shows no reason",
}
_HOST: Mapping[str, str] = {
    "loading": "the CPU loaded GPU code",
    "allocator": "the CPU allocated or freed GPU memory",
    "wait": "the CPU waited for the GPU",
    "launch_call": "the CPU was inside launch calls or other calls of the driver",
    "compile_lookup": "the CPU was in torch.compile’s checks",
    "optimizer": "the CPU ran the optimizer’s own Python code",
    "op_dispatch": "the CPU was inside PyTorch operators",
    "python": "the CPU ran Python code between operators",
}


class _Gap(Struct, frozen=True, dict=True):
    """The longest gap of one step and device: its place among all, and a table of this row alone."""

    gpu: GpuStepAnalyses
    place: int
    row: GapTable

    @property
    def length_ns(self) -> int:
        return int(self.row.length_ns[0])

    @property
    def idle_ns(self) -> int:
        """The step's idle time."""
        return self.gpu.idle.idle_ns

    @cached_property
    def _causes_ns(self) -> tuple[dict[str, int], dict[str, int]]:
        return self.gpu.causes_of_gaps(np.array([self.place])).sums

    @property
    def parts_ns(self) -> dict[str, int]:
        """Its causes, with what the CPU did in place of ``host``; the longest first."""
        causes, host_by = self._causes_ns
        parts = {**causes, **{f"host {name}": time for name, time in host_by.items()}}
        parts.pop("host")
        return dict(sorted(parts.items(), key=lambda part: -part[1]))

    @property
    def own_ns(self) -> int:
        """The time of the CPU's in it."""
        return self._causes_ns[0]["host"]


def _words(part: str) -> str:
    return _HOST[part.removeprefix("host ")] if part.startswith("host ") else _CAUSES[part]


def _longest(run: RunAnalyses, device: int) -> list[_Gap]:
    found = []
    for step in averaged(run):
        for gpu in step.gpu:
            table = gpu.gaps
            if gpu.device == device and len(table) >= MIN_GAPS:
                longest = int(np.argmax(table.length_ns))
                found.append(_Gap(gpu, longest, table.where(np.array([longest]))))
    return found


def _neighbours(run: RunAnalyses, gap: _Gap) -> str:
    gpu, names = run.recording.gpu, run.trace.names
    before = int(work_before(gpu, gap.row)[0])
    after = wording.kernel(names[int(gpu.name[gap.row.next[0]])])
    if before < 0 or bool(gap.row.opens[0]):
        return f"It ends where {after} starts."
    return f"It lies between {wording.kernel(names[int(gpu.name[before])])} and {after}."


def _better(run: RunAnalyses) -> str:
    """What would show more than this recording does."""
    return "with a system profiler" if run.trace.meta.with_stack else "with stacks"


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    gaps = _longest(run, device)
    if bound is None or not gaps:
        return
    alone = [g for g in gaps if g.length_ns >= max(MIN_SHARE_OF_IDLE * g.idle_ns, MIN_SHARE * bound.base_ns)]
    if 2 * len(alone) <= len(averaged(run)):
        return
    length = typical([g.length_ns for g in alone])
    gap = min(alone, key=lambda g: (abs(g.length_ns - length), -g.length_ns))
    parts = gap.parts_ns
    part = next(iter(parts))
    if part in _SAID_ELSEWHERE:
        return
    # Where the CPU is to blame for a tenth of a step and more, host-bound promises all of it.
    own = typical([g.own_ns for g in alone])
    promised = bound.shares_ns["host"] >= MIN_HOST_SHARE * bound.base_ns
    stake = own if part.startswith("host ") and not promised else 0.0
    start, step = int(gap.row.start_ns[0]), run.steps[int(gap.row.step[0])]
    verdict: Verdict = "undecided" if part == "unknown" else "fix"
    elsewhere = promised and (part.startswith("host ") or part == "launch")
    counted = " Its time is counted in the finding about that cause." if elsewhere else ""
    yield Finding(
        verdict=verdict,
        title=f"One gap of {wording.time_ns(gap.length_ns)} makes most of the GPU’s idle time",
        text=(
            f"In {the_unit(run)} a single gap makes {wording.percent(gap.length_ns / gap.idle_ns)} of the "
            "time in which the GPU had nothing to do. For "
            f"{wording.percent(parts[part] / gap.length_ns)} of it {_words(part)}. "
            f"{_neighbours(run, gap)}{counted}"
        ),
        advice=(
            f"Record once more {_better(run)}. Nothing here says what the GPU waited for."
            if verdict == "undecided"
            else "Find out first whether it comes again. Only recorded steps tell a loop from a start."
            if unit(run) == "recording"
            else "Shorten this one gap first. All other gaps together cost less."
        ),
        step=step.step.number if len(averaged(run)) > 1 else None,
        at_stake_us=to_us(stake) if stake else None,
        looks_like_us=None if verdict == "fix" else to_us(gap.length_ns),
        evidence=[
            gpu_lane(run, start - gap.length_ns // 4, start + gap.length_ns + gap.length_ns // 4),
            Table(["in this gap", "time_us"], [[_words(p), to_us(t)] for p, t in parts.items() if t]),
            Quantity("longest gap", to_us(gap.length_ns), "us"),
            Quantity("all idle time of that step", to_us(gap.idle_ns), "us"),
        ],
    )


RULE = Rule(
    id="one-long-gap",
    title="One gap that makes most of the idle time",
    why=("Idle time that is one long gap has one cause and one place; averages over all gaps hide both."),
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    check=_check,
)
