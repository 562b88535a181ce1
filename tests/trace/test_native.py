"""The extension module itself: what it refuses, and that errors of Python come through."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from tb_plugin_explain.trace import engine
from tb_plugin_explain.trace.columns import Columns
from tb_plugin_explain.trace.engine import ENGINE_VARIABLE, default_engine, scanner
from tb_plugin_explain.trace.native import NativeScanner

pytestmark = pytest.mark.skipif(scanner is None, reason="the scanner in C was not built")

# Keys are read only with room behind them, so that a last event needs one after it.
EVENT = b'{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 2, "ts": 10.5, "dur": 2}'
TEXT = EVENT + b"," + EVENT + b"," + EVENT


def always(meaning: int) -> Any:
    return lambda question, text, second, number: meaning


def test_the_engine_is_c_unless_the_environment_asks_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENGINE_VARIABLE, raising=False)
    assert default_engine() == "c"
    monkeypatch.setenv(ENGINE_VARIABLE, "msgspec")
    assert default_engine() == "msgspec"
    monkeypatch.delenv(ENGINE_VARIABLE)
    monkeypatch.setattr(engine, "scanner", None)
    assert default_engine() == "msgspec"


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_rows_come_as_columns_of_their_types(kind: type) -> None:
    scan = scanner.Scanner(always(1))
    taken, entries, unclear, apart = scan.scan(kind(TEXT), 7)
    assert (taken, entries, unclear, apart) == (2 * (len(EVENT) + 1), 2, False, [])
    columns = {name: np.asarray(column) for name, column in scan.take().items()}
    assert columns["start_ns"].tolist() == [10500, 10500]
    assert columns["ordinal"].tolist() == [7, 8]
    assert {column.dtype.kind + str(column.itemsize) for column in columns.values()} == {
        "i8",
        "i4",
        "u1",
        "f4",
    }
    assert not any(len(np.asarray(column)) for column in scan.take().values())


def test_what_is_begun_or_ended_is_left_to_python() -> None:
    scan = scanner.Scanner(always(32))
    _, entries, _, apart = scan.scan(TEXT, 0)
    assert entries == 2
    assert [TEXT[begin:end] for begin, end, _ in apart] == [EVENT, EVENT]
    assert [ordinal for _, _, ordinal in apart] == [0, 1]


def test_of_metadata_only_what_has_a_backslash_is_unclear() -> None:
    plain, escaped = (
        b'{"ph": "M", "name": "%b", "pid": 1, "args": {}}' % name for name in (b"a", b"\\u0061")
    )
    scan = scanner.Scanner(always(34))
    text = b",".join([plain, escaped, EVENT, EVENT])
    assert scan.scan(text, 0) == (len(plain) + 1, 1, True, [])


def test_an_error_in_an_answer_comes_through() -> None:
    def fails(*_: object) -> int:
        raise KeyError("meaning")

    with pytest.raises(KeyError, match="meaning"):
        scanner.Scanner(fails).scan(TEXT, 0)


@pytest.mark.parametrize("meaning", [-1, 2**31, 2**70, "1", None])
def test_an_answer_that_is_no_meaning_is_an_error(meaning: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        scanner.Scanner(always(meaning)).scan(TEXT, 0)


def test_a_scanner_that_scans_cannot_be_used_by_its_own_answer() -> None:
    def again(*_: object) -> int:
        with pytest.raises(RuntimeError):
            scan.scan(TEXT, 0)
        with pytest.raises(RuntimeError):
            scan.take()
        return 0

    scan = scanner.Scanner(again)
    assert scan.scan(TEXT, 0)[1] == 2


@pytest.mark.parametrize("text", [memoryview(TEXT), TEXT.decode(), None, np.frombuffer(TEXT, np.uint8)])
def test_only_text_that_ends_in_a_nul_byte_is_taken(text: Any) -> None:
    with pytest.raises(TypeError):
        scanner.Scanner(always(0)).scan(text, 0)


@pytest.mark.parametrize(
    "change",
    [
        {0: np.zeros(2, np.int64)},
        {0: np.zeros(3, np.float64)},
        {1: np.zeros(3, np.int32)},
        {2: np.zeros(3, np.int8)},
        {3: np.zeros((3, 1), np.int64)},
        {4: np.zeros(4, np.int64)},
        {1: b"\0" * 24},
    ],
)
def test_the_sweep_refuses_other_arrays(change: dict[int, Any]) -> None:
    arrays: dict[int, Any] = {
        0: np.zeros(3, np.int64),
        1: np.zeros(3, np.int64),
        2: np.zeros(3, np.uint8),
        3: np.zeros(3, np.int64),
        4: np.zeros(3, np.int64),
    }
    arrays |= change
    with pytest.raises((ValueError, BufferError)):
        scanner.sweep(arrays[0], arrays[1], arrays[2], 1000, arrays[3], arrays[4])


def test_what_was_read_goes_with_its_scanner() -> None:
    """The collector sees no rows of C, so that a circle would keep them for long."""
    gone = weakref.ref(native := NativeScanner(Columns()))
    native.scan(bytearray(TEXT))
    gc.disable()
    try:
        del native
        assert gone() is None
    finally:
        gc.enable()
