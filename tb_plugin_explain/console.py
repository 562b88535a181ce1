"""What rich draws: text reports on standard output, a progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

# Takes the phase and the share that is done, None where that is unknown.
Tell = Callable[[str, float | None], None]


class OutputConsole(Console):
    """Leaves it to the command what happens when the reader of our output has had enough."""

    def __init__(self) -> None:
        super().__init__(highlight=False, soft_wrap=False)

    def on_broken_pipe(self) -> None:
        raise


@contextmanager
def drawn_bar() -> Iterator[Tell]:
    """A bar that goes when it is done; gives what sets its phase and share."""
    columns = (TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=1.0)

        def set_to(phase: str, share: float | None) -> None:
            bar.update(task, description=phase, total=None if share is None else 1.0, completed=share or 0.0)

        yield set_to
