"""Where commands write: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tb_plugin_explain.errors import TraceError, UsageError

if TYPE_CHECKING:
    from tb_plugin_explain.console import Tell

_LATER_CONTROLS = re.compile("[\x7f-\x9f]")
# Less text than this is read before a bar could be seen.
SHOW_PROGRESS_FROM_BYTES = 4_000_000

OK, FAILED, BAD_INPUT, LIMIT_EXCEEDED = 0, 1, 2, 3


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """The reader of our output, such as ``head``, may have had enough: nothing of ours fails by it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_output() -> None:
    """Makes standard output take every character, whatever its encoding.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdout is None:
        raise UsageError("standard output is closed, so there is nowhere to write to.")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write_json(document: bytes) -> None:
    """JSON escapes the old control characters itself, but not those that terminals also obey.

    It is UTF-8 whatever the encoding of the terminal.
    """
    text = _LATER_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", document.decode())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode() + b"\n")
    else:
        sys.stdout.write(text + "\n")


def tell(message: str) -> None:
    """One line on standard error. Messages name files, whose names a terminal might obey."""
    from tb_plugin_explain.text_parts import printable

    print(f"tb-explain: {printable(message)}", file=sys.stderr)


def tell_error(error: TraceError, form: str) -> None:
    """A file that cannot be explained: an object for programs, else one line."""
    from tb_plugin_explain.wire import error_json

    if form == "json":
        write_json(error_json(error))
    else:
        tell(error.message)


@contextmanager
def progress_bar(paths: Sequence[str]) -> Iterator[Tell]:
    """A bar on a terminal while large files are read; gives what sets its phase and share."""
    large = sum(os.path.getsize(p) for p in paths if os.path.isfile(p)) >= SHOW_PROGRESS_FROM_BYTES
    if not (large and sys.stderr is not None and sys.stderr.isatty()):
        yield lambda phase, share: None
        return
    # Loading what draws takes longer than reading a small trace.
    from tb_plugin_explain.console import drawn_bar

    with drawn_bar() as set_to:
        yield set_to
