"""The one matcher: which entry speaks for a name, and what the name tells.

Entries are data. Regular expressions are compiled when they are first needed, so that loading stays
short. Nothing here knows any library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from tb_plugin_explain.glossary import fused_names
from tb_plugin_explain.glossary.keys import COMPILED, FACTS, TEXTS
from tb_plugin_explain.glossary.names import function_of, plain_kernel_name
from tb_plugin_explain.glossary.template import Filters, Maps, Template, parse

_KERNEL = "KERNEL"
# Candidates among the patterns are found by the first letters of the name.
_HEAD = 3
_VERSIONED = re.compile(r"(?:_v\d+|_pt[sd][sz]|_spt|(?<=[a-z])R\d{4})+$")


class Finder:
    """Looks for facts anywhere in a name.

    ``patterns`` are tried in their order; the first that is found sets its groups. With ``only`` all
    finds of the one group ``only`` have to mean the same in ``map``, or nothing is set.
    """

    def __init__(self, data: Mapping[str, Any], maps: Maps) -> None:
        self._sources: list[str] = data["patterns"]
        self._only: str | None = data.get("only")
        self._map = maps[data["map"]] if "map" in data else {}

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(source) for source in self._sources]

    def find(self, name: str) -> Mapping[str, Any]:
        if self._only:
            return self._find_only(name, self._only)
        for pattern in self._patterns:
            match = pattern.search(name)
            if match:
                return match.groupdict()
        return {}

    def _find_only(self, name: str, group: str) -> Mapping[str, Any]:
        meanings = {self._map[match] for match in set(self._patterns[0].findall(name))}
        return {group: meanings.pop()} if len(meanings) == 1 else {}


class Entry:
    """One entry, with its templates parsed and its pattern compiled when first needed."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.id: str = data["id"]
        self.fallback: bool = data.get("fallback", False)
        self._has: tuple[str, ...] = tuple(data.get("has", ()))
        self.finders: tuple[str, ...] = tuple(data.get("find", ()))
        self.required: tuple[str, ...] = tuple(data.get("require", ()))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.data["pattern"], re.DOTALL)

    @cached_property
    def facts(self) -> list[tuple[str, Template | str | bool]]:
        """Templates of the facts in the order in which they can refer to each other."""
        given = [(key, self.data[key]) for key in FACTS if key in self.data]
        return [(key, parse(value) if isinstance(value, str) else value) for key, value in given]

    @cached_property
    def details(self) -> list[tuple[str, Template | str]]:
        return [(key, parse(value)) for key, value in self.data.get("details", {}).items()]

    @cached_property
    def texts(self) -> list[tuple[str, Template | str]]:
        return [(key, parse(self.data[key])) for key in TEXTS]

    def groups(self, name: str) -> Mapping[str, str | None] | None:
        """What the pattern finds in the name; None if it does not match."""
        if self._has and not any(part in name for part in self._has):
            return None
        if "pattern" not in self.data:
            return {}
        match = self._pattern.fullmatch(name)
        return match.groupdict() if match else None


class _Index:
    """The entries of one category."""

    def __init__(self) -> None:
        self.names: dict[str, list[Entry]] = {}
        self.functions: dict[str, list[Entry]] = {}
        self._patterns: list[tuple[tuple[str, ...], Entry]] = []
        self._by_head: dict[str, list[Entry]] = {}

    def add(self, entry: Entry) -> None:
        for name in entry.data.get("names", ()):
            self.names.setdefault(name, []).append(entry)
        for function in entry.data.get("functions", ()):
            self.functions.setdefault(function, []).append(entry)
        if "pattern" in entry.data and "functions" not in entry.data:
            self._patterns.append((tuple(entry.data.get("starts", ())), entry))

    def by_pattern(self, name: str) -> list[Entry]:
        head = name[:_HEAD]
        found = self._by_head.get(head)
        if found is None:
            found = [e for starts, e in self._patterns if not starts or _may_start(head, starts)]
            self._by_head[head] = found
        return found


def _may_start(head: str, starts: tuple[str, ...]) -> bool:
    return any(start.startswith(head) or head.startswith(start) for start in starts)


class Match:
    """An entry and what was found in the name."""

    __slots__ = ("entry", "found")

    def __init__(self, entry: Entry, found: dict[str, Any]) -> None:
        self.entry = entry
        self.found = found


class Glossary:
    """All entries, from one compiled document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.maps: Maps = document["maps"]
        self.notes: Mapping[str, str] = document["notes"]
        self.terms: list[Mapping[str, Any]] = document["terms"]
        self._finders = {name: Finder(data, self.maps) for name, data in document["finders"].items()}
        self._indexes: dict[str, _Index] = {}
        self.entries = [Entry(data) for data in document["entries"]]
        for entry in self.entries:
            for category in entry.data["categories"]:
                self._indexes.setdefault(category, _Index()).add(entry)

    @cached_property
    def filters(self) -> Filters:
        """What a template can do with a fact beside looking it up in a map."""
        vocabulary = {**self.maps["aten_operators"], **self.maps["aten_views"], **self.maps["fused_words"]}

        def split(joined: str) -> tuple[str, ...]:
            return fused_names.split(joined, vocabulary)

        return {"fused": split, "joined": lambda joined: ", ".join(split(joined))}

    def match(self, name: str, category: str) -> Match:
        """The first entry that matches; every category has one that matches everything."""
        plain = plain_kernel_name(name) if category == _KERNEL else name
        for entry in self._candidates(plain, category):
            groups = entry.groups(plain)
            if groups is None:
                continue
            found = self._found(entry, plain, groups)
            if all(found.get(fact) is not None for fact in entry.required):
                return Match(entry, found)
        raise LookupError(f"no entry of {category} matches {name!r}")

    def _candidates(self, name: str, category: str) -> Iterator[Entry]:
        index = self._indexes[category]
        yield from index.names.get(name, ())
        if category == _KERNEL:
            yield from index.functions.get(function_of(name), ())
        else:
            unversioned = _VERSIONED.sub("", name)
            if unversioned != name:
                yield from index.names.get(unversioned, ())
        yield from index.by_pattern(name)

    def _found(self, entry: Entry, name: str, groups: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"name": name, **groups}
        for finder in entry.finders:
            found.update(self._finders[finder].find(name))
        for fact, value in entry.facts:
            found[fact] = value.fill(found, self.maps, self.filters) if isinstance(value, Template) else value
        return found

    def fill(self, template: Template | str, found: Mapping[str, Any]) -> Any:
        return template if isinstance(template, str) else template.fill(found, self.maps, self.filters)


def load(path: Path = COMPILED) -> Glossary:
    """Reads the compiled entries."""
    return Glossary(json.loads(path.read_bytes()))
