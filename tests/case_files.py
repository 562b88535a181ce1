"""Faults that others reported: ``tests/samples/cases``, each an input and the answer that is right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tb_plugin_explain import runs
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import GpuStep, Report, Step

CASES = Path(__file__).parent / "samples" / "cases"
ENDING = ".expected.json"


@dataclass(frozen=True)
class Input:
    """One file of a case and what is expected of it; ``steps`` None: nothing is said of them."""

    case: str
    path: Path
    load: str
    error: Mapping[str, Any] | None
    warnings: tuple[str, ...]
    steps: list[dict[str, Any]] | None


@cache
def case_of(name: str) -> dict[str, Any]:
    (path,) = CASES.glob(f"{name}-*{ENDING}")
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def names() -> list[str]:
    return sorted(path.name.partition("-")[0] for path in CASES.glob(f"*{ENDING}"))


def traces_in(directory: Path) -> list[Path]:
    found = runs.scan(runs.parse_logdirs(str(directory), None)).by_id.values()
    return sorted(Path(file.path) for file in found)


def inputs_of(name: str) -> Iterator[Input]:
    case = case_of(name)
    path, extra = CASES / case["input"], case.get("extra", {})
    steps, warnings = case.get("steps"), tuple(case["warnings"])
    if case["load"] == "spec":
        return
    if "files" in case:
        for file in case["files"].values():
            yield Input(name, path / file, case["load"], None, warnings, None)
    elif path.is_file():
        yield Input(name, path, case["load"], case["error"], warnings, steps)
    elif "files" in extra:
        for file, facts in extra["files"].items():
            own = facts.get("steps", steps if facts["load"] == "ok" else None)
            yield Input(
                name, path / file, facts["load"], facts.get("error"), tuple(facts.get("warnings", ())), own
            )
    elif "per_file" in extra:
        for file, facts in extra["per_file"].items():
            yield Input(name, path / file, "ok", None, tuple(facts.get("warnings", ())), facts["steps"])
    else:
        for file in traces_in(path):
            yield Input(name, file, case["load"], case["error"], warnings, steps)


INPUTS = [one for name in names() for one in inputs_of(name)]


@cache
def report_of(path: Path) -> Report:
    return explain_path(str(path))


def report(name: str) -> Report:
    """The report of a case with one file."""
    return report_of(CASES / case_of(name)["input"])


def data_of(name: str, kind: str) -> dict[str, Any]:
    """The count and the data of one warning."""
    (warning,) = [w for w in report(name).warnings if w.kind == kind]
    return {"count": warning.count, **warning.data}


def short(step: Step) -> dict[str, Any]:
    """A step under the short keys of the cases."""
    busy = {str(gpu.device): gpu.busy_us for gpu in step.gpu or []}
    return {
        "n": step.number,
        "step_us": step.duration_us,
        "cpu_us": step.duration_us,
        "sync_us": step.sync.total_us,
        "sync_calls": step.sync.calls,
        "lane_offset_us": step.lane_offset.first_us,
        "gpu_busy_us": next(iter(busy.values()), None),
        "gpu_busy_us_by_device": busy,
        "kernels": step.kernels,
        "memcpy": step.copies,
        "launches": step.launches,
    }


def only_device(name: str) -> GpuStep:
    (step,) = report(name).steps
    (gpu,) = step.gpu or []
    return gpu


def assert_steps(found: Report, expected: list[dict[str, Any]]) -> None:
    shown = [short(step) for step in found.steps]
    assert [{key: step[key] for key in want} for step, want in zip(shown, expected, strict=True)] == expected
