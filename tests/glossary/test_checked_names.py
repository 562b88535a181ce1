"""Random names of real traces, each read by hand.

``checked_names.json`` was drawn by ``scripts/measure_glossary.py`` (``draw``): 300 names of everything but
Python, 40 of Python, without names and paths of users. What stands there beside a name was read
and found true; ``source`` says against what. A change here needs the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.glossary import Explanation, what_is

CHECKED = json.loads((Path(__file__).parent / "checked_names.json").read_text(encoding="utf-8"))
FIELDS = (
    "entry",
    "human",
    "library",
    "operation",
    "dtype",
    "tile",
    "tensor_cores",
    "direction",
    "collective",
    "fused_ops",
)


def said(explanation: Explanation) -> dict[str, Any]:
    """What is checked of an explanation, without what is empty."""
    fields = {field: getattr(explanation, field) for field in FIELDS}
    return {
        key: list(v) if isinstance(v, tuple) else v for key, v in fields.items() if v not in (None, (), [])
    }


def test_there_are_enough() -> None:
    assert sum(case["category"] != "PYTHON" for case in CHECKED) == 300
    assert len({(case["name"], case["category"]) for case in CHECKED}) == 340


def test_each_names_what_it_was_checked_against() -> None:
    assert all(case["source"] for case in CHECKED)


@pytest.mark.parametrize("case", CHECKED, ids=lambda case: f"{case['category']} {case['name'][:60]}")
def test_a_checked_name_is_explained_as_it_was_checked(case: dict[str, Any]) -> None:
    explanation = what_is(case["name"], case["category"])
    assert said(explanation) == case["said"]
    assert explanation.what
    assert explanation.problem
