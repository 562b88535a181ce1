"""Templates of the entries: ``Matrix multiply[[ in {dtype}]]`` and ``{type|dtypes}``.

``{fact}`` is replaced by a fact, ``{fact|map}`` by what a map makes of it. A part in double brackets
is left out if one of its facts is missing; a template is None if one outside is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")
# In a map: what becomes of a value that is not listed. “=” leaves it as it is.
OTHERWISE, UNCHANGED = "*", "="

Maps = Mapping[str, Mapping[str, Any]]
Found = Mapping[str, Any]
Filters = Mapping[str, Callable[[str], Any]]


@dataclass(frozen=True)
class Slot:
    fact: str
    map: str | None

    def mapped(self, value: Any, maps: Maps, filters: Filters) -> Any:
        """What the slot’s map, or a filter of that name, makes of a value."""
        assert self.map is not None
        if self.map in filters:
            return filters[self.map](value)
        table = maps[self.map]
        mapped = table[value] if value in table else table.get(OTHERWISE)
        return value if mapped == UNCHANGED else mapped


Part = str | Slot


@dataclass(frozen=True)
class Template:
    """Segments in their order; each is optional or not, and made of texts and slots."""

    segments: tuple[tuple[bool, tuple[Part, ...]], ...]

    def fill(self, found: Found, maps: Maps, filters: Filters) -> Any:
        """The text; the value itself, of whatever type, if the template is one slot alone."""
        pieces: list[Any] = []
        for optional, parts in self.segments:
            begin = len(pieces)
            for part in parts:
                if isinstance(part, str):
                    pieces.append(part)
                    continue
                value = found.get(part.fact)
                if value is not None and part.map is not None:
                    value = part.mapped(value, maps, filters)
                if value is None:
                    if not optional:
                        return None
                    del pieces[begin:]
                    break
                pieces.append(value)
        return pieces[0] if len(pieces) == 1 else "".join(map(str, pieces))


def parse(text: str) -> Template | str:
    """A template, or the text itself where nothing is to be filled in."""
    if "{" not in text and "[[" not in text:
        return text
    segments, at = [], 0
    for match in _OPTIONAL.finditer(text):
        segments += [(False, _parts(text[at : match.start()])), (True, _parts(match[1]))]
        at = match.end()
    segments.append((False, _parts(text[at:])))
    return Template(tuple(segment for segment in segments if segment[1]))


def _parts(text: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    for match in _SLOT.finditer(text):
        parts += [text[at : match.start()], Slot(match[1], match[2])]
        at = match.end()
    parts.append(text[at:])
    return tuple(part for part in parts if part != "")
