"""Attention as products and a softmax of its own."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw

PICTURE = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1                       ]
    cpu :[p   ][s    ][p   ]
    cpu : [a]   [b]     [c]
    s7  :   [a                ][b         ][c                  ]
"""
DRAWN = PICTURE.replace("[p   ]", "[bmm ]").replace("[s    ]", "[soft ]")
WORDS = {"bmm": "aten::bmm", "soft": "aten::_softmax"}


def test_the_softmax_is_at_stake_where_the_gpu_bounds_the_run() -> None:
    finding = found("unfused-attention", draw(DRAWN, names=WORDS))
    assert (finding.verdict, finding.at_stake_us) == ("fix", 12)
    assert "1 softmax between batched matrix products" in finding.text
    assert table(finding) == [["aten::_softmax", 1, 12], ["aten::bmm", 2, 40]]


def test_elsewhere_it_promises_nothing() -> None:
    late = DRAWN.replace(
        "    s7  :   [a                ][b         ][c                  ]",
        "    s7  :     [a]       [b ]         [c]",
    )
    finding = found("unfused-attention", draw(late, names=WORDS))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 4)
    assert "only where the GPU is what the step waits for" in finding.text


def test_a_softmax_without_products_is_no_attention() -> None:
    assert ask("unfused-attention", draw(DRAWN, names=WORDS | {"bmm": "aten::mm"})) == []


def test_without_gpu_events_or_operators_nobody_can_say() -> None:
    assert_not_measured("unfused-attention", draw("step:[1  ]\ncpu : [op]"), "no GPU event")
    assert_not_measured("unfused-attention", draw("step:[1     ]\ncpu : [a]\ns7  :   [a]"), "no operators")
