"""How entries are found, on entries made up for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.glossary.compile_entries import compile_entries
from tb_plugin_explain.glossary.matcher import Glossary

MAPS = """
[notes]
[maps.aten_operators]
add = "adds"
[maps.aten_views]
[maps.fused_words]
[maps.types]
float = "fp32"
half = "fp16"
[finders.type]
only = "type"
words = "types"
"""
TERMS = '[[term]]\nid = "gpu"\nforms = ["GPU"]\ntext = "It computes."\n'
HEAD = """
title = "t"
categories = ["KERNEL"]
sources = ["s"]
[defaults]
problem = "No."
examples = ["x"]
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Glossary:
    entries = {
        "start": 'starts = ["ab::c", "z"]',
        "within": 'in_function = ["norm"]\nfind = ["type"]\ndtype = "{type}"',
        "common": 'pattern = "k(?P<n>\\\\d+)"\ncommon = true\noperation = "{n}"',
        "rare": 'pattern = "r(?P<n>\\\\d+)"\noperation = "{n} of {function} in {namespace}"',
        "any": 'pattern = ".*"\nfallback = true',
    }
    directory: Path = tmp_path_factory.mktemp("entries")
    texts = [f'[[entry]]\nid = "{id}"\nhuman = "h"\nwhat = "w"\n{rest}\n' for id, rest in entries.items()]
    (directory / "small.toml").write_text(HEAD + "".join(texts), encoding="utf-8")
    (directory / "maps.toml").write_text(MAPS, encoding="utf-8")
    (directory / "terms.toml").write_text(TERMS, encoding="utf-8")
    return Glossary(compile_entries(directory))


@pytest.mark.parametrize(
    ("name", "entry", "facts"),
    [
        ("void ab::cd<1>(int)", "start", {}),
        ("ab::d", "any", {}),
        ("z", "start", {}),
        ("a", "any", {}),
        ("void x::rms_norm_kernel<float>(float)", "within", {"dtype": "fp32"}),
        ("void x::rms_norm_kernel<float>(half *)", "within", {}),
        ("void x::rms_norm_kernel<x::half, afloat>(int)", "within", {}),
        ("void x::f<x::norm>(int)", "any", {}),
        ("k12", "common", {"operation": "12"}),
        ("r12", "rare", {"operation": "12 of r12 in r12"}),
        ("k12x", "any", {}),
    ],
)
def test_which_entry_speaks(small: Glossary, name: str, entry: str, facts: dict[str, object]) -> None:
    match = small.match(name, "KERNEL")
    assert (match.entry.id, match.facts) == (entry, facts)
