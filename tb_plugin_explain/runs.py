"""A log directory → runs and their trace files, by names alone: no file is opened.

A file is a candidate when its name contains ``trace`` in any case and ends in ``.json`` or
``.json.gz``. A run is a directory that holds a candidate. Names that begin with a dot are passed
over below the log directory: they are version control, editors' copies and waste baskets.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from tb_plugin_explain.errors import UsageError

_TORCH_NAME = re.compile(r"^(.*?)(?:\.(\d+))?\.pt\.trace\.json(?:\.gz)?$")
_ENDING = re.compile(r"\.json(?:\.gz)?$", re.IGNORECASE)
# First what is certain. Any number would not do: the usual worker name ends in a process id.
_RANKS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![a-z])rank[ _.=-]?(\d{1,9})(?!\d)",
        r"(?<![a-z])worker[ _.=-]?(\d{1,9})(?!\d)",
        r"(?<![a-z])(?:host|node|gpu)-?(\d{1,5})$",
    )
]
_REMOTE = re.compile(r"[a-zA-Z][0-9a-zA-Z.]*://")

# Of a directory without a trace of its own, this many runs below it are named, the newest of so many
# directories: it may be the root of a file system.
_MOST_NAMED, _MOST_LOOKED_INTO = 3, 1_000
# A shorter span counts cycles.
_DIGITS_OF_A_TIME = 10
# Ranks of one cycle finish within this time of each other; two cycles are further apart or repeat a rank.
_SAME_CYCLE_NS = 60 * 10**9


class Logdir(Struct, frozen=True):
    """One place to look: ``path`` is absolute (or remote), ``shown`` is what the user gave."""

    path: str
    shown: str
    name: str | None = None

    @property
    def remote(self) -> bool:
        return _REMOTE.match(self.path) is not None


class FoundFile(Struct, frozen=True):
    """A candidate as the walk meets it. ``real_path`` has no links in it."""

    path: str
    real_path: str
    inode: int
    bytes: int
    modified_ns: int


class TraceFile(Struct, frozen=True):
    """One candidate of a run. ``path`` opens it; ``rank`` is read from the worker's name."""

    id: str
    path: str
    real_path: str
    file: str
    run: str
    worker: str
    span: str | None
    rank: int | None
    inode: int
    bytes: int
    modified_ns: int


class Run(Struct, frozen=True):
    """A directory with candidates, newest cycle first, then lowest rank, then worker name."""

    name: str
    files: Sequence[TraceFile]


class Scan(Struct, frozen=True):
    """All runs, newest file first; ``notes`` say in plain lines what could not be looked at."""

    runs: Sequence[Run] = ()
    notes: Sequence[str] = ()
    by_id: dict[str, TraceFile] = field(default_factory=dict)


def parse_logdirs(logdir: str | None, logdir_spec: str | None) -> list[Logdir]:
    """The places that TensorBoard's ``--logdir`` or ``--logdir_spec`` name.

    ``--logdir`` is one path, taken literally. A spec is a comma list of ``name:path`` or ``path``,
    where a part that begins with a slash, a drive or a scheme such as ``gs://`` has no name.
    """
    if logdir:
        return [Logdir(_absolute(logdir), logdir)]
    return [_parse_spec_part(part) for part in (logdir_spec or "").split(",") if part]


def _parse_spec_part(part: str) -> Logdir:
    plain_path = _REMOTE.match(part) or part.startswith("/") or os.path.splitdrive(part)[0]
    name, colon, path = part.partition(":")
    if plain_path or not colon:
        return Logdir(_absolute(part), part)
    return Logdir(_absolute(path), part, name)


def _absolute(path: str) -> str:
    return path if _REMOTE.match(path) else os.path.abspath(os.path.expanduser(path))


def is_candidate(name: str) -> bool:
    """Whether a file of this name is taken for a trace."""
    lower = name.lower()
    return "trace" in lower and lower.endswith((".json", ".json.gz")) and not name.startswith(".")


def split_name(name: str) -> tuple[str, str | None]:
    """Worker and span of a file name; the span is None where the name has none."""
    torch_name = _TORCH_NAME.match(name)
    if torch_name:
        return torch_name[1], torch_name[2]
    return _ENDING.sub("", name), None


def rank_of(worker: str) -> int | None:
    """The rank that a worker's name tells, as in ``rank3``, ``node.a.rank_3`` or ``worker3``."""
    found = next(filter(None, (rank.search(worker) for rank in _RANKS)), None)
    return int(found[1]) if found else None


def scan(logdirs: Sequence[Logdir], on_first: Callable[[], None] | None = None) -> Scan:
    """Looks through the log directories. ``on_first`` is called at the first candidate."""
    notes: list[str] = []
    taken: Counter[str] = Counter()
    runs = [
        _make_run(logdir, _distinct(_run_name(logdir, directory), taken), found)
        for logdir in logdirs
        for directory, found in _directories_with_traces(logdir, notes, on_first)
    ]
    runs = _newest_run_first(runs)
    return Scan(runs, notes, {file.id: file for run in runs for file in run.files})


def _newest_run_first(runs: Iterable[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (-max(map(_made_ns, run.files)), run.name))


def files_of_run(directory: str) -> Sequence[TraceFile]:
    """The traces that lie in the directory itself, newest cycle first.

    Raises:
        UsageError: there is none.
    """
    (logdir,) = parse_logdirs(os.path.abspath(directory), None)
    unreadable: list[str] = []
    here = _look_into(_Place(logdir.path, os.path.realpath(logdir.path)), unreadable)
    if here.files:
        return _make_run(logdir, _run_name(logdir, logdir.path), here.files).files
    if unreadable:
        raise UsageError(f"{directory} could not be read: check the permissions.")
    below = _newest_run_first(
        _make_run(logdir, _run_name(logdir, place), found)
        for place, found in _walk(logdir.path, [], _MOST_LOOKED_INTO)
    )
    if below:
        names = ", ".join(run.name for run in below[:_MOST_NAMED]) + (" …" if below[_MOST_NAMED:] else "")
        raise UsageError(f"{directory} holds no trace itself, but runs: name one of them ({names}).")
    raise UsageError(
        f"{directory} holds no trace: no file with “trace” in its name that ends in .json or .json.gz."
    )


def _directories_with_traces(
    logdir: Logdir, notes: list[str], on_first: Callable[[], None] | None
) -> Iterator[tuple[str, list[FoundFile]]]:
    problem = _problem_with(logdir)
    if problem:
        notes.append(problem)
        return
    unreadable: list[str] = []
    for directory, found in _walk(logdir.path, unreadable):
        if on_first:
            on_first()
        yield directory, found
    if unreadable:
        more = f" and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
        notes.append(f"{unreadable[0]}{more} could not be read: check the permissions.")


def _problem_with(logdir: Logdir) -> str | None:
    if logdir.remote:
        return f"{logdir.shown}: remote log directories are not read; copy the traces to a local one."
    if not os.path.lexists(logdir.path):
        return f"{logdir.shown}: there is no such directory (yet)."
    if os.path.isfile(logdir.path):
        return f"{logdir.shown} is a file: name the directory that holds it."
    return None


def _walk(top: str, unreadable: list[str], most: int | None = None) -> Iterator[tuple[str, list[FoundFile]]]:
    """Each directory that holds candidates, those without links first; at most ``most`` are looked into.

    A linked directory is followed unless it leads back to where it stands; a link met within a
    linked directory also not to a place that was already seen, so that links among links end.
    """
    seen: set[str] = set()
    to_visit = [_Place(top, os.path.realpath(top))]
    links: list[_Place] = []
    while (to_visit or links) and (most is None or len(seen) < most):
        place = to_visit.pop() if to_visit else links.pop()
        if place.nested and place.real_path in seen:
            continue
        seen.add(place.real_path)
        listing = _look_into(place, unreadable)
        if listing.files:
            yield place.path, listing.files
        to_visit += listing.directories
        links += listing.links


class _Place(Struct, frozen=True):
    """A directory to visit: ``linked`` if a link led there, ``nested`` if that link stood in a linked one."""

    path: str
    real_path: str
    linked: bool = False
    nested: bool = False

    def leads_back_to(self, real_path: str) -> bool:
        return (real_path + os.sep).startswith(self.real_path.rstrip(os.sep) + os.sep)


class _Listing(Struct):
    files: list[FoundFile] = field(default_factory=list)
    directories: list[_Place] = field(default_factory=list)
    links: list[_Place] = field(default_factory=list)


def _look_into(place: _Place, unreadable: list[str]) -> _Listing:
    listing = _Listing()
    closed = False
    try:
        with os.scandir(place.path) as entries:
            for entry in entries:
                if entry.name.startswith(".") or _sort_in(entry, place, listing):
                    continue
                if entry.is_symlink():
                    unreadable.append(entry.path)
                else:
                    closed = True
    except OSError as error:
        closed = not isinstance(error, FileNotFoundError)
    if closed:
        unreadable.append(place.path)
    return listing


def _sort_in(entry: os.DirEntry[str], place: _Place, listing: _Listing) -> bool:
    """Adds an entry where it belongs, if it is still there; False where it may not be looked at."""
    real_path = os.path.join(place.real_path, entry.name)
    try:
        if entry.is_dir(follow_symlinks=False):
            listing.directories.append(_Place(entry.path, real_path, place.linked))
        elif entry.is_symlink() and entry.is_dir():
            link = _Place(entry.path, os.path.realpath(entry.path), linked=True, nested=place.linked)
            if not link.leads_back_to(place.real_path):
                listing.links.append(link)
        elif is_candidate(entry.name) and entry.is_file():
            real_path = os.path.realpath(entry.path) if entry.is_symlink() else real_path
            listing.files.append(_found(entry.path, real_path, entry.stat()))
    except PermissionError:
        return False
    except OSError:
        pass
    return True


def _found(path: str, real_path: str, status: os.stat_result) -> FoundFile:
    return FoundFile(path, real_path, status.st_ino, status.st_size, status.st_mtime_ns)


def cycle_of(file: TraceFile, files: Sequence[TraceFile]) -> Sequence[TraceFile]:
    """The files of a run that were made together with one of them, itself too; by rank."""
    cycles = _cycles(sorted(files, key=_newest_first))
    mine = next((cycle for cycle in cycles if any(f.id == file.id for f in cycle)), [file])
    return sorted(mine, key=_within_cycle)


def as_it_is_now(file: TraceFile) -> TraceFile:
    """The same file with today's size, time and inode, wherever links lead to it today.

    Raises OSError where it is gone.
    """
    real_path = os.path.realpath(file.path)
    status = os.stat(real_path)
    return replace(
        file, real_path=real_path, inode=status.st_ino, bytes=status.st_size, modified_ns=status.st_mtime_ns
    )


def _run_name(logdir: Logdir, directory: str) -> str:
    relative = os.path.relpath(directory, logdir.path).replace(os.sep, "/")
    if relative == ".":
        return logdir.name or os.path.basename(logdir.path) or logdir.shown
    return f"{logdir.name}/{relative}" if logdir.name else relative


def _distinct(name: str, taken: Counter[str]) -> str:
    """Two log directories may hold runs of one name: the later ones get a number."""
    taken[name] += 1
    return name if taken[name] == 1 else f"{name} ({taken[name]})"


def _make_run(logdir: Logdir, name: str, found: Sequence[FoundFile]) -> Run:
    return Run(name, _order([_trace_file(logdir, name, file) for file in found]))


def _trace_file(logdir: Logdir, run: str, found: FoundFile) -> TraceFile:
    name = os.path.basename(found.path)
    worker, span = split_name(name)
    return TraceFile(
        id=_opaque_id(logdir.path, run, found.path, found.real_path),
        path=found.path,
        real_path=found.real_path,
        file=name,
        run=run,
        worker=worker,
        span=span,
        rank=rank_of(worker),
        inode=found.inode,
        bytes=found.bytes,
        modified_ns=found.modified_ns,
    )


def _opaque_id(*parts: str) -> str:
    """The same in every process, so that links to a file stay good; file names may be no UTF-8."""
    import hashlib  # slow to load, and not needed for a file that is given by its path

    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:24]


def _order(files: Sequence[TraceFile]) -> list[TraceFile]:
    """Newest cycle first, then lowest rank, then worker name."""
    cycles = _cycles(sorted(files, key=_newest_first))
    return [file for cycle in cycles for file in sorted(cycle, key=_within_cycle)]


def _newest_first(file: TraceFile) -> tuple[int, int, str]:
    return -_made_ns(file), -int(file.span or 0), file.file


def _within_cycle(file: TraceFile) -> tuple[bool, int, str]:
    return file.rank is None, file.rank or 0, file.worker


def _made_ns(file: TraceFile) -> int:
    """When the file was made: its span, if that is a time in s, ms, µs or ns; else when it was written."""
    digits = len(file.span or "")
    if file.span is None or digits < _DIGITS_OF_A_TIME:
        return file.modified_ns
    unit_ns = 10**9 if digits <= 11 else 10**6 if digits <= 14 else 10**3 if digits <= 17 else 1
    return int(file.span) * unit_ns


def _cycles(newest_first: Sequence[TraceFile]) -> list[list[TraceFile]]:
    """Files of several ranks that were made together; a file without a rank is its own cycle."""
    cycles: list[list[TraceFile]] = []
    for file in newest_first:
        if cycles and _belongs(file, cycles[-1]):
            cycles[-1].append(file)
        else:
            cycles.append([file])
    return cycles


def _belongs(file: TraceFile, cycle: Sequence[TraceFile]) -> bool:
    return (
        file.rank is not None
        and cycle[-1].rank is not None
        and _made_ns(cycle[-1]) - _made_ns(file) <= _SAME_CYCLE_NS
        and all(_rank_identity(file) != _rank_identity(other) for other in cycle)
    )


def _rank_identity(file: TraceFile) -> str | int | None:
    """Who recorded the file: without a span, the name often holds the cycle too, but the rank does not."""
    return file.worker if file.span is not None else file.rank
