"""What a process of ours tells the library of linear algebra before NumPy is imported.

OpenBLAS starts a thread for each processor as it is loaded, and they spin while they wait: on two processors
that is a tenth of the CPU time of a report of 100 MB. Nothing here multiplies matrices.
"""

from __future__ import annotations

from collections.abc import Mapping


def without_idle_threads(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for one thread, unless it says otherwise itself."""
    return {"OPENBLAS_NUM_THREADS": "1", **environment}
