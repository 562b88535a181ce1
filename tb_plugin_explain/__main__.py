"""``python -m tb_plugin_explain`` is ``tb-explain``."""

import gc
import sys

from tb_plugin_explain.cli import main
from tb_plugin_explain.process import prepare_process


def program() -> int:
    """Runs the command of this process and returns its exit status."""
    prepare_process()
    status = main()
    # The last collection of a process need not look through what goes with it anyway.
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(program())
