"""The format of the data files in ``entries/``, and how they become ``compiled.json``.

A file has ``title``, ``categories``, ``sources`` and entries. Of the entries of one category the
first that matches speaks: exact names and functions first, then patterns by the ``rank`` of their
file and their order in it. Parsing the files takes a second; so they are compiled, and a test keeps the
result up to date. ``python -m tb_plugin_explain.glossary.compile_entries`` writes it.
"""

from __future__ import annotations

import json
import re
import re._parser as parser  # type: ignore[import-not-found]
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tb_plugin_explain.glossary.keys import COMPILED, FACTS, TEXTS
from tb_plugin_explain.glossary.template import parse

ENTRIES = Path(__file__).parent / "entries"
# names: the whole name. functions: the function that a kernel’s name begins with. starts: the name begins
# with one of these. has: it holds one of these. in_function: a kernel’s function holds one of these.
# pattern: a regular expression for the whole name; common: it is of use in many traces. find: finders that
# look for further groups. require: facts without which the entry does not match. Without a pattern there
# are the groups name, namespace and function. general: of a name without a category, other categories are
# asked first. made_up: the examples are no names of real code.
MATCHING = ("names", "functions", "pattern", "common", "starts", "has", "in_function", "find", "require")
_FLAGS = ("fallback", "general", "made_up")
_ENTRY_KEYS = {"id", "verdict", "details", "examples", "sources", *_FLAGS, *MATCHING, *FACTS, *TEXTS}
_FILE_KEYS = {"title", "about", "categories", "rank", "sources", "defaults", "entry"}
_VERDICTS = {"expected", "artefact", "depends", "avoidable"}
_WORDS = ("maps", "terms")
# No name holds it.
_ANYTHING = "\0"
# Of fewer letters almost every name has some.
_TELLING = 3


class FormatError(ValueError):
    """A data file does not keep to the format; the text says where."""


def compile_entries(directory: Path = ENTRIES) -> dict[str, Any]:
    """All data files as one document: ``terms``, ``maps``, ``finders``, ``notes`` and ``entries``."""
    words: dict[str, Any] = {"maps": {}, "finders": {}, "notes": {}}
    for path in sorted(directory.glob("maps*.toml")):
        for kind, content in tomllib.loads(path.read_text(encoding="utf-8")).items():
            words[kind] |= content
    terms = tomllib.loads((directory / "terms.toml").read_text(encoding="utf-8"))["term"]
    files = [_read(path) for path in sorted(directory.glob("*.toml")) if not path.name.startswith(_WORDS)]
    files.sort(key=lambda file: file[1].get("rank", 50))
    entries = [_complete(entry, content, name) for name, content in files for entry in content["entry"]]
    ids = [entry["id"] for entry in entries]
    if len(set(ids)) != len(ids):
        raise FormatError(f"entries of one id: {sorted({i for i in ids if ids.count(i) > 1})}")
    return {"terms": terms, **words, "entries": entries}


def to_text(compiled: Mapping[str, Any]) -> str:
    return json.dumps(compiled, ensure_ascii=False, indent=0, sort_keys=True) + "\n"


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = set(content) - _FILE_KEYS
    if unknown or not content.get("sources") or not content.get("categories"):
        raise FormatError(f"{path.name}: unknown keys {sorted(unknown)}, or no sources or categories")
    return path.name, content


def _complete(entry: Mapping[str, Any], file: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An entry with what its file says of all its entries."""
    full = {"verdict": "expected", "why": "", **file.get("defaults", {}), **entry}
    where = f"{name}: {entry.get('id')}"
    unknown = set(full) - _ENTRY_KEYS
    if unknown:
        raise FormatError(f"{where}: unknown keys {sorted(unknown)}")
    missing = {"id", *TEXTS, "examples"} - set(full)
    if missing:
        raise FormatError(f"{where}: no {sorted(missing)}")
    if not any(key in full for key in ("names", "functions", "pattern", "starts", "in_function")):
        raise FormatError(f"{where}: nothing to match")
    if full["verdict"] not in _VERDICTS:
        raise FormatError(f"{where}: verdict {full['verdict']!r}")
    if "pattern" in full:
        re.compile(full["pattern"])
        if len(part := certain_part(full["pattern"])) >= _TELLING:
            full.setdefault("has", [part])
    return {
        **{key: value for key, value in full.items() if key not in (*FACTS, *TEXTS)},
        "facts": {key: _parsed(full[key]) for key in FACTS if key in full},
        "texts": {key: _parsed(full[key]) for key in TEXTS},
        "details": {key: _parsed(value) for key, value in full.get("details", {}).items()},
        "categories": file["categories"],
        "title": file["title"],
        "sources": full.get("sources", file["sources"]),
    }


def certain_part(pattern: str) -> str:
    """The longest text that stands in every name that the pattern matches; it may be empty."""
    parsed = parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE:
        return ""
    return max("".join(_certain(parsed)).split(_ANYTHING), key=len)


def _certain(tokens: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    for kind, value in tokens:
        if kind is parser.LITERAL:
            yield chr(value)
        elif kind is parser.SUBPATTERN and not value[1] and not value[2]:
            yield from _certain(value[3])
        elif kind is not parser.AT:
            yield _ANYTHING


def _parsed(value: Any) -> Any:
    return parse(value) if isinstance(value, str) else value


def main() -> int:
    text = to_text(compile_entries())
    if "--check" in sys.argv[1:]:
        return int(not COMPILED.exists() or COMPILED.read_text(encoding="utf-8") != text)
    COMPILED.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
