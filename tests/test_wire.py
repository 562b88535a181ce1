"""Everything that leaves as JSON can be read by every JSON reader."""

from __future__ import annotations

import json

from msgspec import Struct

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.wire import error_json, to_json


class _Named(Struct, frozen=True):
    name: str
    parts: dict[str, list[str]]


def test_structs_become_objects() -> None:
    finding = Finding("fix", "A title", "Text", "Advice", evidence=[Quantity("Waits", 12.5, "us")])
    decoded = json.loads(to_json(finding))
    assert decoded["verdict"] == "fix"
    assert decoded["evidence"] == [{"label": "Waits", "value": 12.5, "unit": "us", "kind": "quantity"}]


def test_a_float_that_is_no_number_becomes_null() -> None:
    decoded = json.loads(to_json([Quantity("Share", float("nan"), "ratio"), float("inf"), 1.5]))
    assert decoded[0]["value"] is None
    assert decoded[1:] == [None, 1.5]


def test_half_characters_do_not_stop_an_answer() -> None:
    named = _Named("kernel \ud83d", {"a\udcff": ["ok", "\udc80"]})
    assert json.loads(to_json(named)) == {"name": "kernel ?", "parts": {"a?": ["ok", "?"]}}


def test_markup_in_names_is_kept_as_it_is() -> None:
    name = "</script><script>alert(1)</script> void k<F<float, 4>>(int&&)"
    assert json.loads(to_json({"name": name}))["name"] == name


def test_error_json_has_the_form_of_the_command_line() -> None:
    error = TraceError("invalid_json", "It is cut.", file="a.json", position="line 3 column 17")
    assert json.loads(error_json(error)) == {
        "schema": 1,
        "error": {
            "kind": "invalid_json",
            "message": "It is cut.",
            "file": "a.json",
            "position": "line 3 column 17",
        },
    }
