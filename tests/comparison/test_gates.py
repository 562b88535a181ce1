"""Gates: their grammar, and what fails, passes and cannot be measured."""

from __future__ import annotations

import pytest

from tb_plugin_explain.comparison.gates import check_gate, check_gates, parse_gate
from tb_plugin_explain.comparison_schema import Delta
from tb_plugin_explain.errors import UsageError
from tests.comparison.comparison_drawing import METRICS, comparison, delta, headline


@pytest.mark.parametrize(
    ("text", "limit", "relative"),
    [
        ("pace_us>+5%", 0.05, True),
        ("pace_us<-5%", -0.05, True),
        (" pace_us > +200us ", 200.0, False),
        ("pace_us>+200", 200.0, False),
        ("pace_us>+200µs", 200.0, False),
        ("pace_us>+1.5ms", 1500.0, False),
        ("pace_us>+2 s", 2_000_000.0, False),
        ("launches<-3", -3.0, False),
        ("launches>+0", 0.0, False),
        ("peak_memory_bytes>+1MiB", 2.0**20, False),
        ("peak_memory_bytes>+12.5 %", 0.125, True),
    ],
)
def test_what_a_gate_may_be(text: str, limit: float, relative: bool) -> None:
    gate = parse_gate(text, METRICS)
    assert (gate.limit, gate.relative, gate.text) == (limit, relative, text.strip())
    assert gate.metric in METRICS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a limit is METRIC>+AMOUNT"),
        ("pace_us", "a limit is METRIC>+AMOUNT"),
        ("pace_us>5%", "a limit is METRIC>+AMOUNT"),
        ("pace_us>=+5%", "a limit is METRIC>+AMOUNT"),
        ("pace_us>+5%%", "no unit “%%”"),
        ("pace_us>+1e3", "no unit “e3”"),
        ("pace_us>+5%\nlaunches>+1", "a limit is METRIC>+AMOUNT"),
        ("speed>+5%", "there is no metric “speed”"),
        ("pace_us>-5%", "“>” takes a limit with “+”"),
        ("pace_us<+5%", "“<” takes a limit with “-”"),
        ("launches>+5us", "launches has no unit “us”; write %"),
        ("pace_us>+5MiB", "pace_us has no unit “MiB”; write us or µs or ms or s or %"),
    ],
)
def test_anything_else_is_refused_with_the_metrics(text: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_gate(text, METRICS)
    assert why in str(refused.value)
    assert str(refused.value).endswith("Metrics: pace_us, gpu_busy_us, launches, peak_memory_bytes.")


RISE = delta("pace_us", 100.0, 110.0, (8.0, 12.0))
FALL = delta("pace_us", 100.0, 90.0, (-12.0, -8.0))
NOISY = delta("pace_us", 100.0, 110.0, (-5.0, 25.0))
ALONE = delta("pace_us", 100.0, 110.0)


@pytest.mark.parametrize(
    ("gate", "given", "outcome", "told"),
    [
        ("pace_us>+5%", RISE, "failed", "+10.0 µs (+10.0 %)"),
        ("pace_us>+10%", RISE, "passed", "+10.0 µs (+10.0 %)"),
        ("pace_us>+9us", RISE, "failed", "+10.0 µs (+10.0 %)"),
        ("pace_us>+10us", RISE, "passed", "+10.0 µs (+10.0 %)"),
        ("pace_us<-5%", RISE, "passed", "+10.0 µs (+10.0 %)"),
        ("pace_us<-5%", FALL, "failed", "−10.0 µs (−10.0 %)"),
        ("pace_us<-10us", FALL, "passed", "−10.0 µs (−10.0 %)"),
        ("pace_us>+5%", FALL, "passed", "−10.0 µs (−10.0 %)"),
        ("pace_us>+5%", NOISY, "passed", "+10.0 µs (+10.0 %), beyond the limit but within noise"),
        ("pace_us>+50%", NOISY, "passed", "+10.0 µs (+10.0 %)"),
        (
            "pace_us>+5%",
            ALONE,
            "failed",
            "+10.0 µs (+10.0 %); too few steps to know the noise, so the difference alone decides",
        ),
        (
            "pace_us>+50%",
            ALONE,
            "passed",
            "+10.0 µs (+10.0 %); too few steps to know the noise, so the difference alone decides",
        ),
    ],
)
def test_a_gate_fails_beyond_its_limit_and_the_noise(
    gate: str, given: Delta, outcome: str, told: str
) -> None:
    result = check_gate(parse_gate(gate, METRICS), comparison(deltas=[given]))
    assert (result.gate, result.outcome, result.text) == (gate, outcome, told)


def test_of_a_baseline_of_nothing_any_rise_is_beyond_any_percentage() -> None:
    gate = parse_gate("launches>+500%", METRICS)
    some = delta("launches", 0.0, 2.0, (2.0, 2.0))
    none = delta("launches", 0.0, 0.0, (0.0, 0.0))
    assert check_gate(gate, comparison(deltas=[some])).outcome == "failed"
    assert check_gate(gate, comparison(deltas=[some])).text == "+2"
    assert check_gate(gate, comparison(deltas=[none])).outcome == "passed"


def test_a_negative_baseline_does_not_turn_the_limit_round() -> None:
    gate = parse_gate("pace_us>+10%", METRICS)
    result = check_gate(gate, comparison(deltas=[delta("pace_us", -100.0, -80.0, (20.0, 20.0))]))
    assert result.outcome == "failed"


@pytest.mark.parametrize(
    "given",
    [
        delta("pace_us", None, 5.0, not_measured="baseline: it has one step"),
        delta("pace_us", 5.0, None, not_measured="baseline: it has one step"),
    ],
)
def test_what_cannot_be_measured_does_not_pass(given: Delta) -> None:
    result = check_gate(parse_gate("pace_us>+5%", METRICS), comparison(deltas=[given]))
    assert result.outcome == "not_measured"
    assert result.text == "could not be measured: baseline: it has one step"


def test_runs_that_cannot_be_compared_do_not_pass() -> None:
    told = headline(verdict="not_comparable", why="Only one side has GPU work.")
    result = check_gate(parse_gate("pace_us>+5%", METRICS), comparison(headline=told, deltas=[FALL]))
    assert (result.outcome, result.text) == (
        "not_measured",
        "could not be measured: Only one side has GPU work",
    )


def test_every_gate_is_answered_in_order() -> None:
    gates = [parse_gate(text, METRICS) for text in ("pace_us>+5%", "pace_us>+50%")]
    results = check_gates(gates, comparison(deltas=[RISE]))
    assert [(r.gate, r.outcome) for r in results] == [("pace_us>+5%", "failed"), ("pace_us>+50%", "passed")]
