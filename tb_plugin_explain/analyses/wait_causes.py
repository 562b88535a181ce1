"""What each wait was for, as far as the operators around it tell.

``shape``: an operator whose result’s size depends on values, so that the CPU must know them.
``scalar``: one number is read back (``.item()``, ``float(t)``, ``if t:``). ``other``: all else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.analyses.sync_calls import Waits
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Bools, Trace

WaitCause = Literal["shape", "scalar", "other"]
# Those that have a rule of their own, in the order in which they take their bubbles.
OWN_CAUSES: Sequence[WaitCause] = ("scalar", "shape")


def find_wait_causes(trace: Trace, origins: Origins, waits: Waits) -> Mapping[WaitCause, Bools]:
    """Whether each wait is of each cause; every wait is of exactly one."""
    nesting = origins.nesting
    shaping = origins.operators & trace.names_where(vocabulary.is_shape_read)
    shape = nesting.inside(shaping)[waits.row]
    operator = nesting.nearest(waits.row, origins.operators)
    reading = trace.names_where(vocabulary.is_scalar_read)
    scalar = ~shape & (operator >= 0)
    scalar[scalar] = reading[operator[scalar]]
    return {"shape": shape, "scalar": scalar, "other": ~shape & ~scalar}
