"""Any bytes give a report or a refusal in one line: no other error, soon, and in little memory."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tb_plugin_explain.trace.memory import limited_memory, own_bytes
from tests.faults.any_bytes import any_files, changed_traces, damaged, gzipped, nearly_traces
from tests.faults.cache_tabs import write_trace
from tests.faults.everything import make_everything

# For files of some kilobytes: what would grow with their content, if a number in it could make it grow.
MOST_S, MOST_BYTES = 5.0, 300 * 10**6

_quickly = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bytes")
    write_trace(path / "good.json", 1, 2, 3)
    return path


def explained(directory: Path, content: bytes) -> str:
    path = directory / "trace.json"
    path.write_bytes(content)
    began = time.process_time()
    with limited_memory(own_bytes() + MOST_BYTES), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        ended = make_everything(str(path), str(directory / "good.json"))
    assert time.process_time() - began < MOST_S
    return ended


@_quickly
@given(any_files())
def test_any_bytes_give_a_report_or_a_refusal(directory: Path, content: bytes) -> None:
    explained(directory, content)


@_quickly
@given(changed_traces())
def test_valid_json_of_any_events_gives_a_report(directory: Path, content: bytes) -> None:
    assert explained(directory, content) in {"ready", "not_a_trace"}


@_quickly
@given(damaged(changed_traces()))
def test_damaged_traces(directory: Path, content: bytes) -> None:
    explained(directory, content)


@_quickly
@given(nearly_traces())
def test_pieces_of_traces(directory: Path, content: bytes) -> None:
    explained(directory, content)


@_quickly
@given(damaged(gzipped(changed_traces())))
def test_damaged_gzip(directory: Path, content: bytes) -> None:
    explained(directory, content)
