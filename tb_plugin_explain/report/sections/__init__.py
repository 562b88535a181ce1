"""One module a section of the report: from analyses to its JSON, in microseconds.

Tables keep the most expensive rows and say what the others amount to, so that a report stays small.
"""

from tb_plugin_explain.trace.model import Trace

# More rows than this nobody reads; the rest is summed.
MAX_ROWS = 200

NO_GPU_EVENT = "no GPU event of an averaged step was recorded"
NO_STACKS = "the recording has no stacks"
NO_BACKWARD = "no operator of a backward pass leads to the forward pass"


def event_of(trace: Trace, row: int) -> int | None:
    """The index in ``traceEvents`` of a row; None for -1, no row."""
    return int(trace.events.ordinal[row]) if row >= 0 else None
