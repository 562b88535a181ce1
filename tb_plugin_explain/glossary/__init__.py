"""What any rectangle of a trace is: its human name, what it does, whether it is a problem, its facts.

``what_is(name, category)`` answers for readers, ``facts(name, category)`` for analyses. Both never
fail: of a name that no entry knows they say what its category alone tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from tb_plugin_explain.glossary.explanation import Explanation, Facts, Term, Verdict
from tb_plugin_explain.glossary.keys import TEXTS
from tb_plugin_explain.glossary.matcher import Glossary, Match, load
from tb_plugin_explain.trace.categories import Kind, row_kind
from tb_plugin_explain.trace.model import Category

__all__ = ["Explanation", "Facts", "Term", "Verdict", "facts", "glossary", "terms_of", "what_is"]

_KEPT_NAMES = 16384
_NO_TEXTS = dict.fromkeys(TEXTS, "")
# In which order a name without a category is tried.
_GUESSES = (
    Category.OVERHEAD,
    Category.MEMCPY,
    Category.MEMSET,
    Category.SYNC_ROW,
    Category.INSTANT,
    Category.RUNTIME,
    Category.DRIVER,
    Category.CPU_OP,
    Category.KERNEL,
    Category.ANNOTATION,
    Category.PYTHON,
)
# Events that can be of several categories; of an unknown category are ranges named after kernels.
_SEVERAL: Mapping[int, tuple[Category, ...]] = {
    Kind.MTIA: (Category.MEMCPY, Category.SYNC_ROW, Category.KERNEL),
    Category.OTHER: (Category.OTHER, Category.KERNEL),
}


@cache
def glossary() -> Glossary:
    """The glossary, loaded when first asked for."""
    return load()


def what_is(name: str, category: Category | str | None = None) -> Explanation:
    """What an event of this name is.

    category: a ``Category``, its name, or ``cat`` as the file spells it (``cuda_runtime``). Without
    one the name is tried in all categories.
    """
    return _explain(name, _categories(category))


def facts(name: str, category: Category | str | None = None) -> Facts:
    """What the name itself tells, without texts."""
    return _facts(name, _categories(category))


def terms_of(explanation: Explanation) -> list[Term]:
    """The terms that an explanation uses, in an order in which each builds on those before it."""
    return [term for term in glossary().terms if term.id in explanation.terms]


def _categories(category: Category | str | None) -> tuple[Category, ...]:
    if category is None:
        return _GUESSES
    kind = category if isinstance(category, Category) else _kind(category)
    if kind == Kind.BY_NAME:
        return _GUESSES
    return _SEVERAL.get(kind) or (Category(kind),)


def _kind(category: str) -> int:
    return Category[category] if category in Category.__members__ else row_kind(category)


@lru_cache(maxsize=_KEPT_NAMES)
def _match(name: str, categories: tuple[Category, ...]) -> tuple[Match, Category]:
    """The match in the first category in which the name is known, else in the last."""
    for category in categories:
        match = glossary().match(name, category.name)
        if not match.entry.fallback:
            return match, category
    if len(categories) > 1:
        category = Category.OTHER
        match = glossary().match(name, category.name)
    return match, category


@lru_cache(maxsize=_KEPT_NAMES)
def _facts(name: str, categories: tuple[Category, ...]) -> Facts:
    match, _ = _match(name, categories)
    return Facts(**match.facts, details=glossary().fill(match.entry.details, match.found))


@lru_cache(maxsize=_KEPT_NAMES)
def _explain(name: str, categories: tuple[Category, ...]) -> Explanation:
    match, category = _match(name, categories)
    entry, found = match.entry, match.found
    words = glossary()
    texts = {**_NO_TEXTS, **words.fill(entry.texts, found)}
    note = words.notes.get("NAMED_AFTER" if categories == _SEVERAL[Category.OTHER] else category.name)
    if note and not entry.fallback and category != Category.OTHER:
        texts["what"] = f"{texts['what']} {note}"
    return Explanation(
        name=name,
        category=category.name.lower(),
        entry=entry.id,
        verdict=entry.data["verdict"],
        terms=entry.data["terms"],
        sources=entry.data["sources"],
        telling=_is_telling(match, category),
        details=words.fill(entry.details, found),
        **texts,
        **match.facts,
    )


def _is_telling(match: Match, category: Category) -> bool:
    """Whether more is said than the category tells; of a kernel, library and operation at least."""
    if match.entry.fallback:
        return False
    return category != Category.KERNEL or ("library" in match.facts and "operation" in match.facts)
