"""The routes of the timeline: all come from the store that the analysis wrote; see ``docs/http_api.md``."""

from __future__ import annotations

import gzip
import logging
import re
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.errors import UsageError
from tb_plugin_explain.glossary import Explanation, Term, terms_of, what_is
from tb_plugin_explain.plugin.answers import (
    Answer,
    Query,
    Services,
    arguments_task,
    asked,
    error_answer,
    kept_or_asked,
    of_file,
    report_task,
)
from tb_plugin_explain.plugin.cache import body_of
from tb_plugin_explain.report_schema import SCHEMA_VERSION
from tb_plugin_explain.runs import TraceFile
from tb_plugin_explain.timeline.event import UnknownEvent, describe, find_event
from tb_plugin_explain.timeline.in_view import find_in_view
from tb_plugin_explain.timeline.schema import EventDetails, InView, SearchResult, Timeline
from tb_plugin_explain.timeline.search import search as search_store
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.timeline.window import Window, render
from tb_plugin_explain.wire import ErrorInfo, to_json

ARGUMENTS_JOB = "tb_plugin_explain.plugin.jobs:event_arguments"
_BLOCK = "application/octet-stream"
# A century in ns: beyond it times are no times, and sums of them still fit into 64 bits.
_LATEST_NS = 10**18
_MOST_PIXELS = 16_384
_MOST_LANES = 4096
_LONGEST_SEARCH = 256
_MOST_FOUND = 200
_FOUND = 50
_WHOLE = re.compile(r"-?[0-9]{1,19}")

_logger = logging.getLogger("tensorboard.plugins.explain")


class TimelineAnswer(Struct, frozen=True):
    timeline: Timeline
    state: str = "ready"


class EventAnswer(Struct, frozen=True):
    details: EventDetails
    explanation: Explanation
    terms: Sequence[Term]
    state: str = "ready"
    schema: int = SCHEMA_VERSION


class InViewAnswer(Struct, frozen=True):
    in_view: InView
    state: str = "ready"


class SearchAnswer(Struct, frozen=True):
    result: SearchResult
    state: str = "ready"


def timeline(services: Services, query: Query) -> Answer:
    """Lanes, steps, causes of shading and call-outs, or how far they are; asking starts the analysis."""

    def answer(store: Store, _file: TraceFile) -> Answer:
        body = body_of(gzip.compress(to_json(TimelineAnswer(store.timeline)), 6, mtime=0))
        return Answer(body.gzipped, gzipped=True, etag=body.etag)

    return _from_store(services, query, answer)


def window(services: Services, query: Query) -> Answer:
    """The rectangles and shading of a window, as one block of arrays."""
    try:
        wanted = _window(query)
    except UsageError as error:
        return _bad_query(error)
    return _from_store(services, query, lambda store, _: Answer(render(store, wanted), content_type=_BLOCK))


def in_view(services: Services, query: Query) -> Answer:
    """What a window holds, in figures."""
    try:
        from_ns, to_ns = _range(query)
    except UsageError as error:
        return _bad_query(error)

    def answer(store: Store, _file: TraceFile) -> Answer:
        return Answer(to_json(InViewAnswer(find_in_view(store, from_ns, to_ns))))

    return _from_store(services, query, answer)


def event(services: Services, query: Query) -> Answer:
    """What one event is, and where it comes from."""
    try:
        ordinal = _whole(query, "event", 0, _LATEST_NS)
    except UsageError as error:
        return _bad_query(error)

    def answer(store: Store, _file: TraceFile) -> Answer:
        details = describe(store, ordinal)
        explanation = what_is(details.full_name, details.event.category)
        return Answer(to_json(EventAnswer(details, explanation, terms_of(explanation))))

    return _from_store(services, query, answer)


def arguments(services: Services, query: Query) -> Answer:
    """The arguments of one event, which an analysis process reads from the file."""
    try:
        ordinal = _whole(query, "event", 0, _LATEST_NS)
    except UsageError as error:
        return _bad_query(error)

    def answer(store: Store, file: TraceFile) -> Answer | ErrorInfo:
        find_event(store, ordinal)
        first = store.columns["text_ordinals"].astype(np.int64)
        batch = int(np.searchsorted(first, ordinal, side="right")) - 1
        begin, end = store.columns["text_offsets"][batch : batch + 2].tolist()
        task = arguments_task(file, ordinal, (int(first[batch]), begin, end), ARGUMENTS_JOB)
        return kept_or_asked(services, task)

    return _from_store(services, query, answer)


def search(services: Services, query: Query) -> Answer:
    """Names that contain a text, and their next events after a time."""
    try:
        text = _text(query)
        limit = _whole(query, "limit", 1, _MOST_FOUND, _FOUND)
        after_ns = _whole(query, "after", -_LATEST_NS, _LATEST_NS, -_LATEST_NS)
    except UsageError as error:
        return _bad_query(error)

    def answer(store: Store, _file: TraceFile) -> Answer:
        return Answer(to_json(SearchAnswer(search_store(store, text, limit, after_ns))))

    return _from_store(services, query, answer)


def _from_store(
    services: Services, query: Query, make: Callable[[Store, TraceFile], Answer | ErrorInfo]
) -> Answer:
    """An answer from the file's store, or how far the store is.

    Looks at the pool before the store: what ends in between is then there. A store that turns out to be
    damaged is made anew, once.
    """

    def answer(file: TraceFile) -> Answer | ErrorInfo:
        task = report_task(services, file)
        status = services.pool.status(task.id)
        store = services.stores.get(task.key)
        if store is None:
            return asked(services, task, status)
        try:
            return make(store, file)
        except UnknownEvent as error:
            return error_answer(404, "unknown_event", str(error))
        except (IndexError, ValueError, KeyError) as error:
            if not services.stores.remove(task.key):
                raise
            _logger.warning("Explain makes the timeline of %s anew: %r", file.file, error)
            return asked(services, task, None)

    return of_file(services, query, answer)


def _bad_query(error: UsageError) -> Answer:
    return error_answer(400, "bad_query", str(error))


def _whole(query: Query, name: str, least: int, most: int, otherwise: int | None = None) -> int:
    text = query.get(name)
    if text is None and otherwise is not None:
        return otherwise
    if text is None or not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise UsageError(f"The query needs {name}, a whole number from {least} to {most}.")
    return int(text)


def _text(query: Query) -> str:
    text = query.get("q", "")
    if not 0 < len(text) <= _LONGEST_SEARCH:
        raise UsageError(f"The query needs q, a text of 1 to {_LONGEST_SEARCH} characters.")
    return text


def _range(query: Query) -> tuple[int, int]:
    from_ns, to_ns = (_whole(query, name, -_LATEST_NS, _LATEST_NS) for name in ("from", "to"))
    if to_ns <= from_ns:
        raise UsageError("The window ends before it begins: to must be larger than from.")
    return from_ns, to_ns


def _window(query: Query) -> Window:
    return Window(*_range(query), _whole(query, "px", 1, _MOST_PIXELS), _lanes(query))


def _lanes(query: Query) -> Sequence[int] | None:
    text = query.get("lanes")
    if text is None:
        return None
    numbers = text.split(",")
    if len(numbers) > _MOST_LANES or not all(re.fullmatch(r"[0-9]{1,5}", number) for number in numbers):
        raise UsageError("The query's lanes are no list of numbers such as 0,1,5.")
    return [int(number) for number in numbers]
