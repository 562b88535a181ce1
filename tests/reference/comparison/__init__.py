"""The comparison of two traces, computed a second time: slowly, from docs/definitions/comparison.md alone."""

from __future__ import annotations

from .differences import by_step, deltas
from .side import Side, side_of
from .verdict import changes, verdict

__all__ = ["Side", "by_step", "changes", "deltas", "side_of", "verdict"]
