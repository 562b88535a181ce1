"""``pytest tests/golden --update-golden`` writes the golden files anew; read the difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

EXPECTED = Path(__file__).parent / "expected"
Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with the golden file of a name."""

    def compare(name: str, text: str) -> None:
        path = EXPECTED / name
        if request.config.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return compare
