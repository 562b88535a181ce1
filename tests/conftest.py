"""What all tests share: where the sample runs and the real traces are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tb_plugin_explain

REPOSITORY = Path(__file__).resolve().parent.parent


def _shared(part: str) -> Path:
    root = Path(os.environ.get("EXPLAIN_SHARED", REPOSITORY.parent / "shared"))
    directory = root / part
    if not directory.is_dir():
        pytest.skip(f"no {part} of real inputs beside the repository (set EXPLAIN_SHARED)")
    return directory


@pytest.fixture(scope="session")
def shared_traces() -> Path:
    """The directory of real traces published by others; they are never committed."""
    return _shared("traces")


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The directory of small inputs with the figures that are right for them."""
    return _shared("cases")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The log directory with the sample runs that the package brings."""
    return Path(tb_plugin_explain.__file__).parent / "samples"
