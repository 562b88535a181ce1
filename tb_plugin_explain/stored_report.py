"""What was stored as JSON, a report or a comparison: as the structs that it was, and as files of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from tb_plugin_explain import compare_html, compare_markdown
from tb_plugin_explain.comparison_schema import Comparison
from tb_plugin_explain.findings import Evidence, Quantity, Spans, Table
from tb_plugin_explain.report_html import report_page
from tb_plugin_explain.report_markdown import as_markdown
from tb_plugin_explain.report_schema import Report

_EVIDENCE: Mapping[str, type] = {"quantity": Quantity, "table": Table, "spans": Spans}


def report_of(stored: Mapping[str, Any]) -> Report:
    """The report whose JSON was decoded to plain values. Its fields are those of this program's schema."""
    made: Report = _build(Report, stored)
    return made


def comparison_of(stored: Mapping[str, Any]) -> Comparison:
    """The comparison whose JSON was decoded to plain values; see ``report_of``."""
    made: Comparison = _build(Comparison, stored)
    return made


def _build(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, type) and issubclass(kind, Struct):
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
def _fields(kind: type[Struct]) -> Sequence[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(name, hints[name]) for name in kind.__struct_fields__]


class Export(Struct, frozen=True):
    """A form of file: how its name ends, and how it is made of what is stored."""

    ending: str
    content_type: str
    make: Callable[[bytes], bytes]


def _part(stored: bytes, field: str) -> bytes:
    return bytes(msgspec.json.decode(stored, type=dict[str, msgspec.Raw])[field]) + b"\n"


def _report(stored: bytes) -> Report:
    return report_of(msgspec.json.decode(stored)["report"])


def _comparison(stored: bytes) -> Comparison:
    return comparison_of(msgspec.json.decode(stored)["comparison"])


def _exports(
    markdown: Callable[[bytes], str], html: Callable[[bytes], str], json: Callable[[bytes], bytes]
) -> Mapping[str, Export]:
    return {
        "markdown": Export("md", "text/markdown; charset=utf-8", lambda stored: markdown(stored).encode()),
        "html": Export("html", "text/html; charset=utf-8", lambda stored: html(stored).encode()),
        "json": Export("json", "application/json", json),
    }


EXPORTS = _exports(
    lambda stored: as_markdown(_report(stored)),
    lambda stored: report_page([_report(stored)]),
    lambda stored: _part(stored, "report"),
)
COMPARISON_EXPORTS = _exports(
    lambda stored: compare_markdown.as_markdown(_comparison(stored)),
    lambda stored: compare_html.comparison_page([_comparison(stored)]),
    lambda stored: _part(stored, "comparison"),
)
