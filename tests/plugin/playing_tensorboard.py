"""TensorBoard whose Explain tab runs the tests' own job, so that a test says how long it lasts."""

from __future__ import annotations

import signal
from typing import Any

from absl import app
from tensorboard import default, main_lib, program

from tb_plugin_explain.loader import ExplainLoader


class PlayingLoader(ExplainLoader):
    def load(self, context: Any) -> Any:
        from tb_plugin_explain.plugin.plugin import ExplainPlugin

        return ExplainPlugin(context, job="tests.plugin.plugin_jobs:play")


if __name__ == "__main__":
    # Tests that a shell started in the background ignore Ctrl-C, and so would what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main_lib.global_init()
    tensorboard = program.TensorBoard([*default.get_static_plugins(), PlayingLoader])
    app.run(tensorboard.main, flags_parser=tensorboard.configure)
