"""The analyses of a run and of each of its steps: lazy, typed, memoised.

A property here is at once a cache, a dependency and a type: a new analysis is one module in
``analyses`` and one property here. Rules read these. ``RunAnalyses`` is put together from one class
a topic (``run_*.py``), so that no file grows with every new analysis.
"""

from tb_plugin_explain.step_analyses.gpu_step import GpuStepAnalyses
from tb_plugin_explain.step_analyses.run import RunAnalyses
from tb_plugin_explain.step_analyses.step import StepAnalyses

__all__ = ["GpuStepAnalyses", "RunAnalyses", "StepAnalyses"]
