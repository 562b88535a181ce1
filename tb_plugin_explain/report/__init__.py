"""From the analyses of a trace to its report: figures, findings, headline, trust."""

from tb_plugin_explain.report.build import explain, explain_path, explain_run

__all__ = ["explain", "explain_path", "explain_run"]
