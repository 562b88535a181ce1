"""Communication that nothing hides."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import need_gpu, the_unit
from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Below a twentieth of a step, better overlap would not be noticed.
MIN_SHARE = 0.05


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    bound, rows = run.bound, run.communication_rows
    if bound is None or not rows:
        return
    exposed = bound.figures.communication_exposed_ns
    if exposed < MIN_SHARE * bound.base_ns:
        return
    main = max(rows, key=lambda r: r.exposed_ns)
    name = main.collective or "communication of an unknown kind"
    union_ns = sum(r.union_ns for r in rows)
    hidden = 1 - sum(r.exposed_ns for r in rows) / union_ns if union_ns else 0.0
    yield Finding(
        verdict="undecided",
        title=f"{wording.time_ns(exposed)} of communication that nothing hides",
        text=(
            f"For {wording.percent(exposed / bound.base_ns)} of {the_unit(run)} the GPU only exchanged "
            "data with other ranks, "
            f"mostly {name}; {wording.percent(hidden)} of the communication ran beside other work. How "
            "much of it is "
            "transfer, and how much is waiting for a rank that came late, one rank’s file cannot tell."
        ),
        advice=(
            "Compare the files of all ranks. Put them into one run directory and explain it: a late rank "
            "needs another cure than slow transfer. Against transfer: larger buckets, more overlap with the "
            "backward pass, gradients in 16 bits, fewer ranks a group."
        ),
        at_stake_us=None,
        looks_like_us=to_us(exposed),
        evidence=[
            Table(
                ["collective", "library", "count in all", "time_us", "exposed_us", "overlapped_us"],
                [
                    [
                        r.collective,
                        r.library,
                        r.count,
                        to_us(r.time_ns),
                        to_us(r.exposed_ns),
                        to_us(r.union_ns - r.exposed_ns),
                    ]
                    for r in rows
                ],
            ),
            Quantity(f"exposed in {the_unit(run)}", to_us(exposed), "us"),
        ],
    )


RULE = Rule(
    id="exposed-communication",
    title="Communication that nothing hides",
    why=(
        "Communication beside computation costs little; communication alone is time in which the GPU "
        "computes nothing."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
    check=_check,
)
