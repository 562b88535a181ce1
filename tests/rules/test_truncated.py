"""A file that ends too early."""

from __future__ import annotations

from tb_plugin_explain.report import explain
from tb_plugin_explain.rules import all_rules
from tests.rules.asking import ask, cut, found, outcomes
from tests.trace_drawing import draw

WHOLE = draw("""
    us  :0    5    10   15   20
    step:[1                   ]
    cpu :[a]  [sync      ] [b]
    s7  :  [a         ]      [b]
""")


def test_a_cut_file() -> None:
    finding = found("truncated", cut(WHOLE))
    assert finding.verdict == "undecided"
    assert finding.title == "The file ends too early"
    assert "6 whole events were read and are shown" in finding.text
    assert finding.at_stake_us is None
    assert finding.advice.startswith("Wait, if it is still being written: ")


def test_one_event_is_counted_in_the_singular() -> None:
    text = found(
        "truncated",
        cut(
            draw("""
        us  :0    5
        step:[1    ]
    """)
        ),
    ).text
    assert "1 whole event was read and is shown" in text


def test_quiet_in_a_whole_file() -> None:
    assert ask("truncated", WHOLE) == []


def test_of_a_cut_file_only_what_concerns_trust_is_said() -> None:
    about_trust = {rule.id for rule in all_rules() if rule.about_trust}
    went = outcomes(cut(WHOLE))
    assert {rule for rule, outcome in went.items() if outcome == "not_measured"} == went.keys() - about_trust
    assert went["truncated"] == "found"
    report = explain(cut(WHOLE))
    assert report.headline.verdict == "not_measured"
    assert report.headline.false_alarms == []
    assert [finding.rule for finding in report.findings] == ["truncated"]
