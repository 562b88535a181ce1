"""One value: where it ends, what is mended, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin_explain.trace.repair import BadSyntax, Incomplete, Mender
from tb_plugin_explain.trace.text import TooDeep

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def mend(text: bytes, *, ended: bool = True) -> tuple[Any, Mender]:
    mender = Mender(bytearray(text))
    return json.loads(mender.run(ended=ended)), mender


@given(JSON_VALUES, st.sampled_from([None, 1]), st.booleans())
def test_valid_json_stays_as_it_is(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    if b"\\ud" in text:
        return  # half of a surrogate pair is mended
    mender = Mender(bytearray(text + b" ,"))
    assert mender.run(ended=False) == text
    assert (mender.position, mender.repairs.total) == (len(text), 0)


@given(JSON_VALUES, st.data())
def test_a_value_read_in_two_parts(value: Any, data: st.DataObject) -> None:
    text = json.dumps([value]).encode()
    cut = data.draw(st.integers(0, len(text) - 1))
    mender = Mender(bytearray(text[:cut]))
    with pytest.raises(Incomplete):
        mender.run(ended=False)
    mender.data += text[cut:]
    assert mender.run(ended=True) == text or b"\\ud" in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'{"p": "D:\work\q"}', {"p": r"D:\work\q"}),
        (rb'{"p": "C:\users"}', {"p": r"C:\users"}),
        (rb'{"p": "a\\b\"c\/"}', {"p": 'a\\b"c/'}),
        (rb'["\ud800x"]', ["�x"]),
        (rb'["\ud83d\ude00"]', ["😀"]),
        (b'{"ts": NaN, "dur": -Infinity, "x": N/A}', {"ts": "NaN", "dur": "-Infinity", "x": "N/A"}),
        (b'{"a": 007, "b": -01.50}', {"a": 7, "b": -1.5}),
        (b'{"a": [1, 2, ], }', {"a": [1, 2]}),
        (b'["a\nb\x01"]', ["a\nb\x01"]),
        (b'["\xf0x\xff"]', ["�x�"]),
    ],
)
def test_mended(text: bytes, value: object) -> None:
    assert mend(text)[0] == value


@pytest.mark.parametrize(
    ("text", "position"),
    [
        (b'{"ts": 1, tid": 0}', 10),
        (b'{"a": "b"c", "d": 1}', 9),
        (b'{"a" 1}', 5),
        (b'{"a": 1]', 7),
        (b"[1, , 2]", 4),
        (b"[foo]", 1),
        (b'{"a": 1., "b": 2}', 6),
        (b"{1: 2}", 1),
    ],
)
def test_refused_with_its_place(text: bytes, position: int) -> None:
    with pytest.raises(BadSyntax) as refusal:
        mend(text)
    assert refusal.value.position == position


def test_deep_nesting_becomes_null() -> None:
    value, mender = mend(b'{"a": 1, "b": ' + b"[" * 100_000 + b"]" * 100_000 + b', "c": 3}')
    assert (value["a"], value["c"], mender.repairs.too_deep) == (1, 3, 1)


def test_bottomless_nesting_is_refused() -> None:
    with pytest.raises(TooDeep):
        mend(b"[" * 300_000)
