"""Two engines have to give the same trace: everything that a file says, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import fields

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.engine import Engine
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace


def columns_of(table: Any) -> dict[str, Any]:
    """The arrays of a struct of columns, by name, with their types."""
    columns = {f.name: getattr(table, f.name) for f in fields(table)}
    return {name: (str(column.dtype), column.tolist()) for name, column in columns.items()}


def told(trace: Trace) -> dict[str, Any]:
    """All of a trace but its reader of arguments, in types that compare by value; NaN as None."""
    details = trace.details
    kernels = columns_of(details.kernels)
    kind, percents = kernels["occupancy_percent"]
    kernels["occupancy_percent"] = (kind, [None if np.isnan(percent) else percent for percent in percents])
    return {
        "meta": trace.meta,
        "events": columns_of(trace.events),
        "names": trace.names,
        "processes": trace.processes,
        "lanes": trace.lanes,
        "streams": trace.streams,
        "operators": columns_of(details.operators),
        "kernels": kernels,
        "memory": columns_of(details.memory),
        "communication": columns_of(details.communication),
        "shapes": details.shapes,
        "collectives": details.collectives,
    }


def outcome(file: Path, engine: Engine, **options: Any) -> dict[str, Any]:
    """What an engine makes of a file: the trace, or why it is refused."""
    try:
        trace = read_trace(file, engine=engine, **options)
    except TraceError as error:
        return {"error": (error.kind, error.message, error.position)}
    return told(trace)


def first_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Where two outcomes differ first, empty if they do not."""
    if one.keys() != other.keys():
        return f"{sorted(one)} {sorted(other)} {one.get('error')} {other.get('error')}"
    for name, value in one.items():
        if value != other[name]:
            if not isinstance(value, dict):
                return f"{name}: {value!r:.400} {other[name]!r:.400}"
            for column, values in value.items():
                if values != other[name][column]:
                    return f"{name}.{column}: {values!r:.400} {other[name][column]!r:.400}"
    return ""
