"""The timelines on disk, opened for the routes; a damaged one is removed, so that it is made anew."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from functools import cached_property
from pathlib import Path

from tb_plugin_explain.plugin.room import NOWHERE, TIMELINES
from tb_plugin_explain.timeline.store import DamagedStore, Store, open_store, remove_store

# Open stores cost address space and two file handles each, not memory.
_OPEN_STORES = 8


class Stores:
    """Timelines by key (see ``cache.key_of``); safe to use from several threads and processes.

    root: the cache's directory; None keeps timelines in a temporary one that goes with this object.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, Store] = OrderedDict()
        self._removed: set[str] = set()

    @cached_property
    def _temporary(self) -> Path:
        atexit.register(self.close)
        try:
            return Path(tempfile.mkdtemp(prefix="tb-explain-"))
        except OSError:
            # No timelines then; whoever writes one is told why. Reports need no directory.
            return NOWHERE

    def path(self, key: str) -> Path:
        """Where the timeline of a key is, or is to be written."""
        with self._lock:
            return (self._root or self._temporary) / TIMELINES / key

    def get(self, key: str) -> Store | None:
        """The timeline, or None where there is none that can be read."""
        with self._lock:
            opened = self._opened.pop(key, None)
            if opened is not None and opened.file.is_as_opened():
                self._opened[key] = opened
                return opened
        path = self.path(key)
        if not os.path.exists(path):  # nor where nobody may look
            return None
        try:
            store = open_store(path)
        except DamagedStore:
            remove_store(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        with self._lock:
            self._opened[key] = store
            while len(self._opened) > _OPEN_STORES:
                self._opened.popitem(last=False)
        return store

    def remove(self, key: str) -> bool:
        """Removes a timeline that cannot be read; False where that was done before and did not help."""
        with self._lock:
            first = key not in self._removed
            self._removed.add(key)
            self._opened.pop(key, None)
        if first:
            remove_store(self.path(key))
        return first

    def close(self) -> None:
        """Removes the temporary directory, if there is one."""
        atexit.unregister(self.close)
        with self._lock:
            self._opened.clear()
            if "_temporary" in vars(self):
                shutil.rmtree(self._temporary, ignore_errors=True)
