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
