"""What the matching says: which units of the two sides are one piece of work."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tb_plugin_explain.comparison_schema import GroupKind
from tb_plugin_explain.report_schema import Confidence


class Match(Struct, frozen=True):
    """Positions of the units of baseline and candidate that belong together.

    Each position of a side is in exactly one match. ops: the operators that the match is about, for
    its title; of ``dispatch_fused`` those that merge, then the one that does their work.
    """

    kind: GroupKind
    baseline: Sequence[int]
    candidate: Sequence[int]
    ops: Sequence[str]
    confidence: Confidence
    why: str
