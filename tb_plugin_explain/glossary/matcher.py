"""The one matcher: which entry speaks for a name, and what the name tells.

Entries are data; nothing here knows any library. Regular expressions are compiled, and templates bound, when
first needed; for many names that can be done beforehand, so that lookups need not wait for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tb_plugin_explain.glossary.explanation import Term
from tb_plugin_explain.glossary.fused_names import Vocabulary
from tb_plugin_explain.glossary.keys import COMPILED, TEXTS
from tb_plugin_explain.glossary.names import function_of, parts_of, plain_kernel_name
from tb_plugin_explain.glossary.template import Filters, Maps, Template

_KERNEL = "KERNEL"
# Calls whose names can end in a version of the interface: cudaGetDeviceProperties_v2.
_WITH_VERSIONS = ("RUNTIME", "DRIVER")
# Candidates among the patterns are found by the first letters of the name.
_HEAD = 3
_ANYTHING = ".*"
# An entry with one of these is no mere list of names or functions.
_AMONG_ALL = ("pattern", "starts", "in_function")
_VERSIONED = re.compile(r"(?:_v\d+|_pt[sd][sz]|_spt|(?<=[a-z])R\d{4})+$")


class Finder:
    """Looks for facts anywhere in a name.

    ``patterns`` are tried in their order; the first that is found sets its groups.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._patterns = [re.compile(source) for source in data["patterns"]]

    def find(self, name: str) -> Mapping[str, Any]:
        for pattern in self._patterns:
            match = pattern.search(name)
            if match:
                return match.groupdict()
        return {}


class OnlyFinder:
    """Finds what all finds of one pattern mean in ``map``; nothing if they do not mean the same."""

    def __init__(self, data: Mapping[str, Any], maps: Maps) -> None:
        self._fact: str = data["only"]
        self._meanings = maps[data["map"]]
        self._pattern = re.compile(data["patterns"][0])

    def find(self, name: str) -> Mapping[str, Any]:
        meanings = {self._meanings.get(match) for match in self._pattern.findall(name)}
        return {self._fact: meanings.pop()} if len(meanings) == 1 and None not in meanings else {}


class WordFinder:
    """Finds what the words of a map that stand in a C++ name mean; nothing if they do not mean the same.

    A word is a whole type, with its namespace. One pattern for all of them takes ten times as long.
    """

    def __init__(self, data: Mapping[str, Any], maps: Maps) -> None:
        self._fact: str = data["only"]
        self._words = [
            (word, meaning, re.compile(rf"{word}(?=[ ,>&*)])(?<![\w:]{word})"))
            for word, meaning in maps[data["words"]].items()
        ]

    def find(self, name: str) -> Mapping[str, Any]:
        meanings = {meaning for word, meaning, whole in self._words if word in name and whole.search(name)}
        return {self._fact: meanings.pop()} if len(meanings) == 1 else {}


def _finder(data: Mapping[str, Any], maps: Maps) -> Finder | OnlyFinder | WordFinder:
    if "words" in data:
        return WordFinder(data, maps)
    return OnlyFinder(data, maps) if "only" in data else Finder(data)


class Fields:
    """Named values of an entry: those that stand fast, and templates in their order."""

    def __init__(self, values: Mapping[str, Any], maps: Maps, filters: Filters) -> None:
        self.fixed = {key: value for key, value in values.items() if not isinstance(value, list)}
        self.templates = [
            (key, Template(value, maps, filters)) for key, value in values.items() if isinstance(value, list)
        ]

    def fill(self, found: Mapping[str, Any], into: dict[str, Any]) -> dict[str, Any]:
        """Adds the fields to ``into``, without those for which something is missing."""
        into.update(self.fixed)
        for key, template in self.templates:
            value = template.fill(found)
            if value is not None:
                into[key] = value
        return into


class Entry:
    """One entry, ready to match and to speak."""

    def __init__(self, data: Mapping[str, Any], maps: Maps, filters: Filters) -> None:
        self.data = data
        self.id: str = data["id"]
        self.fallback: bool = data.get("fallback", False)
        self.general: bool = data.get("general", False)
        self.finders: tuple[str, ...] = tuple(data.get("find", ()))
        self.required: tuple[str, ...] = tuple(data.get("require", ()))
        self.starts: tuple[str, ...] = tuple(data.get("starts", ()))
        self._has: tuple[str, ...] = tuple(data.get("has", ()))
        self._in_function: tuple[str, ...] = tuple(data.get("in_function", ()))
        self._source: str = data.get("pattern", _ANYTHING)
        self._common: bool = data.get("common", False)
        self._maps, self._filters = maps, filters

    def _fields(self, kind: str) -> Fields:
        return Fields(self.data[kind], self._maps, self._filters)

    @cached_property
    def facts(self) -> Fields:
        return self._fields("facts")

    @cached_property
    def details(self) -> Fields:
        return self._fields("details")

    @cached_property
    def texts(self) -> Fields:
        return self._fields("texts")

    @cached_property
    def said(self) -> Mapping[str, Any]:
        """What an explanation holds whatever the name is."""
        said = {"entry": self.id, "verdict": self.data["verdict"], "sources": self.data["sources"]}
        return dict.fromkeys(TEXTS, "") | said

    def groups(self, name: str) -> Mapping[str, str | None] | None:
        """What the pattern finds in the name; None if it does not match."""
        if self.starts and not name.startswith(self.starts):
            return None
        if self._has and not _holds_any(name, self._has):
            return None
        if self._in_function and not _holds_any(function_of(name), self._in_function):
            return None
        if self._source == _ANYTHING:
            return {}
        match = self._pattern.fullmatch(name)
        return match.groupdict() if match else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, re.DOTALL)

    def prepare(self) -> None:
        """Makes now what is made when first needed; of patterns only the common ones."""
        _ = self.facts, self.details, self.texts, self.said
        if self._common:
            _ = self._pattern


def _holds_any(name: str, parts: Sequence[str]) -> bool:
    # A loop: any() over a generator takes twice as long, and this runs for every candidate.
    for part in parts:  # noqa: SIM110
        if part in name:
            return True
    return False


class _Index:
    """The entries of one category."""

    def __init__(self) -> None:
        self.names: dict[str, list[Entry]] = {}
        self.functions: dict[str, list[Entry]] = {}
        self._count = 0
        # By the first letters of what they start with, at most _HEAD; under "" those that may start anyhow.
        self._patterns: dict[str, list[tuple[int, Entry]]] = {}
        self._by_head: dict[str, list[Entry]] = {}

    def add(self, entry: Entry) -> None:
        for name in entry.data.get("names", ()):
            self.names.setdefault(name, []).append(entry)
        for function in entry.data.get("functions", ()):
            self.functions.setdefault(function, []).append(entry)
        if "functions" not in entry.data and not entry.data.keys().isdisjoint(_AMONG_ALL):
            self._count += 1
            for head in {start[:_HEAD] for start in entry.starts or ("",)}:
                self._patterns.setdefault(head, []).append((self._count, entry))

    def by_pattern(self, name: str) -> list[Entry]:
        """The entries whose pattern may match, in their order."""
        head = name[:_HEAD]
        found = self._by_head.get(head)
        if found is None:
            heads = {head[:length] for length in range(_HEAD + 1)}
            numbered = {pair for part in heads for pair in self._patterns.get(part, ())}
            found = [entry for _, entry in sorted(numbered, key=_number)]
            self._by_head[head] = found
        return found


def _number(numbered: tuple[int, Entry]) -> int:
    return numbered[0]


class Match(Struct, frozen=True):
    """An entry, all that was found in the name, and of that the facts."""

    entry: Entry
    found: dict[str, Any]
    facts: dict[str, Any]


class Glossary:
    """All entries, from one compiled document. operator_words: what fused names are read with."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        maps: Maps = document["maps"]
        self.notes: Mapping[str, str] = document["notes"]
        self.terms = [Term(**term) for term in document["terms"]]
        self._finders = {name: _finder(data, maps) for name, data in document["finders"].items()}
        self._indexes: dict[str, _Index] = {}
        self.operator_words = _operator_words(maps)
        filters: Filters = {"fused": Vocabulary(self.operator_words).split, "list": ", ".join}
        self.entries = [Entry(data, maps, filters) for data in document["entries"]]
        for entry in self.entries:
            for category in entry.data["categories"]:
                self._indexes.setdefault(category, _Index()).add(entry)

    def match(self, name: str, category: str) -> Match:
        """The first entry that matches; every category has one that matches everything."""
        plain, function, known = name, "", {"name": name}
        if category == _KERNEL:
            plain = plain_kernel_name(name)
            function = function_of(plain)
            known = {"name": plain, **parts_of(function)}
        for entry in self._candidates(plain, function, category):
            groups = entry.groups(plain)
            if groups is None:
                continue
            match = self._match(entry, {**known, **groups})
            if match is not None:
                return match
        raise LookupError(f"no entry of {category} matches {name!r}")

    def _candidates(self, name: str, function: str, category: str) -> Iterator[Entry]:
        index = self._indexes[category]
        yield from index.names.get(name, ())
        if category == _KERNEL:
            yield from index.functions.get(function, ())
        elif category in _WITH_VERSIONS:
            unversioned = _VERSIONED.sub("", name)
            if unversioned != name:
                yield from index.names.get(unversioned, ())
        yield from index.by_pattern(name)

    def _match(self, entry: Entry, found: dict[str, Any]) -> Match | None:
        """None if a fact is missing that the entry requires."""
        for finder in entry.finders:
            found.update(self._finders[finder].find(found["name"]))
        facts = entry.facts.fixed.copy()
        found.update(facts)
        for fact, template in entry.facts.templates:
            value = found[fact] = template.fill(found)
            if value is not None:
                facts[fact] = value
            elif fact in entry.required:
                return None
        return Match(entry, found, facts)


def _operator_words(maps: Maps) -> frozenset[str]:
    """What the names of generated kernels are known to be made of."""
    return frozenset([*maps["aten_operators"], *maps["aten_views"], *maps["fused_words"]])


def load(path: Path = COMPILED) -> Glossary:
    """Reads the compiled entries."""
    return Glossary(msgspec.json.decode(path.read_bytes()))
