"""Where the compiled entries lie, and which of their keys are facts and texts."""

from __future__ import annotations

from pathlib import Path

COMPILED = Path(__file__).parent / "compiled.json"
FACTS = ("library", "operation", "dtype", "tile", "tensor_cores", "fused_ops", "direction", "collective")
TEXTS = ("human", "what", "why", "problem")
