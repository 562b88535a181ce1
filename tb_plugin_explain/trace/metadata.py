"""What a trace says about itself: the document's keys → ``TraceMeta``."""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain.trace.document import MODE_KEYS, VERSION_KEYS
from tb_plugin_explain.trace.model import Device, ReadProblem, TraceMeta

_CUDA_KEYS = ("cuda_runtime_version", "cuda_driver_version")


def build_meta(
    file: str,
    file_bytes: int,
    values: Mapping[str, object],
    events_in_file: int,
    problems: tuple[ReadProblem, ...],
) -> TraceMeta:
    """The metadata; what is missing or of an odd type counts as not told."""
    distributed = values.get("distributedInfo")
    distributed = distributed if isinstance(distributed, dict) else {}
    backend = distributed.get("backend")
    return TraceMeta(
        file=file,
        file_bytes=file_bytes,
        base_time_ns=_int(values.get("baseTimeNanoseconds")) or 0,
        events_in_file=events_in_file,
        devices=_devices(values.get("deviceProperties")),
        rank=_int(distributed.get("rank")),
        world_size=_int(distributed.get("world_size")),
        backend=backend if isinstance(backend, str) else None,
        versions=_versions(values),
        problems=problems,
        **{key: bool(_int(values.get(key))) for key in MODE_KEYS},
    )


def _devices(properties: object) -> tuple[Device, ...] | None:
    if not isinstance(properties, list):
        return None
    found = []
    for entry in properties:
        number = _int(entry.get("id")) if isinstance(entry, dict) else None
        if number is not None:
            name = entry.get("name")
            found.append(Device(number, name if isinstance(name, str) else ""))
    return tuple(found)


def _versions(values: Mapping[str, object]) -> dict[str, str]:
    return {
        key.removesuffix("_version"): _version(key, values[key])
        for key in VERSION_KEYS
        if isinstance(values.get(key), int | float | str)
    }


def _version(key: str, value: object) -> str:
    number = _int(value)
    if key in _CUDA_KEYS and number is not None and number >= 1000:
        return f"{number // 1000}.{number % 1000 // 10}"
    return str(value)


def _int(value: object) -> int | None:
    """A whole number of ordinary size, also one written as text, as older files do."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) <= 19:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return int(value) if isinstance(value, int) and abs(value) < 2**63 else None
