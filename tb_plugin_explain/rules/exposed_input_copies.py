"""Copies from host to device during which the GPU does nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median_low

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.input_pipeline import HostCopies
from tb_plugin_explain.evidence import averaged, gpu_sets_pace, need_gpu, step_table, the_unit, worked_ns
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Less than this share of a step is within the spread of most runs.
MIN_SHARE = 0.02


def _alone_ns(step: StepAnalyses, device: int, copies: HostCopies) -> int:
    """Work of the step that does not overlap its copies: what they could hide behind."""
    busy = next((g.activity.busy_ns for g in step.gpu if g.device == device), 0)
    return max(busy - copies.time_ns, 0)


def _memory(copies: Sequence[HostCopies]) -> str:
    pageable, pinned = sum(c.pageable for c in copies), sum(c.pinned for c in copies)
    if pageable and not pinned:
        return (
            "They come from ordinary (pageable) memory, so that the CPU goes along with each copy and "
            "can launch "
            "nothing meanwhile."
        )
    if pinned and not pageable:
        return "They come from pinned memory, but no other work was queued beside them."
    return "Nothing else was queued on another stream meanwhile."


def exposed_ns(run: RunAnalyses) -> float:
    """Time of a typical step that this rule is about; 0 where it has nothing to tell.

    At most what the device works in a step: the copies of unlike steps may sum to more.
    """
    steps = averaged(run)
    known = [s.host_copies for s in steps if s.host_copies is not None]
    if not known or run.speed_ns is None or run.bound is None or steps[0].step.number is None:
        return 0
    exposed = min(median_low([c.exposed_ns for c in known]), worked_ns(run.bound))
    # Where the GPU is idle anyway, copies without waiting may as well run then.
    pageable = all(c.pageable == c.count for c in known)
    return exposed if exposed >= MIN_SHARE * run.speed_ns and (pageable or gpu_sets_pace(run)) else 0


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    steps = averaged(run)
    if steps[0].step.number is None:
        raise NotMeasured("the recording has no steps, so nobody can say what is copied for each batch")
    exposed = exposed_ns(run)
    if run.speed_ns is None or not exposed:
        return
    known = [(s, s.host_copies) for s in steps if s.host_copies is not None]
    hideable = min(median_low([min(c.exposed_ns, _alone_ns(s, device, c)) for s, c in known]), exposed)
    overlap = hideable >= MIN_SHARE * run.speed_ns
    stake = hideable if overlap else exposed
    size = [c.size_bytes for _, c in known if c.size_bytes is not None]
    much = f" {wording.size(median_low(size))}" if size else ""
    rest = (
        f"Behind the other work of the step at most {wording.time_ns(stake)} of it can be hidden."
        if overlap
        else "There is too little other work to hide them behind; only copying less makes the step shorter."
    )
    yield Finding(
        verdict="fix",
        title=f"The GPU only copies from the host for {wording.time_ns(exposed)} of {the_unit(run)}",
        text=(
            f"A step copies{much} from host to device, and for {wording.percent(exposed / run.speed_ns)} of "
            f"{the_unit(run)} the GPU does nothing else. {_memory([c for _, c in known])} {rest}"
        ),
        advice=(
            "Copy the next batch while this one is computed. Pinned memory (pin_memory=True), "
            ".to(device, non_blocking=True) and a stream of its own let the copy run beside the kernels."
            if overlap
            else "Make the batch smaller to copy. Send integers or half precision and convert on the "
            "GPU; pinned "
            "memory (pin_memory=True) is copied faster."
        ),
        at_stake_us=to_us(stake),
        evidence=[
            step_table(
                [s for s, _ in known],
                ["copies", "copy_us", "exposed_us"],
                lambda s: (
                    [] if (c := s.host_copies) is None else [c.count, to_us(c.time_ns), to_us(c.exposed_ns)]
                ),
            ),
            Quantity("copied in a step", median_low(size) if size else None, "bytes"),
        ],
    )


RULE = Rule(
    id="exposed-input-copies",
    title="Host-to-device copies that nothing hides",
    why=(
        "A batch that is copied before its step begins costs its whole copying time; beside kernels it "
        "costs none."
    ),
    link="https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
    check=_check,
)
