"""What any rectangle of a trace is: its human name, what it does, whether it is a problem, its facts.

``what_is(name, category)`` answers for readers, ``facts(name, category)`` for analyses. Both never
fail: of a name that no entry knows they say what its category alone tells. Readers may also ask for
a word (``kernel``, ``lane offset``) or for a name as our reports shorten it (``addmm``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from tb_plugin_explain.glossary.explanation import Explanation, Facts, Term, Verdict
from tb_plugin_explain.glossary.matcher import Glossary, Match, load
from tb_plugin_explain.glossary.wording import sentences
from tb_plugin_explain.glossary.words import Words
from tb_plugin_explain.trace.categories import Kind, row_kind
from tb_plugin_explain.trace.category import Category

__all__ = ["Explanation", "Facts", "Term", "Verdict", "facts", "glossary", "terms_of", "what_is", "words"]

_KEPT_NAMES = 16384
_KEPT_CATEGORIES = 64
# In which order a name without a category is tried.
_GUESSES = (
    "OVERHEAD", "MEMCPY", "MEMSET", "RUNTIME", "DRIVER", "SYNC_ROW", "INSTANT", "CPU_OP", "KERNEL",
    "ANNOTATION", "PYTHON",
)  # fmt: skip
_OTHER = "OTHER"
# Fused kernels and our reports name operators without their name space, and some without their last “_”.
_SHORTENED = ("aten::{}", "aten::{}_")
_UNKNOWN: Mapping[str, object] = {
    "entry": "unknown",
    "human": "A name that we do not know",
    "what": "We do not know this name. Copy it whole from the trace; "
    "if you know its category, add --category kernel.",
    "problem": "We cannot tell.",
    "sources": (),
}
# Ranges named after kernels, under whatever category the profiler has put them.
_NAMED_AFTER = (_OTHER, "KERNEL")
# Events that can be of several categories.
_SEVERAL: Mapping[int, tuple[str, ...]] = {
    Kind.MTIA: ("MEMCPY", "SYNC_ROW", "KERNEL"),
    Category.OTHER: _NAMED_AFTER,
}


@cache
def _loaded() -> Glossary:
    """The glossary for the few names of one trace’s analyses."""
    return load()


@cache
def glossary() -> Glossary:
    """The glossary, loaded when first asked for, and ready for many names."""
    for entry in _loaded().entries:
        entry.prepare()
    return _loaded()


@cache
def words() -> Words:
    """The words that the texts use."""
    return Words(glossary().terms)


def what_is(name: str, category: Category | str | None = None) -> Explanation:
    """What an event of this name is.

    category: a ``Category``, its name, or ``cat`` as the file spells it (``cuda_runtime``). Without
    one the name may be a word of ours, and is tried in all categories.
    """
    if category is None:
        return _explain_word(name) or _explain(_whole(name), _GUESSES)
    return _explain(name, _categories(category))


def facts(name: str, category: Category | str | None = None) -> Facts:
    """What the name itself tells, without texts."""
    return _facts(name, _categories(category))


def terms_of(explanation: Explanation) -> list[Term]:
    """The terms that an explanation uses, in an order in which each builds on those before it."""
    used = words().used_in(sentences(explanation))
    return [term for term in used if _word_id(term) != explanation.entry]


@lru_cache(maxsize=_KEPT_CATEGORIES)
def _categories(category: Category | str | None) -> tuple[str, ...]:
    """The names of the categories in which to look, in their order."""
    if category is None:
        return _GUESSES
    kind = category if isinstance(category, Category) else _kind(category)
    if kind == Kind.BY_NAME:
        return _GUESSES
    return _SEVERAL.get(kind) or (Category(kind).name,)


def _kind(category: str) -> int:
    spelled = category.upper()
    return Category[spelled] if spelled in Category.__members__ else row_kind(category)


def _word_id(term: Term) -> str:
    return f"word.{term.id}"


def _explain_word(name: str) -> Explanation | None:
    term = words().named(name)
    if term is None:
        return None
    return Explanation(
        name=name,
        category="word",
        entry=_word_id(term),
        human=term.forms[0],
        what=term.text,
        why="",
        problem="",
        verdict="expected",
        sources=(),
        telling=True,
    )


def _whole(name: str) -> str:
    """The name as traces spell it, of one that no entry knows: ``aten::addmm`` of ``addmm``."""
    if _match(name, _GUESSES)[0].entry.fallback:
        for spelling in _SHORTENED:
            entry = _loaded().match(spelling.format(name), "CPU_OP").entry
            if not entry.fallback and not entry.general:
                return spelling.format(name)
    return name


@lru_cache(maxsize=_KEPT_NAMES)
def _match(name: str, categories: tuple[str, ...]) -> tuple[Match, str]:
    """The match in the first category in which the name is known, else in the last.

    An entry that is general speaks only if none of another category does.
    """
    general = None
    for category in categories:
        match = _loaded().match(name, category)
        if not match.entry.fallback:
            if not match.entry.general:
                return match, category
            general = general or (match, category)
    if general:
        return general
    if len(categories) > 1:
        category = _OTHER
        match = _loaded().match(name, category)
    return match, category


@lru_cache(maxsize=_KEPT_NAMES)
def _facts(name: str, categories: tuple[str, ...]) -> Facts:
    match, _ = _match(name, categories)
    return Facts(**match.facts, details=match.entry.details.fill(match.found, {}))


@lru_cache(maxsize=_KEPT_NAMES)
def _explain(name: str, categories: tuple[str, ...]) -> Explanation:
    match, category = _match(name, categories)
    entry, found = match.entry, match.found
    fields = {**entry.said, **match.facts}
    entry.texts.fill(found, fields)
    fields["name"] = name
    fields["category"] = category.lower()
    fields["telling"] = _is_telling(match, category)
    fields["details"] = entry.details.fill(found, {})
    if entry.fallback and categories == _GUESSES:
        fields.update(_UNKNOWN)
    note = glossary().notes.get("NAMED_AFTER" if categories == _NAMED_AFTER else category)
    if note and not entry.fallback and category != _OTHER:
        fields["what"] = f"{fields['what']} {note}"
    return Explanation(**fields)


def _is_telling(match: Match, category: str) -> bool:
    """Whether more is said than the category tells; of a kernel, library and operation at least."""
    if match.entry.fallback:
        return False
    return category != "KERNEL" or ("library" in match.facts and "operation" in match.facts)
