"""The one matcher: which entry speaks for a name, and what the name tells.

Entries are data. Regular expressions are compiled when they are first needed, so that loading stays
short. Nothing here knows any library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tb_plugin_explain.glossary import fused_names
from tb_plugin_explain.glossary.explanation import Term
from tb_plugin_explain.glossary.keys import COMPILED, FACTS, TEXTS
from tb_plugin_explain.glossary.names import function_of, plain_kernel_name
from tb_plugin_explain.glossary.template import Filters, Maps, Template, parse

_KERNEL = "KERNEL"
# Calls whose names can end in a version of the interface: cudaGetDeviceProperties_v2.
_WITH_VERSIONS = ("RUNTIME", "DRIVER")
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
        meanings = {self._map.get(match) for match in set(self._patterns[0].findall(name))}
        return {group: meanings.pop()} if len(meanings) == 1 and None not in meanings else {}


class Fields:
    """Named values of an entry: those that stand fast, and templates in their order."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        parsed = {key: parse(value) if isinstance(value, str) else value for key, value in values.items()}
        self.fixed = {key: value for key, value in parsed.items() if not isinstance(value, Template)}
        self.templates = [(key, value) for key, value in parsed.items() if isinstance(value, Template)]


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
    def facts(self) -> Fields:
        return Fields({key: self.data[key] for key in FACTS if key in self.data})

    @cached_property
    def details(self) -> Fields:
        return Fields(self.data.get("details", {}))

    @cached_property
    def texts(self) -> Fields:
        return Fields({key: self.data[key] for key in TEXTS})

    def groups(self, name: str) -> Mapping[str, str | None] | None:
        """What the pattern finds in the name; None if it does not match."""
        if self._has and not self._holds_any(name):
            return None
        if "pattern" not in self.data:
            return {}
        match = self._pattern.fullmatch(name)
        return match.groupdict() if match else None

    def _holds_any(self, name: str) -> bool:
        # A loop: any() over a generator takes twice as long, and this runs for every candidate.
        for part in self._has:  # noqa: SIM110
            if part in name:
                return True
        return False


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


@dataclass(frozen=True, slots=True)
class Match:
    """An entry, all that was found in the name, and of that the facts."""

    entry: Entry
    found: dict[str, Any]
    facts: dict[str, Any]


class Glossary:
    """All entries, from one compiled document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.maps: Maps = document["maps"]
        self.notes: Mapping[str, str] = document["notes"]
        self.terms = [Term(**term) for term in document["terms"]]
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

        return {"fused": split, "list": ", ".join}

    def match(self, name: str, category: str) -> Match:
        """The first entry that matches; every category has one that matches everything."""
        plain = plain_kernel_name(name) if category == _KERNEL else name
        for entry in self._candidates(plain, category):
            groups = entry.groups(plain)
            if groups is None:
                continue
            match = self._match(entry, plain, groups)
            if all(fact in match.facts for fact in entry.required):
                return match
        raise LookupError(f"no entry of {category} matches {name!r}")

    def _candidates(self, name: str, category: str) -> Iterator[Entry]:
        index = self._indexes[category]
        yield from index.names.get(name, ())
        if category == _KERNEL:
            yield from index.functions.get(function_of(name), ())
        elif category in _WITH_VERSIONS:
            unversioned = _VERSIONED.sub("", name)
            if unversioned != name:
                yield from index.names.get(unversioned, ())
        yield from index.by_pattern(name)

    def _match(self, entry: Entry, name: str, groups: Mapping[str, Any]) -> Match:
        found: dict[str, Any] = {"name": name, **groups}
        for finder in entry.finders:
            found.update(self._finders[finder].find(name))
        facts = dict(entry.facts.fixed)
        found.update(facts)
        for fact, template in entry.facts.templates:
            value = found[fact] = template.fill(found, self.maps, self.filters)
            if value is not None:
                facts[fact] = value
        return Match(entry, found, facts)

    def fill(self, fields: Fields, found: Mapping[str, Any]) -> dict[str, Any]:
        """The fields with what was found; without those for which something is missing."""
        if not fields.templates:
            return fields.fixed
        filled = dict(fields.fixed)
        for key, template in fields.templates:
            value = template.fill(found, self.maps, self.filters)
            if value is not None:
                filled[key] = value
        return filled


def load(path: Path = COMPILED) -> Glossary:
    """Reads the compiled entries."""
    return Glossary(json.loads(path.read_bytes()))
