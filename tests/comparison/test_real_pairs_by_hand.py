"""Real pairs against figures that were counted in the files themselves, by code that is none of ours.

Counted were, in the ``traceEvents`` alone: kernels, copies and memsets whose launch begins in the typical
step, joined by correlation, with the operators around that call; durations in ns; calls that wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tb_plugin_explain.comparison.build import compare
from tb_plugin_explain.comparison_schema import Comparison, GroupSide
from tests.comparison.real_pairs import PAIRS, real_pair

Step = int | None
# Events, and their time in ns.
Work = tuple[int, int]


@dataclass(frozen=True)
class ByHand:
    """compared, typical: steps of both sides. work: of the typical steps. groups: some of them, by title.

    figures: some of the deltas. changes, rules: all that are told.
    """

    compared: tuple[Sequence[Step], Sequence[Step]]
    typical: tuple[Step, Step]
    work: tuple[Work, Work]
    groups: Mapping[str, tuple[Work, Work]]
    left_out: Sequence[tuple[str, Step]] = ()
    figures: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    changes: Sequence[str] = ()
    rules: Sequence[str] = ()


OTHER_DEVICE = ("device", "versions")
KERNELS = "other kernels do this work"
COUNTED = {
    "hta": ByHand(
        compared=([1009, 1010], [1009]),
        typical=(1010, 1009),
        work=((1, 4_000), (1, 4_000)),
        groups={"at::native::vectorized_elementwise_kernel stayed": ((1, 4_000), (1, 4_000))},
        # Its launch is there, its kernel is not.
        left_out=[("candidate", 1010)],
        # 1,686 of 1,694 µs and of 1,690 µs have no launch.
        rules=["work-in-no-step"],
        figures={"step_us": (111_223.5, 100_298.0), "period_us": (100_343.0, 100_343.0), "launches": (1, 1)},
    ),
    "kineto": ByHand(
        compared=([None], [None]),
        typical=(None, None),
        work=((1, 20), (1, 20)),
        groups={"op1: the same kernel, Kernel": ((1, 20), (1, 20))},
        figures={"first_us": (0.02, 0.02), "pace_us": (None, None)},
    ),
    "megatron": ByHand(
        compared=([3], [3]),
        typical=(3, 3),
        work=((777, 372_727_000), (777, 613_407_000)),
        groups={
            "record_param_comms: the same kernel, ncclDevKernel_AllReduce_Sum_f16_RING_LL": (
                (81, 227_411_000),
                (81, 460_571_000),
            ),
            "baddbmm: the same kernel, ampere_fp16_s1688gemm_fp16_256x64_ldg8_f2f_tn": (
                (40, 11_760_000),
                (40, 11_807_000),
            ),
            "triton_poi_fused_add stayed": ((80, 9_072_000), (80, 9_079_000)),
            "mm: the same Memset (Device)": ((81, 126_000), (81, 158_000)),
        },
        figures={"step_us": (603_240.0, 588_992.0), "sync_us": (31.0, 41.0), "kernels": (690, 690)},
        # Both ranks end each of 84 collectives within 26 µs of each other. Rank 1 begins them earlier, by
        # 242 ms in all, which is the whole difference: it waits.
        changes=["rank"],
        rules=["other-bound"],
    ),
    "Qwen_Qwen1.5-0.5B-Chat__1016005": ByHand(
        compared=([6], [6]),
        typical=(6, 6),
        work=((1_198, 31_905_473), (1_054, 29_743_938)),
        groups={
            f"mm: {KERNELS}": ((192, 6_668_679), (96, 8_663_617)),
            f"mul: {KERNELS}": ((218, 6_749_765), (218, 4_533_873)),
            f"addmm: {KERNELS}": ((144, 2_329_075), (72, 2_954_763)),
            # On one device the operator fills memory before it begins.
            f"_flash_attention_forward: {KERNELS}": ((24, 2_722_705), (48, 3_908_798 + 107_545)),
            f"silu: {KERNELS}": ((24, 925_115), (24, 777_643)),
            "_local_scalar_dense: other copies do this work": ((1, 2_368), (1, 760)),
        },
        figures={
            "sync_us": (14_110.22, 13_053.203),
            "implicit_sync_us": (0.0, 34.233),
            "peak_memory_bytes": (2_088_508_416, 2_219_047_936),
        },
        changes=OTHER_DEVICE,
    ),
    "gaunernst_bert-small-uncased__1016001": ByHand(
        compared=([6], [6]),
        typical=(6, 6),
        work=((61, 309_437), (61, 390_748)),
        groups={
            f"addmm: {KERNELS}": ((26, 197_598), (26, 174_130)),
            f"_flash_attention_forward: {KERNELS}": ((4, 37_408), (4, 113_656)),
            f"gelu: {KERNELS}": ((5, 9_599), (5, 21_724)),
            f"add: {KERNELS}": ((10, 16_448), (10, 21_880)),
            "native_layer_norm: the same kernel, at::native::vectorized_layer_norm_kernel": (
                (10, 30_912),
                (10, 39_519),
            ),
        },
        figures={
            "cpu_busy_us": (4_426.114 - 5.97 - 7.64, 4_007.334 - 30.938 - 24.935),
            "implicit_sync_us": (0.0, 24.935),
            "first_us": (13.309, 29.447),
        },
        changes=OTHER_DEVICE,
    ),
    "google_owlv2-large-patch14-ensemble__1016001": ByHand(
        compared=([6], [6]),
        typical=(6, 6),
        work=((5_165, 566_759_477), (4_340, 331_819_224)),
        groups={
            f"_softmax: {KERNELS}": ((120, 262_422_467), (120, 153_698_475)),
            f"bmm: {KERNELS}": ((365, 229_703_850), (365, 96_303_968)),
            f"addmm: {KERNELS}": ((1_940, 28_590_295), (1_140, 42_709_678)),
            f"mul: {KERNELS}": ((555, 10_195_424), (555, 9_336_948)),
            f"_convolution: {KERNELS}": ((30, 1_350_803), (10, 517_899)),
        },
        # What cudaStreamSynchronize says by its name, hipMemcpyWithStream does unsaid.
        figures={
            "sync_us": (358_802.156, 9.354),
            "implicit_sync_us": (17_624.858, 180_802.062),
            "copy_bytes": (177_315_930, 177_315_930),
        },
        changes=OTHER_DEVICE,
    ),
    "luatil": ByHand(
        compared=([2, 3, 4, 5, 6], [3, 4, 5, 6]),
        typical=(5, 4),
        work=((248, 22_581_153), (252, 22_709_806)),
        groups={"mm and addmm: the same kernel, ampere_sgemm_128x64_tn": ((13, 4_375_236), (13, 4_394_339))},
        left_out=[("candidate", 2)],
        figures={"launches": (248, 17), "kernels": (202, 206)},
        changes=["graphs"],
        rules=["graph-replay"],
    ),
    "samfast": ByHand(
        compared=([None], [None]),
        typical=(None, None),
        work=((26_796, 1_213_451_000), (25_259, 544_304_000)),
        groups={},
        figures={"kernels": (19_748, 18_342), "copies": (7_048, 6_917)},
        changes=["precision", "compile", "graphs"],
    ),
}


def work_of(sides: Sequence[GroupSide]) -> Work:
    return sum(side.events for side in sides), round(1000 * sum(side.time_us for side in sides))


def works_of(comparison: Comparison) -> Mapping[str, tuple[Work, Work]]:
    """By title; titles may be shared by several groups."""
    titles = {group.title for group in comparison.groups}
    same = {title: [g for g in comparison.groups if g.title == title] for title in titles}
    return {
        title: (work_of([g.baseline for g in groups]), work_of([g.candidate for g in groups]))
        for title, groups in same.items()
    }


def test_every_real_pair_was_counted() -> None:
    assert set(COUNTED) == set(PAIRS)


@pytest.mark.parametrize("name", COUNTED)
def test_a_real_pair_is_told_what_was_counted(shared_traces: Path, name: str) -> None:
    comparison, by_hand = compare(*real_pair(shared_traces, name).sides), COUNTED[name]
    steps = comparison.steps
    assert (steps.baseline, steps.candidate) == by_hand.compared
    assert (steps.typical.baseline, steps.typical.candidate) == by_hand.typical
    assert [(left.side, left.step) for left in steps.left_out] == list(by_hand.left_out)
    groups = comparison.groups
    assert (work_of([g.baseline for g in groups]), work_of([g.candidate for g in groups])) == by_hand.work
    works = works_of(comparison)
    assert {title: works.get(title) for title in by_hand.groups} == by_hand.groups
    told = {delta.metric: (delta.baseline, delta.candidate) for delta in comparison.deltas}
    for metric, counted in by_hand.figures.items():
        assert told[metric] == pytest.approx(counted, abs=5e-4), metric
    assert [change.what for change in comparison.headline.changes] == list(by_hand.changes)
    assert [finding.rule for finding in comparison.findings] == list(by_hand.rules)
    assert comparison.group_summary.unattributed_share == 0.0
