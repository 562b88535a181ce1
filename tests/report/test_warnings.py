"""The words of each warning."""

from __future__ import annotations

import re

import pytest

from tb_plugin_explain.report.warnings import WORDS, warning
from tb_plugin_explain.trace.model import ReadProblem

DATA: dict[str, int | float | str] = {
    "byte": 12_345,
    "gpu_events": 1,
    "min_latency_us": -3.5,
    "time_us": 1780.0,
    "of": 1000,
    "busy_clipped_us": 500.0,
    "example": "runFunction",
    "world_size": 8,
}
DISAGREES = re.compile(
    r"(?<![\d,.])1 (events|kernels|steps|names|entries|annotations|processes|GPU events)\b"
)


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("count", [1, 1234])
def test_every_kind_has_a_sentence_that_names_its_number(kind: str, count: int) -> None:
    told = warning(ReadProblem(kind, count, DATA))
    assert (told.kind, told.count, told.data) == (kind, count, DATA)
    for text in (told.message, told.advice):
        assert text.endswith(".")
        assert "{" not in text
        assert not DISAGREES.search(text)
    if "{" in WORDS[kind][0]:
        assert (
            any(f"{number:,}" in told.message for number in (count, DATA["byte"])) or "runF" in told.message
        )


def test_times_are_told_without_a_sign() -> None:
    assert "disagree by 3.50 µs or more: 1 GPU event." in warning(ReadProblem("clock_skew", 1, DATA)).message
