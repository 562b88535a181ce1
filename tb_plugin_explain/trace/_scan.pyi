from collections.abc import Callable
from typing import Any, final

@final
class Scanner:
    malformed: int
    def __new__(cls, answer: Callable[[int, bytes, bytes, int], int], /) -> Scanner: ...
    def scan(
        self, text: bytes | bytearray, first_ordinal: int, /
    ) -> tuple[int, int, bool, list[tuple[int, int, int]]]: ...
    def take(self) -> dict[str, Any]: ...
