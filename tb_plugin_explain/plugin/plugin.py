"""The plugin as TensorBoard sees it: WSGI around ``routes``, and nothing else."""

from __future__ import annotations

import logging
import os
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import platformdirs
from tensorboard.backend import http_util
from tensorboard.plugins import base_plugin
from werkzeug.wrappers import Request, Response

from tb_plugin_explain.plugin import answers, routes, share_routes
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.workers import REPORT_JOB
from tb_plugin_explain.runs import parse_logdirs
from tb_plugin_explain.trace.memory import parse_size

# Where a program that embeds TensorBoard made its flags without these.
_RELOAD_INTERVAL_S = 5.0
_WORKERS = 2
_STATIC = "/static/"

_logger = logging.getLogger("tensorboard.plugins.explain")


class ExplainPlugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """The Explain tab. ``job`` names what the analysis processes call, see ``workers``."""

    plugin_name = "explain"

    def __init__(self, context: base_plugin.TBContext, job: str = REPORT_JOB) -> None:
        flags = context.flags
        logdirs = parse_logdirs(context.logdir, getattr(flags, "logdir_spec", ""))
        watcher = RunsWatcher(logdirs, getattr(flags, "reload_interval", _RELOAD_INTERVAL_S))
        cache = Cache(_cache_directory(getattr(flags, "explain_cache_dir", "")))
        workers = getattr(flags, "explain_workers", _WORKERS)
        size = getattr(flags, "explain_max_memory", "")
        max_bytes = parse_size(size) if size else None
        self._services = routes.open_services(watcher, cache, workers, max_bytes=max_bytes, job=job)

    def get_plugin_apps(self) -> Mapping[str, Callable[..., Any]]:
        answered = {**routes.ROUTES, **share_routes.ROUTES}
        apps = {path: self._app(self._handler(route)) for path, route in answered.items()}
        return {**apps, f"{_STATIC}*": self._app(self._static)}

    def is_active(self) -> bool:
        return self._services.watcher.is_active()

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(
            es_module_path=f"{_STATIC}index.js", tab_name="Explain", disable_reload=False
        )

    def _handler(self, route: answers.Route) -> Callable[[Request], answers.Answer]:
        return lambda request: route(self._services, request.args)

    def _static(self, request: Request) -> answers.Answer:
        return routes.static(self._services, request.path.rpartition(f"/{self.plugin_name}{_STATIC}")[2])

    def _app(self, handle: Callable[[Request], answers.Answer]) -> Callable[..., Any]:
        @Request.application
        def app(request: Request) -> Response:
            if request.method != "GET":
                refused = answers.error_answer(405, "method_not_allowed", "Only GET is answered here.")
                return _respond(request, refused, [("Allow", "GET")])
            return _respond(request, _guarded(handle, request), [])

        return app


def _cache_directory(flag: str) -> Path | None:
    """Where answers are kept; None where they are not to be, or where nothing can be written."""
    if flag == "none":
        return None
    directory = (
        Path(flag).expanduser().absolute() if flag else platformdirs.user_cache_path("tb-plugin-explain")
    )
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError as error:
        _logger.warning("Explain keeps reports and timelines only while it runs: %s", error)
        return None


def _guarded(handle: Callable[[Request], answers.Answer], request: Request) -> answers.Answer:
    try:
        return handle(request)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        _logger.error("Explain: %s failed in %s: %s: %s", request.path, where, type(error).__name__, error)
        return answers.error_answer(500, "internal", "The plugin failed; TensorBoard's log says where.")


def _attachment(name: str) -> str:
    """RFC 6266: the name as it is, percent-encoded, whatever its characters."""
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


def _respond(request: Request, answer: answers.Answer, headers: list[tuple[str, str]]) -> Response:
    if answer.download:
        headers = [*headers, ("Content-Disposition", _attachment(answer.download))]
    if answer.etag:
        # Weak: the same answer also goes out uncompressed.
        headers = [*headers, ("ETag", f'W/"{answer.etag}"'), ("Vary", "Accept-Encoding")]
        if request.if_none_match.contains_weak(answer.etag):
            always = [("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")]
            return Response(status=304, headers=[*headers, *always])
    response: Response = http_util.Respond(
        request,
        answer.body,
        answer.content_type,
        code=answer.status,
        expires=answer.keep_s,
        content_encoding="gzip" if answer.gzipped else None,
        headers=headers,
    )
    return response
