"""The data files: their examples, their texts, and the compiled form of them."""

from __future__ import annotations

import re

import pytest

from scripts import generate_glossary_docs
from tb_plugin_explain.glossary import glossary, what_is
from tb_plugin_explain.glossary.compile_entries import FormatError, certain_part, compile_entries, to_text
from tb_plugin_explain.glossary.keys import COMPILED, TEXTS
from tb_plugin_explain.glossary.words import Words
from tb_plugin_explain.trace.model import Category

ENTRIES = glossary().entries
CATEGORIES = {category.name for category in Category}


def test_the_compiled_entries_are_those_of_the_data_files() -> None:
    assert to_text(compile_entries()) == COMPILED.read_text(encoding="utf-8")


def test_the_page_is_that_of_the_data_files() -> None:
    page = generate_glossary_docs.generate(compile_entries())
    assert page == generate_glossary_docs.TARGET.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("kernel_one", "kernel_one"),
        (r"(?P<gpu>volta|ampere)_gemm_(?P<m>\d+)x\d+", "_gemm_"),
        (r"a(?:bc)d(?P<rest>ef)?", "abcd"),
        (r"^abc$", "abc"),
        (r"abc|abd", "ab"),
        (r"(?:abc)+|x", ""),
        (r"(?i)abc", ""),
        (r"(?i:abc)de", "de"),
        (r"abc(?!def)gh", "abc"),
        (r".*", ""),
    ],
)
def test_the_part_that_every_match_holds(pattern: str, part: str) -> None:
    assert certain_part(pattern) == part


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_example_is_explained_by_its_entry(entry: object) -> None:
    data = entry.data  # type: ignore[attr-defined]
    assert data["examples"]
    for example in data["examples"]:
        assert data["id"] in [what_is(example, category).entry for category in data["categories"]]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_nothing_of_a_template_is_left_in_the_texts(entry: object) -> None:
    data = entry.data  # type: ignore[attr-defined]
    for example in data["examples"]:
        said = [what_is(example, category) for category in data["categories"]]
        [explanation, *_] = [e for e in said if e.entry == data["id"]]
        for text in TEXTS:
            spoken = getattr(explanation, text).replace(explanation.name, "")
            assert "{" not in spoken or "{lambda" in example
            assert "[[" not in spoken
        assert explanation.human
        assert explanation.what


def test_every_category_has_a_last_entry_that_matches_everything() -> None:
    for category in CATEGORIES:
        explanation = what_is("\x00 no such name \U0001f600", category)
        assert not explanation.telling
        assert explanation.what


def test_entries_name_categories_that_exist_and_sources() -> None:
    for entry in ENTRIES:
        assert set(entry.data["categories"]) <= CATEGORIES
        assert entry.data["sources"]


def test_terms_are_explained_with_earlier_terms_only() -> None:
    """Somebody who reads the list from its beginning meets no word before its explanation."""
    terms = glossary().terms
    finder = Words(terms)
    seen: set[str] = set()
    for term in terms:
        seen.add(term.id)
        assert {used.id for used in finder.used_in(term.text)} <= seen


def test_no_spelling_means_two_terms() -> None:
    spellings = [form.lower() for term in glossary().terms for form in term.forms]
    assert len(set(spellings)) == len(spellings)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (
            'title = "x"\ncategories = ["KERNEL"]\nsources = ["s"]\n[[entry]]\nid = "a"\nfoo = 1\n',
            "unknown keys",
        ),
        ('title = "x"\ncategories = ["KERNEL"]\nsources = ["s"]\n[[entry]]\nid = "a"\n', "no ['examples'"),
        ('title = "x"\ncategories = ["KERNEL"]\n', "no sources"),
    ],
)
def test_a_file_that_breaks_the_format_is_refused(
    tmp_path_factory: pytest.TempPathFactory, file: str, told: str
) -> None:
    directory = tmp_path_factory.mktemp("entries")
    (directory / "terms.toml").write_text("term = []\n", encoding="utf-8")
    (directory / "broken.toml").write_text(file, encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(told)):
        compile_entries(directory)
