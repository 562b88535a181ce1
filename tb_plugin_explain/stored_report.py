"""A report that was stored as JSON, as the dataclasses that it was, and as the files that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin_explain.findings import Evidence, Quantity, Spans, Table
from tb_plugin_explain.report_html import report_page
from tb_plugin_explain.report_markdown import as_markdown
from tb_plugin_explain.report_schema import Report

_EVIDENCE: Mapping[str, type] = {"quantity": Quantity, "table": Table, "spans": Spans}


def report_of(stored: Mapping[str, Any]) -> Report:
    """The report whose JSON was decoded to plain values. Its fields are those of this program's schema."""
    made: Report = _build(Report, stored)
    return made


def _build(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: _build(hint, value[name]) for name, hint in _fields(kind)})
    if kind == Evidence:
        return _build(_EVIDENCE[value["kind"]], value)
    origin = get_origin(kind)
    if origin is Sequence:
        (element,) = get_args(kind)
        return [_build(element, part) for part in value]
    if origin in (Union, UnionType):
        known = [part for part in get_args(kind) if part is not NoneType]
        return _build(known[0], value) if len(known) == 1 else value
    return value


@cache
def _fields(kind: type) -> Sequence[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in fields(kind)]


@dataclass(frozen=True)
class Export:
    """A form of file: how its name ends, and how it is made of a stored report."""

    ending: str
    content_type: str
    make: Callable[[bytes], bytes]


def _json(stored: bytes) -> bytes:
    return bytes(msgspec.json.decode(stored, type=dict[str, msgspec.Raw])["report"]) + b"\n"


def _report(stored: bytes) -> Report:
    return report_of(msgspec.json.decode(stored)["report"])


def _markdown(stored: bytes) -> bytes:
    return as_markdown(_report(stored)).encode()


def _html(stored: bytes) -> bytes:
    return report_page([_report(stored)]).encode()


EXPORTS: Mapping[str, Export] = {
    "markdown": Export("md", "text/markdown; charset=utf-8", _markdown),
    "html": Export("html", "text/html; charset=utf-8", _html),
    "json": Export("json", "application/json", _json),
}
