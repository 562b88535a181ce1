from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

def sweep(
    start_ns: npt.NDArray[np.int64],
    end_ns: npt.NDArray[np.int64],
    rank: npt.NDArray[np.uint8],
    rounding_ns: int,
    parent: npt.NDArray[np.int64],
    beyond: npt.NDArray[np.int64],
    /,
) -> None: ...

@final
class Scanner:
    malformed: int
    def __new__(cls, answer: Callable[[int, bytes, bytes, int], int], /) -> Scanner: ...
    def scan(
        self, text: bytes | bytearray, first_ordinal: int, /
    ) -> tuple[int, int, bool, list[tuple[int, int, int]]]: ...
    def take(self) -> dict[str, Any]: ...
