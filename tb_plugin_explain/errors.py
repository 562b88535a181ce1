"""The errors that a user can meet, and nothing else.

    ExplainError
    ├── TraceError     this file cannot be explained; the others can
    └── UsageError     the command or request asked for something that is not there

Every error is one plain line: what happened to which file, and what to do.
This module imports nothing of ours, so that every layer may use it.
"""

from __future__ import annotations

from typing import Literal

TraceErrorKind = Literal[
    "not_found",
    "unreadable",
    "empty_file",
    "not_a_trace",
    "invalid_json",
    "several_documents",
    "truncated",
    "too_deep",
    "too_large",
    "unsupported_encoding",
    "broken_gzip",
    "no_such_step",
]

# Not the file's fault: it may be read another time, as it is.
PASSING_KINDS: tuple[TraceErrorKind, ...] = ("unreadable", "too_large")


class ExplainError(Exception):
    """Anything that is told to the user in one line, without a traceback."""


class TraceError(ExplainError):
    """A file that gives no report.

    Attributes:
        kind: what went wrong, one word for programs.
        message: the same in one sentence for people, with what to do.
        file: the file as the user named it, where known.
        position: where in the decompressed text, as ``line N column M`` or ``byte N``.
    """

    def __init__(
        self,
        kind: TraceErrorKind,
        message: str,
        *,
        file: str | None = None,
        position: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.file = file
        self.position = position


class UsageError(ExplainError):
    """A command or request that names something which is not there."""
