"""Who holds the memory at its peak."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.memory_events import CPU, LiveMemory
from tb_plugin_explain.analyses.memory_use import MemoryUse, StepMemory
from tb_plugin_explain.evidence import need_memory, numbers, on_device
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Nobody looks for less.
MIN_PEAK_BYTES = 1048576
# More operators than this make no table.
MAX_OPERATORS = 8

_BEFORE = "before the recording"


def _holders(run: RunAnalyses, live: LiveMemory) -> list[tuple[str, int | None, int]]:
    """What, how many blocks, bytes: the largest first."""
    rows: list[tuple[str, int | None, int]] = [
        (run.operator_name(row.operator), row.blocks, row.size_bytes) for row in live.by_operator
    ]
    rows.append((_BEFORE, None, live.before_recording_bytes))
    return sorted((row for row in rows if row[2] > 0), key=lambda row: -row[2])


def _before(use: MemoryUse, live: LiveMemory, peak: int) -> str:
    if use.allocator.device_type == CPU:
        return (
            "PyTorch counts CPU memory only from the start of the recording; what was there before "
            "comes on top."
        )
    if live.before_recording_bytes <= 0:
        return "Nothing of it is older than the recording."
    older = wording.percent(live.before_recording_bytes / peak)
    return (
        f"{older} of it was allocated before the recording: weights, optimizer state, caches, what "
        "earlier steps kept."
    )


def _largest(run: RunAnalyses, live: LiveMemory, peak: int) -> str:
    if not live.by_operator:
        return "No block that these steps allocated was alive."
    row = live.by_operator[0]
    share = wording.percent(row.size_bytes / peak)
    blocks = wording.count(row.blocks, "block")
    return (
        f"Of what was allocated in the recording, {run.operator_name(row.operator)} held most: "
        f"{share} of the peak in {blocks}."
    )


def _title(holder: str, share: str, peak: str) -> str:
    if holder == _BEFORE:
        return f"{share} of the memory peak of {peak} is older than the recording"
    return f"{holder} holds {share} of the memory peak of {peak}"


def _finding(run: RunAnalyses, use: MemoryUse, step: StepMemory, state: int) -> Finding:
    totals = use.allocator.allocated_bytes
    assert totals is not None
    peak, live = int(totals[state]), use.allocator.live(state)
    rows = _holders(run, live)
    return Finding(
        verdict="expected",
        title=_title(rows[0][0], wording.percent(rows[0][2] / peak), wording.size(peak)),
        text=(
            f"Tensors took the most memory{on_device(use)}, {wording.size(peak)}, in "
            f"{wording.steps(numbers([run.steps[step.index]]))}. {_largest(run, live, peak)} "
            f"{_before(use, live, peak)}"
        ),
        advice=(
            "Read who holds the peak before you cut memory. Activations go with the batch size and with "
            "checkpointing; weights and the optimizer’s state do not."
        ),
        evidence=[
            Table(["allocated by", "blocks", "at_peak_bytes"], [list(row) for row in rows[:MAX_OPERATORS]]),
            Quantity("allocated at the peak", peak, "bytes"),
        ],
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    uses = need_memory(run)
    peaks = [
        (int(use.allocator.allocated_bytes[step.peak]), use, step, step.peak)
        for use in uses
        if (step := use.highest) is not None
        and step.peak is not None
        and use.allocator.allocated_bytes is not None
    ]
    if not peaks:
        raise NotMeasured("no memory event of an averaged step tells the allocator’s total")
    on_gpu = [p for p in peaks if p[1].allocator.device_type != CPU]
    peak, use, step, state = max(on_gpu or peaks, key=lambda p: p[0])
    if peak >= MIN_PEAK_BYTES:
        yield _finding(run, use, step, state)


RULE = Rule(
    id="memory-peak-by-operator",
    title="Who holds the memory at its peak",
    why="Only what is alive at the peak decides whether a larger batch fits.",
    link="https://docs.pytorch.org/docs/stable/torch_cuda_memory.html",
    check=_check,
)
