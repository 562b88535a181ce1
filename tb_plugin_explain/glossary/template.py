"""Templates of the entries: ``Matrix multiply[[ in {dtype}]]`` and ``{type|dtypes}``.

``{fact}`` is replaced by a fact, ``{fact|map}`` by what a map makes of it. A part in double brackets
is left out if one of its facts is missing; a template is None if one outside is missing.

``parse`` makes segments of a text when the entries are compiled, ``Template`` fills them in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")
_ONE_SLOT = "%s"
# In a map: what becomes of a value that is not listed. “=” leaves it as it is.
OTHERWISE, UNCHANGED = "*", "="

Maps = Mapping[str, Mapping[str, Any]]
Found = Mapping[str, Any]
Filters = Mapping[str, Callable[[str], Any]]
# Whether it is optional; a format with one %s a slot; the fact and the map, or none, of each slot.
Segment = Sequence[Any]


def parse(text: str) -> list[Segment] | str:
    """The segments of a template, or the text itself where nothing is to be filled in."""
    if "{" not in text and "[[" not in text:
        return text
    segments: list[Segment] = []
    at = 0
    for match in _OPTIONAL.finditer(text):
        segments += [_segment(False, text[at : match.start()]), _segment(True, match[1])]
        at = match.end()
    segments.append(_segment(False, text[at:]))
    return [segment for segment in segments if segment[1]]


def _segment(optional: bool, text: str) -> Segment:
    slots = [list(match.groups()) for match in _SLOT.finditer(text)]
    return [optional, _SLOT.sub(lambda _: "%s", text.replace("%", "%%")), slots]


class _Slot:
    """A fact, and the map or the filter that its value goes through."""

    __slots__ = ("fact", "_filter", "_table", "_otherwise")

    def __init__(self, fact: str, name: str | None, maps: Maps, filters: Filters) -> None:
        self.fact = fact
        self._filter = filters.get(name) if name else None
        self._table = maps[name] if name and self._filter is None else None
        self._otherwise = self._table.get(OTHERWISE) if self._table is not None else None

    def value(self, found: Found) -> Any:
        """The value, None if it is missing or in no map."""
        value = found.get(self.fact)
        if value is None:
            return None
        if self._table is not None:
            mapped = self._table.get(value, self._otherwise)
            return value if mapped == UNCHANGED else mapped
        return value if self._filter is None else self._filter(value)


class Template:
    """Segments in their order, bound to the maps and filters that their slots name."""

    __slots__ = ("_segments", "_slot")

    def __init__(self, segments: Sequence[Segment], maps: Maps, filters: Filters) -> None:
        self._segments = [
            (optional, text, [_Slot(fact, name, maps, filters) for fact, name in slots])
            for optional, text, slots in segments
        ]
        alone = len(segments) == 1 and segments[0][1] == _ONE_SLOT and not segments[0][0]
        self._slot = self._segments[0][2][0] if alone else None

    def fill(self, found: Found) -> Any:
        """The text; the value itself, of whatever type, if the template is one slot alone."""
        if self._slot is not None:
            return self._slot.value(found)
        text = ""
        for optional, form, slots in self._segments:
            values = []
            for slot in slots:
                value = slot.value(found)
                if value is None:
                    break
                values.append(value)
            if len(values) == len(slots):
                text += form % tuple(values)
            elif not optional:
                return None
        return text
