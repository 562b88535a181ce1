"""The steps of a report as a drawing: CPU span above the line, the GPU below, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tb_plugin_explain import wording
from tb_plugin_explain.html_parts import text
from tb_plugin_explain.report_schema import GpuStep, Step

_HEIGHT, _WIDTH, _AXIS, _GUTTER, _LABEL = 220, 1040, 100, 40, 16
_WIDEST = 90
# Longer steps than this many typical ones are cut off, so that the others can be told apart.
_TALLEST = 2.5


def _busiest(step: Step) -> GpuStep | None:
    return max(step.gpu, key=lambda g: g.busy_us) if step.gpu else None


def _highest(step: Step) -> float:
    gpu = _busiest(step)
    return max(step.duration_us, gpu.busy_us + gpu.idle_us if gpu else 0.0)


def _scale(steps: Sequence[Step]) -> float:
    """Pixels a µs."""
    settled = [_highest(s) for s in steps if s.settled] or [_highest(s) for s in steps]
    limit = _TALLEST * median(settled)
    most = max(min(_highest(s), max(limit, max(settled))) for s in steps)
    return (_AXIS - _LABEL - 4) / most if most > 0 else 0.0


def _bar(x: float, y: float, width: float, height: float, fill: str, title: str, faded: bool) -> str:
    look = ' fill-opacity="0.4"' if faded else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 0.5):.1f}" '
        f'fill="var(--{fill})"{look}><title>{text(title)}</title></rect>'
    )


def _column(step: Step, x: float, width: float, scale: float, labelled: bool) -> str:
    gpu, most = _busiest(step), _AXIS - _LABEL - 4
    label = "all" if step.number is None else str(step.number)
    faded = step.settled is False
    left, bar = x + width * 0.15, width * 0.7
    height = min(step.duration_us * scale, most)
    parts = [
        _bar(
            left,
            _AXIS - height,
            bar,
            height,
            "cpu",
            f"step {label}: CPU span {wording.time(step.duration_us)}",
            faded,
        )
    ]
    if gpu:
        busy, window = (min(us * scale, most) for us in (gpu.busy_us, gpu.busy_us + gpu.idle_us))
        told = f"step {label}: GPU busy {wording.time(gpu.busy_us)}, idle {wording.time(gpu.idle_us)}"
        parts.append(_bar(left, _AXIS + 1, bar, window, "idle", told, faded))
        parts.append(_bar(left, _AXIS + 1, bar, busy, "compute", told, faded))
    if labelled:
        middle = x + width / 2
        parts.append(f'<text x="{middle:.1f}" y="{_HEIGHT - 4}" text-anchor="middle">{text(label)}</text>')
        if width > 56:
            parts.append(
                f'<text x="{middle:.1f}" y="{_AXIS - height - 4:.1f}" text-anchor="middle">'
                f"{text(wording.time(step.duration_us))}</text>"
            )
    return "".join(parts)


def draw_steps(steps: Sequence[Step]) -> str:
    """The SVG; steps that had not settled are pale."""
    scale = _scale(steps)
    width = min(_WIDEST, (_WIDTH - _GUTTER) / len(steps))
    every = max(1, round(28 / width))
    columns = "".join(
        _column(step, _GUTTER + at * width, width, scale, at % every == 0) for at, step in enumerate(steps)
    )
    end = max(_GUTTER + len(steps) * width, 320)
    axis = f'<path d="M{_GUTTER} {_AXIS}.5H{end:.0f}" stroke="var(--text-3)"/>'
    names = f'<text x="0" y="{_AXIS - 6}">CPU</text><text x="0" y="{_AXIS + 14}">GPU</text>'
    return (
        f'<svg role="img" aria-label="Steps: CPU span above the line, GPU work and idle time below" '
        f'viewBox="0 0 {end:.0f} {_HEIGHT}" width="{end:.0f}">{axis}{names}{columns}</svg>'
    )
