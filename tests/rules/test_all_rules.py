"""What holds for every rule and for every text that a reader meets."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import tb_plugin_explain
from tb_plugin_explain import wording
from tb_plugin_explain.analyses.gpu_idle import HOST_CLASSES
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.rules import Rule, all_rules, host_bound, implicit_waits
from tests.case_files import INPUTS

SAMPLES = sorted((Path(tb_plugin_explain.__file__).parent / "samples").glob("*/*.json*"))
FILES = [*SAMPLES, *(given.path for given in INPUTS if given.load != "error")]
# Larger real traces say nothing new here, and take their time.
MAX_REAL_BYTES = 60_000

# What an advice may begin with: it is told as the one thing to do.
IMPERATIVES = frozenset((
    "Compare", "Compile", "Copy", "Do", "Find", "Give", "Ignore", "Launch", "Leave", "Let", "Load", "Look",
    "Make", "Move", "Read", "Record", "Set", "Shorten", "Start", "Stop", "Use", "Wait",
))  # fmt: skip
# Signs of a value that found no words.
NO_WORDS = re.compile(r"\bNone\b|\bnan\b|\binf\b|[{}]|  |\n|\[\]|<[a-z/!]|e\.g\.|\be-\d")
DISAGREES = re.compile(
    r"(?<![\d.,])1 (calls|kernels|events|GPU events|steps|launches|names|entries|processes|annotations)\b"
    r"|\b[Ss]tep \d+ (have|are|trail)\b|\b[Ss]teps [\d–, and]+ (has|is|trails)\b"
)


@cache
def report_of(path: Path) -> Report:
    return explain_path(str(path))


def texts_of(finding: Finding) -> Iterator[str]:
    yield from (finding.title, finding.text, finding.advice)
    if finding.pill is not None:
        yield finding.pill


def all_texts(report: Report) -> Iterator[str]:
    headline = report.headline
    yield from (headline.text, headline.detail, headline.why)
    if headline.first is not None:
        yield headline.first.text
    yield from (alarm.text for alarm in headline.false_alarms)
    for finding in report.findings:
        yield from texts_of(finding)
    for warning in report.warnings:
        yield from (warning.message, warning.advice)
    for outcome in report.rules:
        yield from (outcome.title, outcome.reason or "")
    for can in report.trust.can:
        yield from (can.title, can.text)
    for cannot in report.trust.cannot:
        yield from (cannot.title, cannot.text)
    for step in report.steps:
        yield from step.not_measured.values()


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
class TestRule:
    def test_its_id_is_its_module_and_its_tests(self, rule: Rule) -> None:
        module = rule.check.__module__.rpartition(".")[2]
        assert rule.id == module.replace("_", "-")
        assert (Path(__file__).parent / f"test_{module}.py").is_file()

    def test_it_says_what_it_asks_and_why(self, rule: Rule) -> None:
        assert rule.title
        assert not rule.title.endswith(".")
        assert rule.why.endswith(".")
        assert rule.link.startswith("https://")


def test_ids_are_unique() -> None:
    ids = [rule.id for rule in all_rules()]
    assert len(set(ids)) == len(ids)


def assert_reads_well(report: Report) -> None:
    for text in all_texts(report):
        assert not NO_WORDS.search(text), text
        assert not DISAGREES.search(text), text
    for sentence in (report.headline.text, report.headline.detail):
        assert sentence.endswith(".")
    for finding in report.findings:
        assert finding.text.endswith(".")
        assert not finding.title.endswith(".")
        assert finding.link.startswith("https://")


def assert_is_an_instruction(advice: str) -> None:
    """Its first sentence stands alone in the headline."""
    first = wording.first_sentence(advice)
    assert first.endswith(".")
    assert first.split()[0].rstrip(",") in IMPERATIVES, first
    assert len(first) < 80


def assert_promises_hold(report: Report) -> None:
    averaged = [step for step in report.steps if step.number in report.headline.steps]
    longest = max(
        [0.0, *(s.duration_us for s in averaged), *(g.window_us for s in averaged for g in s.gpu or [])]
    )
    for finding in report.findings:
        assert_is_an_instruction(finding.advice)
        if finding.verdict == "artifact":
            assert finding.at_stake_us == 0
        if finding.verdict == "undecided":
            assert finding.at_stake_us is None
        if finding.verdict == "fix":
            assert finding.pill is None
            # None: another finding promises the time already.
            assert finding.at_stake_us != 0
        assert 0 <= (finding.at_stake_us or 0) <= longest
        if finding.pill is not None:
            assert finding.looks_like_us


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_text_of_a_report_reads_well_and_promises_no_more_than_there_is(path: Path) -> None:
    report = report_of(path)
    assert not [outcome for outcome in report.rules if outcome.outcome == "failed"]
    assert_reads_well(report)
    assert_promises_hold(report)


def test_every_text_about_a_real_trace_reads_well(shared_traces: Path) -> None:
    for path in sorted(shared_traces.glob("*.json.gz")):
        if path.stat().st_size <= MAX_REAL_BYTES:
            with contextlib.suppress(TraceError):
                assert_reads_well(report_of(path))


def test_every_prepared_advice_is_an_instruction() -> None:
    for advice in (*host_bound._ADVICE.values(), *implicit_waits._ADVICE.values()):
        assert_is_an_instruction(advice)


def test_every_cause_of_idle_time_has_words_and_a_remedy() -> None:
    assert host_bound._DOING.keys() == host_bound._ADVICE.keys() == set(HOST_CLASSES)


def test_findings_come_in_the_order_of_their_importance() -> None:
    order = ["fix", "undecided", "expected", "artifact"]
    for path in FILES:
        ranks = [order.index(finding.verdict) for finding in report_of(path).findings]
        assert ranks == sorted(ranks)
