"""Memory that the allocator holds and tensors do not use, even at the peak."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.memory_use import MemoryUse
from tb_plugin_explain.evidence import need_memory, on_device
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Blocks are rounded up and pools kept apart: a quarter more than needed is what the allocator is built for.
MIN_SHARE = 0.25
# Less would let no model fit that does not fit now.
MIN_UNUSED_BYTES = 1073741824


def _reserved_bytes(use: MemoryUse) -> float:
    reserved = use.allocator.reserved_bytes
    assert reserved is not None
    return float(median(int(reserved[s.peak]) for s in use.averaged))


def _finding(use: MemoryUse, unused: float, reserved: float) -> Finding:
    despite_room = use.reserved_despite_room or 0
    held = (
        f"Even at their peak, tensors{on_device(use)} leave {wording.size(unused)} of "
        f"{wording.size(reserved)} unused that PyTorch holds. "
    )
    if despite_room:
        text = held + (
            f"It took more from the driver for {wording.count(despite_room, 'allocation')} although as "
            "much as "
            "was asked for was free: the free memory lies in pieces, or belongs to another pool or stream."
        )
        advice = (
            "Let segments grow. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True joins the pieces; "
            "shapes that "
            "do not change from step to step avoid them."
        )
    else:
        grew = use.reserved_growth_bytes or 0
        text = held + (
            f"These steps took {wording.size(grew)} more from the driver, none of it with room left."
            if grew
            else "These steps took none of it from the driver: it is left from a larger peak before, and "
            "is reused."
        )
        advice = (
            "Leave it alone unless memory runs out. If it does, torch.cuda.empty_cache() after the large "
            "peak "
            "gives it back."
        )
    return Finding(
        verdict="undecided" if despite_room else "expected",
        title=f"{wording.size(unused)} of GPU memory are held and not used",
        text=text,
        advice=advice,
        at_stake_us=None if despite_room else 0.0,
        evidence=[
            Quantity("reserved at the peak", reserved, "bytes"),
            Quantity("unused of it", unused, "bytes"),
            Quantity("allocations that took more despite room", despite_room, "count"),
        ],
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    known = [(use, use.unused_bytes) for use in need_memory(run) if use.unused_bytes is not None]
    if not known:
        raise NotMeasured("no reserved memory was recorded")
    for use, unused in known:
        reserved = _reserved_bytes(use)
        if unused >= MIN_UNUSED_BYTES and unused >= MIN_SHARE * reserved:
            yield _finding(use, unused, reserved)


RULE = Rule(
    id="fragmentation",
    title="Memory that is held and not used",
    why="Out of memory while gigabytes are free: the free memory lies in pieces that are each too small.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management",
    check=_check,
)
