"""What a section says where the trace cannot tell, and how long tables are cut."""

from __future__ import annotations

from tb_plugin_explain.report import explain
from tb_plugin_explain.report.sections import MAX_ROWS
from tb_plugin_explain.trace.model import Category
from tests.trace_drawing import Row, draw, trace_of


def test_missing_is_null_with_its_reason() -> None:
    report = explain(draw("step:[1         ]\ncpu : [op  ][wait]\ncpu :  [a]"))
    assert report.call_sites is not None
    (site,) = report.call_sites.sites
    assert (site.bubble_us, site.source, site.module) == (None, None, None)
    assert set(report.call_sites.not_measured) == {"source", "module", "bubble_us"}
    assert report.operators is not None
    assert report.operators.rows[0].device_self_us is None
    assert set(report.operators.not_measured) >= {"device_us", "share", "kernels"}
    assert report.modules is not None
    assert report.modules.rows == []
    assert set(report.modules.not_measured) == {"rows", "device_us", "backward_self_us"}
    assert report.annotations is None


def test_a_trace_without_waits_and_operators_has_no_such_sections() -> None:
    report = explain(draw("step:[1       ]\ncpu : [a]\ns7  :    [a]"))
    assert report.call_sites is None
    assert report.operators is None


def test_a_long_table_says_what_it_leaves_out() -> None:
    rows = [Row(Category.CPU_OP, f"op{i:03}", 10 * i + 1, 1 + i % 5) for i in range(MAX_ROWS + 3)]
    rows += [Row(Category.ANNOTATION, f"note{i:03}", 10 * i + 1, 9) for i in range(MAX_ROWS + 2)]
    report = explain(trace_of(rows))
    assert report.operators is not None
    assert report.annotations is not None
    assert len(report.operators.rows) == len(report.annotations.rows) == MAX_ROWS
    assert (report.operators.rest.names, report.operators.rest.cpu_self_us) == (3, 3)
    assert (report.annotations.rest.names, report.annotations.rest.cpu_total_us) == (2, 18)
