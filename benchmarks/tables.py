"""The tables of benchmarks/results.md."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.commands import Cost

_PEAK_FLOOR_MIB = 80
_LIBRARIES = ("numpy", "msgspec", "isal")
_CPU_INFO = Path("/proc/cpuinfo")


def machine_lines(fallback: str, source: str, ours: str) -> str:
    """What was measured, and on what."""
    version = subprocess.run([ours, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    libraries = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"# Results of `make bench`\n\n{datetime.date.today()}, {_processor() or fallback}, "
        f"{os.cpu_count()} CPUs, load {load} before it began. {version}; {libraries}. The files are made of "
        f"{source}, repeated with times and ids moved. Whole processes, medians; files in the page cache. "
        "MB are 10^6 bytes of JSON before compression. Ratios are ours to theirs."
    )


def _processor() -> str | None:
    if not _CPU_INFO.exists():
        return None
    models = [line for line in _CPU_INFO.read_text().splitlines() if line.startswith("model name")]
    return models[0].split(":", 1)[1].strip() if models else None


def commands_table(size_mb: int, raw_mb: float, found: Mapping[str, Cost | str], ours: str) -> str:
    lines = [
        f"## A report of {size_mb:,} MB ({raw_mb:,.1f} MB)\n",
        "| tool | CPU s | clock s | peak MiB | MiB a MB above 80 | CPU ratio | clock ratio | memory ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    own = found[ours]
    for name, cost in found.items():
        lines.append(_row(name, cost, own if name != ours else None, raw_mb))
    return "\n".join(lines)


def _row(name: str, cost: Cost | str, own: Cost | str | None, raw_mb: float) -> str:
    if isinstance(cost, str):
        return f"| {name} | failed: {cost.replace('|', ' ')} | | | | | | |"
    ratios = "| | |"
    if isinstance(own, Cost):
        shares = (own.cpu_s / cost.cpu_s, own.wall_s / cost.wall_s, own.peak_mib / cost.peak_mib)
        ratios = "| " + " | ".join(f"{share:.3f}" for share in shares)
    per_mb = (cost.peak_mib - _PEAK_FLOOR_MIB) / raw_mb
    return f"| {name} | {cost.cpu_s:.2f} | {cost.wall_s:.2f} | {cost.peak_mib:,.0f} | {per_mb:.2f} {ratios} |"


def limits_table(raw_mb: float, found: Mapping[str, Cost | str]) -> str:
    """json.loads, decompressing, finding boundaries, and our columns."""
    says = {
        "json": "`json.loads` of the text",
        "inflate": "isal alone",
        "boundaries": "isal, and a regular expression that only finds where events begin",
        "columns": "isal to columns (`read_trace`)",
    }
    lines = [
        "## Reading alone\n",
        "| way | CPU s | MB a CPU second | to json.loads |",
        "|---|---:|---:|---:|",
    ]
    base = found["json"]
    for way, cost in found.items():
        if isinstance(cost, Cost) and isinstance(base, Cost):
            speed, ratio = raw_mb / cost.cpu_s, cost.cpu_s / base.cpu_s
            lines.append(f"| {says[way]} | {cost.cpu_s:.2f} | {speed:,.0f} | {ratio:.3f} |")
    return "\n".join(lines)


def phases_table(found: Mapping[int, Mapping[str, Any]]) -> str:
    names = list(next(iter(found.values())))
    lines = [
        "## Phases of a report, CPU s\n",
        f"| MB | {' | '.join(names)} |",
        f"|---:|{'---:|' * len(names)}",
    ]
    for size, spent in found.items():
        lines.append(f"| {size:,} | {' | '.join(f'{spent[name]:.2f}' for name in names)} |")
    return "\n".join(lines)


def serving_table(found: Mapping[str, Any]) -> str:
    """TensorBoard's answers, and a cached report."""
    lines = ["## TensorBoard\n", "| answers | p50 ms | p99 ms | number |", "|---|---:|---:|---:|"]
    for when, times in found["answers"].items():
        lines.append(f"| {when} | {times['p50_ms']:.1f} | {times['p99_ms']:.1f} | {times['answers']:,} |")
    lines.append("")
    lines.append(
        f"A cached report of 500 MB: {found['open_again_ms']:.0f} ms from the request to the whole answer."
    )
    return "\n".join(lines)
