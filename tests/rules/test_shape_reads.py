"""Shapes that depend on values."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.rules.test_scalar_reads import COSTLY
from tests.trace_drawing import draw

NAMES = {"item": "aten::index", "read": "aten::nonzero"}


def test_the_bubble_of_shapes_is_at_stake() -> None:
    finding = found("shape-reads", draw(COSTLY, names=NAMES))
    assert (finding.verdict, finding.at_stake_us) == ("fix", 10)
    assert "How large the result of aten::index is" in finding.text
    assert "waits for that 1 time in this step" in finding.text
    assert table(finding) == [["aten::index", None, 1.0, 10, 7, 10]]
    assert figures(finding)["shapes read back in this step"] == 1


def test_a_number_read_inside_such_an_operator_is_a_shape() -> None:
    trace = draw(COSTLY, names={"item": "aten::repeat_interleave", "read": "aten::_local_scalar_dense"})
    assert found("shape-reads", trace).at_stake_us == 10
    assert ask("scalar-reads", trace) == []


def test_it_is_not_promised_again() -> None:
    assert ask("waits-in-steps", draw(COSTLY, names=NAMES)) == []


def test_other_waits_are_not_its_business() -> None:
    assert ask("shape-reads", draw(COSTLY, names=NAMES | {"read": "aten::copy_"})) == []


def test_without_gpu_events_nobody_can_say() -> None:
    lost = COSTLY.rpartition("    s7  :")[0]
    assert_not_measured("shape-reads", draw(lost, names=NAMES), "what the waits cost")
    assert_not_measured("shape-reads", draw("step:[1  ]\ncpu :[wait]"), "no operators")
