"""Templates, without any entry."""

from __future__ import annotations

import pytest

from tb_plugin_explain.glossary.template import Template, parse

MAPS: dict[str, dict[str, object]] = {
    "types": {"h": "fp16", "flag": True},
    "open": {"a": "A", "*": "="},
    "rest": {"*": "other"},
}


def filled(text: str, **found: object) -> object:
    segments = parse(text)
    if isinstance(segments, str):
        return segments
    return Template(segments, MAPS, {"upper": str.upper}).fill(found)


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("plain", {}, "plain"),
        ("{a}x{b}", {"a": "1", "b": "2"}, "1x2"),
        ("{a}x{b}", {"a": "1"}, None),
        ("in {a}[[ and {b}]]", {"a": "1"}, "in 1"),
        ("in {a}[[ and {b}]]", {"a": "1", "b": "2"}, "in 1 and 2"),
        ("{a|types}", {"a": "h"}, "fp16"),
        ("{a|types}", {"a": "unknown"}, None),
        ("{a|types}", {"a": "flag"}, True),
        ("{a|open}", {"a": "a"}, "A"),
        ("{a|open}", {"a": "b"}, "b"),
        ("{a|rest}", {"a": "b"}, "other"),
        ("{a|upper}!", {"a": "b"}, "B!"),
        ("100 % of {a}[[, %s {b}]]", {"a": "1"}, "100 % of 1"),
        ("100 % of {a}[[, %s {b}]]", {"a": "1", "b": "2"}, "100 % of 1, %s 2"),
    ],
)
def test_filling(text: str, found: dict[str, object], expected: object) -> None:
    assert filled(text, **found) == expected
