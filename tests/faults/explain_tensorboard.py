"""TensorBoard with its own tabs and ours alone: others may start processes that tests would count."""

from __future__ import annotations

import signal

from absl import app
from tensorboard import default, main_lib, program

from tb_plugin_explain.loader import ExplainLoader

if __name__ == "__main__":
    # Tests that a shell started in the background ignore Ctrl-C, and so would what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main_lib.global_init()
    tensorboard = program.TensorBoard([*default.get_static_plugins(), ExplainLoader])
    app.run(tensorboard.main, flags_parser=tensorboard.configure)
