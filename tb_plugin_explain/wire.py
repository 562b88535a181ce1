"""Results as JSON bytes: the only place where our structs become text.

A float that is no number becomes ``null``, as JSON has none.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report_schema import SCHEMA_VERSION


class ErrorInfo(Struct, frozen=True):
    """An error as the page and programs get it: the kind for programs, one sentence for people."""

    kind: str
    message: str
    file: str | None = None
    position: str | None = None


class ErrorAnswer(Struct, frozen=True):
    """An answer that is an error and nothing else."""

    error: ErrorInfo
    schema: int = SCHEMA_VERSION


def error_info(error: TraceError) -> ErrorInfo:
    return ErrorInfo(error.kind, error.message, error.file, error.position)


def to_json(obj: Any) -> bytes:
    """JSON of structs, mappings, sequences and plain values, in UTF-8."""
    try:
        return msgspec.json.encode(obj)
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(obj)))


def _without_surrogates(obj: Any) -> Any:
    """Half characters come from escapes in traces and from file names that are no UTF-8."""
    if isinstance(obj, str):
        return obj.encode("utf-8", "replace").decode()
    if isinstance(obj, dict):
        return {_without_surrogates(key): _without_surrogates(value) for key, value in obj.items()}
    if isinstance(obj, list):
        return [_without_surrogates(value) for value in obj]
    return obj


def error_json(error: TraceError) -> bytes:
    """``{"schema": 1, "error": {"kind", "message", "file", "position"}}``."""
    return to_json(ErrorAnswer(error_info(error)))
