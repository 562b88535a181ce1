"""Splitting joined names of operators."""

from __future__ import annotations

import pytest

from tb_plugin_explain.glossary.fused_names import Vocabulary

VOCABULARY = {"_to_copy", "_unsafe_view", "add", "mul", "native_layer_norm", "native_layer_norm_backward"} | {
    "native", "norm", "layer_norm", "view", "backward", "to", "copy"
}  # fmt: skip


@pytest.mark.parametrize(
    ("joined", "operators"),
    [
        ("add", ("add",)),
        ("add_mul", ("add", "mul")),
        ("_to_copy_add_mul_native_layer_norm_view", ("_to_copy", "add", "mul", "native_layer_norm", "view")),
        ("native_layer_norm_native_layer_norm_backward", ("native_layer_norm", "native_layer_norm_backward")),
        ("_unsafe_view_add", ("_unsafe_view", "add")),
        ("add_somethingnew_view", ("add", "somethingnew", "view")),
        ("", ()),
    ],
)
def test_split(joined: str, operators: tuple[str, ...]) -> None:
    assert Vocabulary(VOCABULARY).split(joined) == operators


@pytest.mark.parametrize(
    ("joined", "only"),
    [
        ("add_mul", True),
        ("native_layer_norm", True),
        ("_to_copy_add_view", True),
        ("add_somethingnew", False),
        ("mul_add", False),
        ("", False),
    ],
)
def test_whether_a_reading_is_the_only_one(joined: str, only: bool) -> None:
    assert Vocabulary(VOCABULARY).has_only_reading(joined) is only


def test_a_second_reading() -> None:
    assert not Vocabulary({"layer", "layer_norm", "norm", "view"}).has_only_reading("layer_norm_view")
