"""The committed TypeScript types are those of the structs, and the frontend's fixtures are reports."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct

from tb_plugin_explain.report_schema import Report

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = sorted((ROOT / "frontend" / "test" / "fixtures").glob("*.json"))


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_types", ROOT / "scripts" / "generate_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_types_are_up_to_date() -> None:
    script = load_script()
    committed = script.TARGET.read_text(encoding="utf-8")
    assert committed == script.generate(), "run: python scripts/generate_types.py"


def test_every_field_of_the_report_is_spelt() -> None:
    text = load_script().generate()
    assert "export interface Report {" in text
    for name in Report.__struct_fields__:
        assert f"  {name}: " in text


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(TypeError, match="No TypeScript spelling"):
        load_script().spell(bytes, {})


def mismatches(value: object, hint: Any, where: str) -> list[str]:
    """Where a decoded JSON value is not what the annotation says; fields are neither missing nor more."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        tried = [mismatches(value, member, where) for member in arguments]
        return min(tried, key=len)
    if origin is Literal:
        return [] if value in arguments else [f"{where}: {value!r}"]
    if isinstance(hint, type) and issubclass(hint, Struct):
        return record_mismatches(value, hint, where)
    if origin is Sequence and isinstance(value, list):
        return [m for i, item in enumerate(value) for m in mismatches(item, arguments[0], f"{where}[{i}]")]
    if origin is Mapping and isinstance(value, dict):
        return [m for key, item in value.items() for m in mismatches(item, arguments[1], f"{where}.{key}")]
    return [] if fits(value, hint) else [f"{where}: {value!r} is no {hint}"]


def fits(value: object, hint: Any) -> bool:
    if hint in (int, float):
        return isinstance(value, int if hint is int else (int, float)) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)


def record_mismatches(value: object, record: Any, where: str) -> list[str]:
    hints = get_type_hints(record)
    # A section that a trace need not have may be missing from a fixture as well.
    sections = {n for n, hint in hints.items() if type(None) in get_args(hint)} if record is Report else set()
    if not isinstance(value, dict) or not hints.keys() - sections <= value.keys() <= hints.keys():
        return [f"{where}: fields are not those of {record.__name__}"] * 100
    given = [(name, hint) for name, hint in hints.items() if name in value]
    return [m for name, hint in given for m in mismatches(value[name], hint, f"{where}.{name}")]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixtures_of_the_page_are_reports(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    if "state" not in content:
        assert mismatches(content, Report, "report") == []


def test_there_are_fixtures() -> None:
    assert len(FIXTURES) >= 5
