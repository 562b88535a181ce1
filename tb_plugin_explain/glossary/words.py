"""The words that the texts use: which of them a text holds, and what a reader means who asks for one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_plugin_explain.glossary.explanation import Term


class Words:
    """Terms, in an order in which each builds on those before it."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._ids = {form.lower(): term.id for term in terms for form in term.forms}
        self._named = {_plain(name): term for term in terms for name in (term.id, *term.forms)}
        longest_first = sorted(self._ids, key=len, reverse=True)
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)

    def used_in(self, text: str) -> list[Term]:
        """The terms that a text uses, in their order."""
        used = {self._ids[form.lower()] for form in self._pattern.findall(text)}
        return [term for term in self._terms if term.id in used]

    def named(self, name: str) -> Term | None:
        """The term of this name, whatever its capitals, hyphens and underscores."""
        return self._named.get(_plain(name))


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.lower())).strip()
