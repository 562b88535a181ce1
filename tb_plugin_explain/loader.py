"""The entry point that TensorBoard imports.

TensorBoard dies of an exception while it imports a plugin's module, and every start pays for what
that module imports: so this one takes the standard library and ``base_plugin`` only, and the rest
comes in ``load``, whose failure costs our tab and nothing else.
"""

from __future__ import annotations

import argparse
import logging
from typing import Any

from tensorboard.plugins import base_plugin

_logger = logging.getLogger("tensorboard.plugins.explain")


class ExplainLoader(base_plugin.TBLoader):  # type: ignore[misc]
    """Declares our flags and makes the plugin."""

    def define_flags(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("Explain for TensorBoard")
        group.add_argument(
            "--explain_workers",
            metavar="N",
            type=int,
            default=2,
            help="Most processes that analyse traces at the same time. Each holds one trace in memory, or two"
            " that it compares."
            " (default: %(default)s)",
        )
        group.add_argument(
            "--explain_cache_dir",
            metavar="DIR",
            type=str,
            default="",
            help="Directory that keeps finished reports and timelines; 'none' keeps them until TensorBoard"
            " ends. (default: the user's cache directory)",
        )

        group.add_argument(
            "--explain_max_memory",
            metavar="SIZE",
            type=str,
            default="",
            help="Most memory that one of them takes, such as 8GB; a trace that needs more is refused."
            " (default: three quarters of what is available when an analysis starts, shared among them)",
        )

    def fix_flags(self, flags: argparse.Namespace) -> None:
        if flags.explain_workers < 1:
            raise base_plugin.FlagsError(f"--explain_workers must be 1 or more, not {flags.explain_workers}.")
        if flags.explain_max_memory:
            from tb_plugin_explain.errors import UsageError
            from tb_plugin_explain.trace.memory import parse_size

            try:
                parse_size(flags.explain_max_memory)
            except UsageError as error:
                raise base_plugin.FlagsError(f"--explain_max_memory: {error}") from None

    def load(self, context: base_plugin.TBContext) -> Any:
        """The plugin, or None where it cannot work here; then the log says why in one line."""
        try:
            from tb_plugin_explain.plugin.plugin import ExplainPlugin

            return ExplainPlugin(context)
        except Exception as error:
            _logger.error(
                "The Explain tab could not be loaded (%s: %s); TensorBoard goes on without it.",
                type(error).__name__,
                " ".join(str(error).split()),
            )
            return None
