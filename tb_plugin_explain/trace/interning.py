"""Numbers for texts: each name, process, lane and stream stands once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from tb_plugin_explain.trace.model import Int32s

Item = TypeVar("Item", bound=Hashable)


def text_of(value: object) -> str:
    """A name, ``pid`` or ``tid`` as text: 7, 7.0 and "7" are the same, what is missing is empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        value = int(value)  # equal keys of a dict have to mean the same
    try:
        return str(value)
    except ValueError:  # an int of thousands of digits
        return hex(value) if isinstance(value, int) else ""


class Interner(dict[object, int], Generic[Item]):
    """Maps what the file says to the id of the item that it means.

    Different spellings of one item share its id; the usual look-up is one of a dict.
    """

    def __init__(self, meaning: Callable[[object], Item]) -> None:
        super().__init__()
        self.ids: dict[Item, int] = {}
        self._meaning = meaning

    def __missing__(self, key: object) -> int:
        found = self.id_of(self._meaning(key))
        self[key] = found
        return found

    def id_of(self, item: Item) -> int:
        """The id of an item itself."""
        return self.ids.setdefault(item, len(self.ids))

    def column(self, keys: Sequence[object]) -> Int32s:
        """The ids of many; keys that cannot be in a dict (lists) are taken by what they mean."""
        try:
            return np.fromiter(map(self.__getitem__, keys), np.int32, len(keys))
        except TypeError:
            return np.array([self.id_of(self._meaning(key)) for key in keys], np.int32)
