"""Words that readers ask for, and which words an answer defines."""

from __future__ import annotations

import re

import pytest

from tb_plugin_explain.glossary import glossary, terms_of, what_is, words
from tb_plugin_explain.glossary.wording import as_text, sentences
from tb_plugin_explain.trace.category import Category


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("kernel", "kernel"),
        ("Streams", "stream"),
        ("gemm", "gemm"),
        ("bubble", "bubble"),
        ("refill bubble", "bubble"),
        ("lane offset", "lane-offset"),
        ("lane-offset", "lane-offset"),
        ("pace", "pace"),
        ("settled", "settled"),
        ("compile tax", "compile-tax"),
        ("graph break", "graph-break"),
        ("launch", "launch"),
        ("graph launch", "graph-launch"),
        ("waiting", "waiting"),
        ("within noise", "within-noise"),
        ("split_k", "split-k"),
    ],
)
def test_a_word_is_explained(asked: str, term: str) -> None:
    explanation = what_is(asked)
    assert explanation.entry == f"word.{term}"
    assert explanation.category == "word"
    assert explanation.what
    assert term not in {used.id for used in terms_of(explanation)}


WANTED = (
    "torch.compile", "eager", "guard", "bias", "activation", "softmax", "mask", "batch", "head", "stride",
    "module", "context", "PTX", "NCCL", "ATen", "cuBLAS", "cuDNN", "CUTLASS", "AOTAutograd", "autocast",
    "max-autotune", "Hopper", "Ampere", "sm80", "runtime", "graph",
)  # fmt: skip


@pytest.mark.parametrize("word", WANTED)
def test_words_that_the_texts_use_have_an_entry(word: str) -> None:
    assert what_is(word).category == "word"


def test_with_a_category_a_name_is_an_event() -> None:
    assert what_is("kernel", Category.ANNOTATION).category == "annotation"


@pytest.mark.parametrize("term", glossary().terms, ids=lambda term: term.id)
def test_every_word_is_found_by_its_id_and_its_forms(term: object) -> None:
    for name in (term.id, *term.forms):  # type: ignore[attr-defined]
        found = words().named(name)
        assert found is not None
        assert found.id == term.id  # type: ignore[attr-defined]


def test_only_words_that_occur_are_defined_each_once() -> None:
    for entry in glossary().entries:
        for category in entry.data["categories"]:
            explanation = what_is(entry.data["examples"][0], category)
            said = sentences(explanation)
            terms = terms_of(explanation)
            assert len({term.id for term in terms}) == len(terms)
            for term in terms:
                assert any(re.search(rf"\b{re.escape(form)}\b", said, re.IGNORECASE) for form in term.forms)


def test_a_compiled_region_defines_no_part_of_torch_compile() -> None:
    explanation = what_is("Torch-Compiled Region: 0/0", "user_annotation")
    assert [term.id for term in terms_of(explanation)] == ["compile"]


def test_the_words_of_the_compiled_path_are_defined() -> None:
    ids = {term.id for term in terms_of(what_is("TorchDynamo Cache Lookup", "cpu_op"))}
    assert {"dynamo", "guard"} <= ids
    ids = {term.id for term in terms_of(what_is("AOTDispatcher Runtime Wrapper Prologue", "cpu_op"))}
    assert {"aot-autograd", "graph"} <= ids


def test_words_stand_under_a_heading() -> None:
    explanation = what_is("ampere_sgemm_128x64_tn", "kernel")
    text = as_text(explanation, terms_of(explanation))
    assert "\n\nWords\nmatrix multiply: " in text
    assert "Words" not in as_text(explanation)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ampere_sgemm_128x64_nn", "Inputs transposed (n = no, t = yes): nn"),
        (
            "ampere_cgemm_32x32_cn",
            "Inputs transposed (n = no, t = yes, c = yes, with each number conjugated): cn",
        ),
    ],
)
def test_the_letters_of_a_matrix_multiply_are_explained(name: str, line: str) -> None:
    text = as_text(what_is(name, "kernel"))
    assert line in text.splitlines()
    assert "Layout:" not in text
