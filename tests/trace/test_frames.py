"""Whose code a Python frame is."""

from __future__ import annotations

import pytest

from tb_plugin_explain.trace.frames import is_module_frame, is_user_frame, module_name


@pytest.mark.parametrize(
    "name",
    [
        "train.py(12): step",
        "/home/me/project/train.py(12): step",
        "C:\\project\\train.py(3): <module>",
        "transformers/models/bert/modeling_bert.py(5): forward",
        "/usr/lib/python3.10/site-packages/transformers/trainer.py(9): train",
        "/home/me/torch_utils/loss.py(1): loss",
        "/home/me/random.py(1): mine",
    ],
)
def test_users_code(name: str) -> None:
    assert is_user_frame(name)


@pytest.mark.parametrize(
    "name",
    [
        "nn.Module: Linear_0",
        "<built-in function len>",
        "<frozen os>(808): getenv",
        "<string>(1): <module>",
        "torch/nn/modules/module.py(1501): _call_impl",
        "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py(5): backward",
        "/tmp/torchinductor_me/ab/cab.py(40): call",
        "triton/runtime/jit.py(3): run",
        "threading.py(1002): _bootstrap",
        "concurrent/futures/thread.py(81): _worker",
        "/usr/lib/python3.11/threading.py(982): run",
        "no frame at all",
    ],
)
def test_code_of_torch_or_python(name: str) -> None:
    assert not is_user_frame(name)


def test_modules_by_name() -> None:
    assert is_module_frame("nn.Module: Linear_0")
    assert module_name("nn.Module: Linear_0") == "Linear_0"
    assert not is_module_frame("torch/nn/modules/linear.py(130): forward")
