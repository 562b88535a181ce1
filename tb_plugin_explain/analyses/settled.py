"""Which steps look like the run's steady state, and why the others do not.

docs/definitions.md, ``settled``. Steps are compared within one process.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.kernel_launches import KernelLaunches
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct, median_of
from tb_plugin_explain.trace.model import Category, Int64s
from tb_plugin_explain.trace.steps import ProfilerStep

# A request that takes more of the step than this moves the step's own figures visibly.
MAX_PROFILER_SHARE = 0.05
# Fewer events than launches by more than this: the recording ended inside the step's GPU work.
MAX_SHARE_CUT_OFF = 0.10
MIN_SIMILARITY = 0.9
# Three standard deviations of a normal distribution, whose MAD is 0.6745 of one.
MAX_MADS = 4.4478
MAX_DEVIATION = 0.10
FEWEST_TO_COMPARE = 3


class Settled(Struct, frozen=True):
    """One step: True, False, or None where nothing speaks against it and too few steps for it."""

    settled: bool | None
    because: tuple[str, ...]


def _begin_inside(recording: Recording, rows: Int64s, step: ProfilerStep) -> bool:
    """Whether any of the rows begins in the step; overhead belongs to every process."""
    events = recording.trace.events
    start = events.start_ns[rows]
    own = events.category[rows] == Category.OVERHEAD
    if step.process is not None:
        own |= events.process[rows] == step.process
    else:
        own[:] = True
    return bool((own & (start >= step.start_ns) & (start < step.end_ns)).any())


def _compiles(recording: Recording, rows: Int64s, step: ProfilerStep) -> bool:
    """Whether a compile event of the step's process overlaps its window."""
    events = recording.trace.events
    start, end = events.start_ns[rows], np.maximum(events.end_ns_of(rows), events.start_ns[rows] + 1)
    overlaps = (start < step.end_ns) & (end > step.start_ns)
    if step.process is not None:
        overlaps &= events.process[rows] == step.process
    return bool(overlaps.any())


class _Disturbances:
    """The reasons that one step gives by itself."""

    def __init__(self, recording: Recording, launches: KernelLaunches) -> None:
        trace, kinds, real = recording.trace, recording.kinds, ~recording.trace.lost
        cpu = trace.is_category(Category.CPU_OP, Category.ANNOTATION, Category.PYTHON) & real
        self._recording = recording
        self._launches = launches
        self._compile = np.flatnonzero(cpu & trace.names_where(vocabulary.is_compile))
        self._loading = np.flatnonzero(kinds.loading | kinds.overhead_loading)
        self._profiler = np.flatnonzero(kinds.overhead_profiler)
        self._plain_before: set[int | None] = set()

    def of(self, index: int, step: ProfilerStep) -> list[str]:
        """The reasons of a step; to be asked in the order of the steps."""
        reasons = []
        if _compiles(self._recording, self._compile, step):
            reasons.append("recompile" if step.process in self._plain_before else "compiling")
        else:
            self._plain_before.add(step.process)
        if _begin_inside(self._recording, self._loading, step):
            reasons.append("lazy_loading")
        durations = self._recording.trace.events.duration_ns[self._profiler]
        long = self._profiler[durations > MAX_PROFILER_SHARE * step.duration_ns]
        if _begin_inside(self._recording, long, step):
            reasons.append("profiler_buffer")
        made, lost = self._launches.of_step(index)
        # Where no GPU event has a launch, nothing can be said of the launches.
        if self._recording.gpu.linked.any() and lost > MAX_SHARE_CUT_OFF * made:
            reasons.append("cut_off")
        return reasons


def _structures(recording: Recording, indices: Sequence[int]) -> npt.NDArray[np.int32]:
    """Counts of each step's GPU events by kind and name without digits; (step, structure)."""
    gpu, names = recording.gpu, recording.trace.names
    plain: dict[str, int] = {}
    used = distinct(gpu.name)
    short = np.zeros(len(names), np.int64)
    for name in used.tolist():
        short[name] = plain.setdefault(vocabulary.without_digits(names[name]), len(plain))
    key = short[gpu.name] * 256 + gpu.kind
    keys = distinct(key)
    counts = np.zeros((len(indices), max(len(keys), 1)), np.int32)
    for i, index in enumerate(indices):
        work = recording.gpu_of_step[index]
        if len(work):
            counts[i] = np.bincount(np.searchsorted(keys, key[work]), minlength=counts.shape[1])
    return counts


def _similarities(counts: npt.NDArray[np.int32], to: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Σmin / Σmax of each row with one other; two empty structures are alike."""
    smaller = np.minimum(counts, to).sum(axis=1)
    larger = np.maximum(counts, to).sum(axis=1)
    return np.where(larger > 0, smaller / np.maximum(larger, 1), 1.0)


def _odd(counts: npt.NDArray[np.int32], durations_ns: Int64s, undisturbed: Sequence[int]) -> list[bool]:
    """Whether each step differs from the undisturbed ones in structure or duration."""
    # Most steps share a structure: each different one is compared once.
    kinds, kind, times = np.unique(counts[undisturbed], axis=0, return_inverse=True, return_counts=True)
    total = np.array([round(float((times * _similarities(kinds, k)).sum()), 9) for k in kinds])
    best = np.flatnonzero(total[kind] == total.max())[-1]
    similar = _similarities(counts, counts[undisturbed[best]])
    median = median_of(durations_ns[undisturbed])
    mad = median_of(np.abs(durations_ns[undisturbed] - median))
    far = np.abs(durations_ns - median) > max(MAX_MADS * mad, MAX_DEVIATION * median)
    return [bool(odd) for odd in (similar < MIN_SIMILARITY) | far]


def _judge_process(
    recording: Recording, indices: Sequence[int], reasons: dict[int, list[str]]
) -> dict[int, Settled]:
    """Judges the steps of one process in their order."""
    if len(indices) < FEWEST_TO_COMPARE:
        return {i: Settled(False if reasons[i] else None, tuple(reasons[i])) for i in indices}
    undisturbed = [k for k, i in enumerate(indices) if not reasons[i]] or list(range(len(indices)))
    durations = np.array([recording.steps[i].duration_ns for i in indices], np.int64)
    odd = _odd(_structures(recording, indices), durations, undisturbed)
    judged, any_settled = {}, False
    for k, i in enumerate(indices):
        because = list(reasons[i])
        if odd[k] and not any_settled:
            because.append("cold_start")
        elif odd[k] and not because:
            because.append("outlier")
        judged[i] = Settled(not because, tuple(because))
        any_settled |= not because
    return judged


def find_settled(recording: Recording, launches: KernelLaunches) -> Sequence[Settled]:
    """The judgement of each step, in order."""
    disturbances = _Disturbances(recording, launches)
    reasons = {i: disturbances.of(i, step) for i, step in enumerate(recording.steps)}
    judged: dict[int, Settled] = {}
    for process in {s.process for s in recording.steps}:
        indices = [i for i, s in enumerate(recording.steps) if s.process == process]
        judged |= _judge_process(recording, indices, reasons)
    return [judged[i] for i in range(len(recording.steps))]


def averaged_steps(settled: Sequence[Settled]) -> Sequence[int]:
    """The steps that averages use: the settled ones, else the unjudged ones, else all."""
    for wanted in (True, None, False):
        chosen = [i for i, s in enumerate(settled) if s.settled is wanted]
        if chosen:
            return chosen
    return []
