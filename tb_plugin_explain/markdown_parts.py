"""Parts of markdown that several files are made of; nothing that comes from a trace is markup in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tb_plugin_explain.text_parts import printable

_MARKUP = re.compile(r"[\\`*_{}\[\]<>&|~!#$^]")
# Behind these, sites make links of plain text: people, issues, addresses.
_LINKING = re.compile(r"(@|#|www\.|://|GH-)", re.IGNORECASE)
# ``:smile:`` becomes a picture. C++ names (``at::native::x``) stay as they are, to be searched for.
_PICTURE = re.compile(r"(?<!\w:):(?=[\w+-]+:)|:(?=[\w+-]+:(?!:\w))", re.ASCII)
_INVISIBLE = "\u200b"
# Entities where a backslash would not do in every table or cell.
_ENTITIES: Mapping[str, str] = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}


def escaped(text: str) -> str:
    """The text as it is: nothing in it is markup, a mention, a link or a picture."""
    broken = _LINKING.sub(lambda found: found[0] + _INVISIBLE, printable(text))
    broken = _PICTURE.sub(lambda found: found[0] + _INVISIBLE, broken)
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), broken)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> Sequence[str]:
    """A table whose first columns are text, the others figures."""
    rules = [":--" if i < text_columns else "--:" for i in range(len(columns))]
    return [_row(columns), _row(rules), *(_row([escaped(cell) for cell in row]) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
