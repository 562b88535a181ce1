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
    template = parse(text)
    return template.fill(found, MAPS, {"upper": str.upper}) if isinstance(template, Template) else template


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
    ],
)
def test_filling(text: str, found: dict[str, object], expected: object) -> None:
    assert filled(text, **found) == expected
