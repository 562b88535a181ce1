"""Numbers read back: what they cost is told once, by this rule and not by those about all waits."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.trace_drawing import draw

COSTLY = """
    us  :0    5    10   15   20   25   30
    step:[1                              ]
    cpu :[a] [item         ] [b]
    cpu :     [read       ]
    cpu :       [wait    ]
    s7  :  [a         ]          [b      ]
"""
NAMES = {"item": "aten::item", "read": "aten::_local_scalar_dense"}


def test_the_bubble_of_reads_is_at_stake() -> None:
    trace = draw(COSTLY, names=NAMES)
    finding = found("scalar-reads", trace)
    # The GPU was done at 14, the next kernel started at 29, and the wait took 10.
    assert (finding.verdict, finding.at_stake_us) == ("fix", 10)
    assert finding.title == "Reading single numbers back lets the GPU run dry for 10.0 µs"
    assert "reads 1 number back" in finding.text
    assert finding.text.endswith("is asked for by aten::item.")
    assert table(finding) == [["aten::item", None, 1.0, 10, 7, 10]]
    assert figures(finding) == {"numbers read back in this step": 1, "refill bubble in this step": 10}


def test_it_is_not_promised_again() -> None:
    assert ask("waits-in-steps", draw(COSTLY, names=NAMES)) == []


def test_a_wait_of_another_kind_is_not_its_business() -> None:
    trace = draw(COSTLY, names=NAMES | {"read": "aten::copy_"})
    assert ask("scalar-reads", trace) == []
    assert found("waits-in-steps", trace).at_stake_us == 10
    assert "aten::item" in found("waits-in-steps", trace).text


def test_a_read_that_costs_nothing_is_left_to_the_rule_about_waits() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a] [item                   ]
        cpu :     [read                 ]
        cpu :       [wait              ]
        s7  :  [a                    ]
    """,
        names=NAMES,
    )
    assert ask("scalar-reads", trace) == []
    assert found("waits-in-steps", trace).verdict == "expected"


def test_without_operators_or_gpu_events_nobody_can_say() -> None:
    assert_not_measured("scalar-reads", draw("step:[1  ]\ncpu :[wait]"), "no operators")
    lost = COSTLY.rpartition("    s7  :")[0]
    assert_not_measured("scalar-reads", draw(lost, names=NAMES), "what the waits cost")
