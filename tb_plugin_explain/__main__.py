"""``python -m tb_plugin_explain`` is ``tb-explain``."""

import sys

from tb_plugin_explain.cli import main

if __name__ == "__main__":
    sys.exit(main())
