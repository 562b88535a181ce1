"""Keeps the list of runs fresh in a thread of its own, so that no request waits for a disk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

from tb_plugin_explain import runs

# How long ``is_active`` may wait for a candidate until the first scan has ended; every tab waits with it.
FIRST_LOOK_S = 0.3
# A slow disk gets at least this many times a scan's duration of rest after it.
_REST = 4.0

_logger = logging.getLogger("tensorboard.plugins.explain")


class RunsWatcher:
    """Scans the log directories from the first question on, then again every so often.

    reload_interval_s: pause between scans; 0 or less scans once.
    """

    def __init__(self, logdirs: Sequence[runs.Logdir], reload_interval_s: float) -> None:
        self.logdirs = logdirs
        self._interval_s = reload_interval_s
        self._scan: runs.Scan | None = None
        self._found = threading.Event()
        self._known = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def is_active(self) -> bool:
        """Whether there is a candidate: from the last scan, or as soon as the first one meets one."""
        self._start()
        if self._scan is None:
            self._known.wait(FIRST_LOOK_S)
        latest = self._scan
        return self._found.is_set() if latest is None else bool(latest.runs)

    def latest(self) -> runs.Scan | None:
        """The last complete scan; None until the first one has ended. Never waits."""
        self._start()
        return self._scan

    def close(self) -> None:
        self._stop.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="explain-runs", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        rest_s = 0.0
        while not self._stop.wait(rest_s):
            started = time.monotonic()
            self._scan = self._look()
            self._known.set()
            if self._interval_s <= 0:
                return
            rest_s = max(self._interval_s, _REST * (time.monotonic() - started))

    def _look(self) -> runs.Scan:
        try:
            return runs.scan(self.logdirs, self._met_first)
        except Exception as error:
            _logger.exception("Explain: looking for traces failed")
            return self._scan or runs.Scan(notes=[f"Looking for traces failed: {error}"])

    def _met_first(self) -> None:
        self._found.set()
        self._known.set()
