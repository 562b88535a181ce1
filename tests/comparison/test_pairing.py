"""Which steps are compared, left out, and laid side by side."""

from __future__ import annotations

from tb_plugin_explain.comparison.pairing import MAX_PAIRS, compared_steps, step_pairs
from tb_plugin_explain.comparison_schema import LeftOutStep
from tb_plugin_explain.trace.model import Category
from tests.comparison.sides import pair_of
from tests.trace_drawing import Row, draw, trace_of

NAMES = dict.fromkeys("abcd", "kernel")
EAGER = """
    step:[1          ][2          ][3          ]
    cpu :[a]          [b]          [c]
    s7  :  [a ]         [b ]         [c ]
"""
COMPILED = """
    step:[1          ][2          ][3          ][4          ]
    cpu :[compile][a] [b]          [c]          [d]
    s7  :           [a ][b ]         [c ]         [d ]
"""


def test_compiling_steps_are_left_out_with_the_reason() -> None:
    steps = compared_steps(pair_of(draw(EAGER, names=NAMES), draw(COMPILED, names=NAMES)))
    assert (steps.baseline, steps.candidate) == ([1, 2, 3], [2, 3, 4])
    assert steps.left_out == [LeftOutStep("candidate", 1, ("compiling",))]
    assert steps.settled


def test_steps_are_paired_in_order_and_the_rest_stands_alone() -> None:
    pairs = step_pairs(pair_of(draw(EAGER, names=NAMES), draw(COMPILED, names=NAMES)))
    assert [(p.baseline, p.candidate) for p in pairs] == [(1, 1), (2, 2), (3, 3), (None, 4)]
    alone = {delta.metric: delta for delta in pairs[-1].deltas}
    assert alone["kernels"].baseline is None
    assert alone["kernels"].candidate == 1
    assert alone["kernels"].difference is None


def test_a_recording_without_steps_is_one_piece() -> None:
    whole = draw("""
        cpu :[a]
        s7  :  [a ]
    """)
    steps = compared_steps(pair_of(whole, whole))
    assert (steps.baseline, steps.typical.baseline, steps.settled) == ([None], None, False)


def test_the_typical_step_is_that_of_the_median_gpu_time() -> None:
    uneven = draw(
        """
        step:[1          ][2          ][3          ]
        cpu :[a]          [b]          [c]
        s7  :  [a ]         [b     ]     [c  ]
    """,
        names=NAMES,
    )
    assert compared_steps(pair_of(uneven, uneven)).typical.candidate == 3


def test_the_list_of_pairs_is_bounded() -> None:
    rows = [Row(Category.ANNOTATION, f"ProfilerStep#{i}", 10 * i, 10) for i in range(MAX_PAIRS + 20)]
    many = trace_of(rows)
    assert len(step_pairs(pair_of(many, many))) == MAX_PAIRS
