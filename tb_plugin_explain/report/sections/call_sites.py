"""Section ``call_sites``: who asked for each wait."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.analyses.call_sites import CallSite, SiteTotals
from tb_plugin_explain.report.sections import MAX_ROWS, NO_GPU_EVENT, NO_STACKS, event_of
from tb_plugin_explain.report_sections import call_sites as schema
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import to_us


def _bubble(ns: int, known: bool) -> float | None:
    return to_us(ns) if known else None


def _totals(totals: SiteTotals, known: bool) -> schema.CallSiteTotals:
    return schema.CallSiteTotals(
        totals.count, totals.wait_calls, to_us(totals.waiting_ns), _bubble(totals.bubble_ns, known)
    )


def _site(run: RunAnalyses, site: CallSite, steps: int, known: bool) -> schema.CallSite:
    averaged = site.averaged
    return schema.CallSite(
        operator=site.operator,
        top_operator=site.top_operator,
        module=site.module,
        annotation=site.annotation,
        phase=site.phase,
        source=site.source,
        calls=site.calls,
        count=averaged.count,
        count_per_step=averaged.count / steps,
        steps_with=site.steps_with,
        wait_calls=averaged.wait_calls,
        waiting_us=to_us(averaged.waiting_ns),
        gpu_busy_us=to_us(site.gpu_busy_ns),
        profiler_us=to_us(site.profiler_ns),
        gpu_idle_us=to_us(site.gpu_idle_ns),
        implicit_us=to_us(site.implicit_ns),
        bubble_us=_bubble(averaged.bubble_ns, known),
        longest_event=event_of(run.trace, int(site.rows[0])) if len(site.rows) else None,
        recorded=_totals(site.recorded, known),
    )


def _rest(sites: Sequence[CallSite], known: bool) -> schema.RestOfCallSites:
    return schema.RestOfCallSites(
        sites=len(sites),
        count=sum(s.averaged.count for s in sites),
        waiting_us=to_us(sum(s.averaged.waiting_ns for s in sites)),
        bubble_us=_bubble(sum(s.averaged.bubble_ns for s in sites), known),
    )


def _not_measured(run: RunAnalyses, known: bool) -> dict[str, str]:
    reasons = {}
    if not run.trace.is_category(Category.PYTHON).any():
        reasons["source"] = reasons["module"] = NO_STACKS
    elif not len(run.origins.modules.rows):
        reasons["module"] = "no nn.Module was called while stacks were recorded"
    if not run.origins.operators.any():
        reasons["operator"] = "the recording has no operators"
    if not known:
        reasons["bubble_us"] = NO_GPU_EVENT
    return reasons


def build(run: RunAnalyses) -> schema.CallSites | None:
    """The section; None where nothing waited."""
    sites = run.call_sites
    if not sites:
        return None
    known = run.launched_work.events > 0
    steps = max(len(run.averaged), 1)
    return schema.CallSites(
        steps=len(run.averaged),
        sites=[_site(run, site, steps, known) for site in sites[:MAX_ROWS]],
        rest=_rest(sites[MAX_ROWS:], known),
        not_measured=_not_measured(run, known),
    )
