"""What one worker process of torch-tb-profiler 0.4.3 does with a trace, without its server.

python benchmarks/peers/stock_tab.py TRACE
"""

import sys
import tempfile

from torch_tb_profiler.profiler.data import (  # type: ignore[import-untyped]
    DistributedRunProfileData,
    RunProfileData,
)
from torch_tb_profiler.profiler.run_generator import RunGenerator  # type: ignore[import-untyped]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        data = RunProfileData.parse("worker0", None, sys.argv[1], cache)
        RunGenerator("worker0", None, data).generate_run_profile()
        DistributedRunProfileData(data)
