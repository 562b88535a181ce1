"""What tests of the plugin share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.bench import Bench, NewBench


@pytest.fixture
def new_bench(tmp_path: Path) -> Iterator[NewBench]:
    made: list[Bench] = []

    def make(**options: Any) -> Bench:
        made.append(Bench(tmp_path, **options))
        return made[-1]

    yield make
    for each in made:
        each.pool.close()
