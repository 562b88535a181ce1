"""Where the compiled entries lie, and which of their keys are facts and texts."""

from __future__ import annotations

from pathlib import Path

COMPILED = Path(__file__).parent / "compiled.json"
# In the order in which one can refer to another.
FACTS = ("fused_ops", "library", "operation", "dtype", "tile", "tensor_cores", "direction", "collective")
TEXTS = ("human", "what", "why", "problem")
