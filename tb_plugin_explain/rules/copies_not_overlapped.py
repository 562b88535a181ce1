"""Copies between host and GPU that no kernel hides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.copy_table import CopyFigures
from tb_plugin_explain.evidence import gpu_sets_pace, need_fit, need_gpu, the_unit
from tb_plugin_explain.findings import Finding, Quantity, Table, Verdict
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.exposed_input_copies import exposed_ns
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A twentieth of each step is easily hidden by copying for the next step while this one computes.
MIN_SHARE = 0.05

_ADVICE: Mapping[Sequence[str], str] = {
    ("DtoH",): (
        "Keep results on the GPU as long as you can. What has to cross goes beside the next kernels: into "
        "pinned memory, with non_blocking=True, on a side stream."
    ),
    ("HtoD", "DtoH"): (
        "Copy the next batch while this one computes. Use pin_memory=True in the DataLoader, "
        ".to(device, non_blocking=True), and a side stream; keep results on the GPU as long as you can."
    ),
}
_WAY: Mapping[Sequence[str], str] = {
    ("DtoH",): "to the host",
    ("HtoD", "DtoH"): "from and to the host",
}


def at_stake_ns(run: RunAnalyses, part: CopyFigures) -> float:
    """What a step could win at most if some of its copies ran beside its kernels.

    The mean over the averaged steps, and never more than their share of the median.
    """
    assert run.bound is not None
    exposed = run.copy_table.copies.exposed_ns
    share = part.alone_ns / exposed if exposed else 0.0
    mean = part.alone_ns / max(len(run.averaged), 1)
    return min(mean, share * run.bound.figures.copy_exposed_ns)


def copy_rows(run: RunAnalyses, *directions: str) -> Table:
    """The copies of some directions by name."""
    rows = [r for r in run.copy_table.rows if r.kind == "copy" and r.said.direction in directions]
    return Table(
        ["copies", "count in all", "time_us", "alone_us", "size_bytes"],
        [
            [r.name, r.figures.count, to_us(r.figures.time_ns), to_us(r.figures.alone_ns), r.figures.bytes]
            for r in rows
        ],
    )


class _Copying(Struct, frozen=True):
    """Copies from and to the host in a typical step; in ns. alone: while nothing else ran on the GPU.

    hideable: at most this much other work of the GPU is there to hide them. paces: the GPU sets the pace.
    """

    alone: float
    hideable: float
    paces: bool

    @property
    def verdict(self) -> Verdict:
        return "fix" if self.paces and self.hideable > 0 else "undecided"

    @property
    def effect(self) -> str:
        if self.hideable <= 0:
            return "There is no other work on the GPU that could run meanwhile."
        if not self.paces:
            return "The GPU also waits for other reasons, so what hiding the copies would give back is open."
        return f"At most {wording.time_ns(self.hideable)} can be won by copying while the GPU computes."


def _memory(run: RunAnalyses, directions: Sequence[str]) -> str:
    rows = [r for r in run.copy_table.rows if r.said.direction in directions]
    pageable = sum(r.figures.count for r in rows if r.said.pinned is False)
    share = pageable / max(sum(r.figures.count for r in rows), 1)
    if not pageable:
        return ""
    return f"{wording.percent(share)} of these copies use pageable memory, in which the CPU waits as well. "


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None:
        return
    # Where the rule about input promises the copies from the host, nobody else does.
    directions = ("DtoH",) if exposed_ns(run) else ("HtoD", "DtoH")
    alone = at_stake_ns(run, run.copy_table.towards(*directions))
    if alone < MIN_SHARE * bound.base_ns:
        return
    computing = bound.figures.busy_ns - bound.figures.copy_exposed_ns
    copying = _Copying(alone, min(alone, computing), gpu_sets_pace(run))
    fix = copying.verdict == "fix"
    yield Finding(
        verdict=copying.verdict,
        title=f"Copies {_WAY[directions]} take {wording.time_ns(alone)} in which the GPU computes nothing",
        text=(
            f"In {the_unit(run)}, {wording.percent(alone / bound.base_ns)} of the time goes to copies while "
            f"no kernel runs. {_memory(run, directions)}{copying.effect}"
        ),
        advice=_ADVICE[directions],
        at_stake_us=to_us(copying.hideable) if fix else None,
        looks_like_us=None if fix else to_us(alone),
        evidence=[
            copy_rows(run, *directions),
            Quantity(f"copying alone in {the_unit(run)}", to_us(alone), "us"),
        ],
    )


RULE = Rule(
    id="copies-not-overlapped",
    title="Copies that no kernel hides",
    why=(
        "The GPU has engines of its own for copies; a copy that nothing runs beside is time in which it "
        "computes nothing."
    ),
    link="https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
    check=_check,
)
