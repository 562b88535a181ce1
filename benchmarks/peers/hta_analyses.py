"""Three analyses of HolisticTraceAnalysis 0.5.0 on a trace: time by kind, kernels, idle time.

python benchmarks/peers/hta_analyses.py TRACE
"""

import sys
from pathlib import Path

from hta.trace_analysis import TraceAnalysis  # type: ignore[import-not-found]

if __name__ == "__main__":
    path = Path(sys.argv[1])
    analysis = TraceAnalysis(trace_files={0: str(path)}, trace_dir=str(path.parent))
    analysis.get_temporal_breakdown(visualize=False)
    analysis.get_gpu_kernel_breakdown(visualize=False)
    analysis.get_idle_time_breakdown(visualize=False)
