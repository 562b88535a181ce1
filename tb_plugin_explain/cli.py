"""``tb-explain``: explain one trace or one name, compare two, cut out a step, list runs, show the samples.

Text goes to standard output, progress and errors to standard error. Exit status: 0 explained,
2 the input could not be read or the command is wrong, 3 a limit of ``compare`` was exceeded,
1 anything else that went wrong.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace

from tb_plugin_explain import __version__
from tb_plugin_explain.errors import TraceError, UsageError
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.terminal import (
    BAD_INPUT,
    FAILED,
    OK,
    prepare_output,
    progress_bar,
    reader_may_leave,
    tell,
    tell_error,
    write_json,
)
from tb_plugin_explain.trace.engine import default_engine

# As most traces spell them.
CATEGORIES = (
    "kernel, cpu_op, user_annotation, gpu_user_annotation, cuda_runtime, cuda_driver, gpu_memcpy, "
    "gpu_memset, overhead, python_function, cuda_sync, cpu_instant_event, mtia_ccp_events, other"
)
if TYPE_CHECKING:
    from tb_plugin_explain.run_report import RunReport

_OPTION = re.compile(r"--\w[\w-]*")
_FORMATS = ("text", "json", "markdown", "html")


def _parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """That of the program, and those of its commands."""
    parser = argparse.ArgumentParser(prog="tb-explain", description="Explains torch.profiler traces.")
    parser.add_argument(
        "--version", action="version", version=f"tb-explain {__version__}, engine: {default_engine()}"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    report = commands.add_parser("report", help="explain one trace")
    report.add_argument("trace", help="a .json or .json.gz file of torch.profiler, or a run directory")
    report.add_argument("--format", choices=_FORMATS, default=None, help="default: text")
    report.add_argument("--step", type=int, default=None, metavar="N", help="show this step only")
    _add_max_memory(report)
    compare = commands.add_parser("compare", help="say what changed between two traces or runs")
    compare.add_argument("baseline", help="a trace, or a run directory: the newest trace of each worker")
    compare.add_argument("candidate", help="the same, of what you compare with it")
    compare.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    compare.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="LIMIT",
        help="exit with status 3 beyond it: 'pace_us>+5%%', 'launches>+10'; may be repeated. Metrics: "
        "those of docs/definitions/comparison.md, which a misspelt one lists",
    )
    _add_max_memory(compare)
    cut = commands.add_parser("slice", help="cut one step out of a trace, for any viewer")
    cut.add_argument("trace", help="a .json or .json.gz file of torch.profiler")
    cut.add_argument("--step", type=int, required=True, metavar="N", help="the number of its ProfilerStep")
    cut.add_argument("-o", "--output", required=True, metavar="OUT", help="a .json or .json.gz file")
    _add_max_memory(cut)
    runs = commands.add_parser("runs", help="list runs and traces as the tab sees them")
    runs.add_argument("logdir", help="what you give to tensorboard --logdir")
    what = commands.add_parser("what", help="say what an event of a trace is, or what a word means")
    what.add_argument(
        "name", help="the event's name, as the trace spells it, or a word such as 'lane offset'"
    )
    what.add_argument("--category", default=None, help=f"the event's category: {CATEGORIES}")
    what.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    demo = commands.add_parser("demo", help="show the sample runs in TensorBoard")
    demo.add_argument("directory", nargs="?", type=Path, default=None, help="where to put them")
    demo.add_argument("--port", type=int, default=None, help="default: 6006, or the next free one")
    return parser, commands.choices


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for; of options that are none, the message names the option and what was meant."""
    parser, commands = _parsers()
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        command = commands[args.command]
        command.error(_not_understood(args.command, unknown, _OPTION.findall(command.format_help())))
    return args


def _not_understood(command: str, unknown: Sequence[str], options: Sequence[str]) -> str:
    """Where an option is misspelt, its value has taken another’s place, so only the option is named."""
    option = next((part.partition("=")[0] for part in unknown if part.startswith("-")), None)
    if option is None:
        return f"{command} does not know what to do with {' '.join(unknown)}."
    meant = get_close_matches(option, options, n=1)
    return f"{command} has no option {option}" + (f"; did you mean {meant[0]}?" if meant else ".")


def _add_max_memory(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--max-memory",
        default=None,
        metavar="SIZE",
        help="most memory to take, such as 8GB; a trace that needs more is refused"
        " (default: three quarters of what is available)",
    )


@contextmanager
def _limited_memory(args: argparse.Namespace) -> Iterator[None]:
    """For commands that read traces; UsageError where the size is none."""
    if "max_memory" not in args:
        yield
        return
    from tb_plugin_explain.trace.memory import limited_memory, parse_size

    with limited_memory(parse_size(args.max_memory) if args.max_memory else None):
        yield


def _explain(path: str, run: str | None) -> Report:
    """Explains one file, with a bar on a terminal where it takes long."""
    from tb_plugin_explain.report import explain_path
    from tb_plugin_explain.runs import split_name

    worker, span = split_name(os.path.basename(path))
    with progress_bar([path]) as set_bar:
        return explain_path(path, run, worker, span, set_bar)


def _one_step(report: Report, number: int | None) -> Report:
    if number is None:
        return report
    steps = [s for s in report.steps if s.number == number]
    if not steps:
        from tb_plugin_explain import wording

        has = wording.steps([s.number for s in report.steps]) if report.steps else "no steps"
        raise UsageError(f"{report.trace.file} has no step {number}; it has {has}.")
    findings = [f for f in report.findings if f.step in (None, number)]
    return replace(report, steps=steps, findings=findings)


def _print(report: Report, form: str, number: int | None) -> None:
    shown = _one_step(report, number)
    if form == "json":
        from tb_plugin_explain.wire import to_json

        write_json(to_json(shown))
    elif form == "markdown":
        from tb_plugin_explain.report_markdown import as_markdown

        print(as_markdown(shown), end="")
    elif form == "html":
        from tb_plugin_explain.report_html import report_page

        print(report_page([shown]), end="")
    else:
        from tb_plugin_explain.console import OutputConsole
        from tb_plugin_explain.text_report import print_report

        print_report(shown, OutputConsole())


def _report(args: argparse.Namespace) -> int:
    form = args.format or "text"
    if os.path.isdir(args.trace):
        return _report_run(args.trace, form, args.step)
    try:
        report = _explain(args.trace, None)
    except TraceError as error:
        tell_error(error, form)
        return BAD_INPUT
    _print(report, form, args.step)
    return OK


def _report_run(directory: str, form: str, step: int | None) -> int:
    """Every trace of one run directory; files that cannot be read are told and passed over."""
    from tb_plugin_explain.run_report import RunReport, summarise
    from tb_plugin_explain.runs import files_of_run

    if step is not None:
        raise UsageError(f"{directory} is a directory: --step {step} needs the name of one trace.")
    files = files_of_run(directory)
    reports, errors = [], []
    for file in files:
        try:
            reports.append(_explain(file.path, file.run))
        except TraceError as error:
            errors.append(error)
    for refused in errors:
        tell_error(refused, "text")
    _print_run(RunReport(summarise(files[0].run, reports), reports), form)
    return OK if reports else BAD_INPUT


def _print_run(run: RunReport, form: str) -> None:
    if form == "json":
        from tb_plugin_explain.wire import to_json

        write_json(to_json(run))
    elif form == "markdown":
        from tb_plugin_explain.report_markdown import run_as_markdown

        print(run_as_markdown(run), end="")
    elif form == "html":
        from tb_plugin_explain.report_html import report_page

        print(report_page(run.reports, run.run.findings), end="")
    else:
        from tb_plugin_explain.console import OutputConsole
        from tb_plugin_explain.text_report import print_run

        for report in run.reports:
            _print(report, form, None)
            print()
        print_run(run.run, OutputConsole())


def _compare(args: argparse.Namespace) -> int:
    from tb_plugin_explain.compare_command import run_compare

    return run_compare(args.baseline, args.candidate, args.format, args.fail_on)


def _slice(args: argparse.Namespace) -> int:
    from tb_plugin_explain.slicing import save_slice

    source, target = args.trace, args.output
    if os.path.exists(target) and os.path.realpath(source) == os.path.realpath(target):
        raise UsageError(f"{target} is the trace itself: give the slice another name.")
    try:
        with progress_bar([source]) as set_bar:
            written = save_slice(source, args.step, target, set_bar)
    except TraceError as error:
        tell_error(error, "text")
        return BAD_INPUT
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror}): give another place.") from None
    tell(f"{target}: step {args.step}, {written:,} events.")
    return OK


def _runs(args: argparse.Namespace) -> int:
    from tb_plugin_explain.runs import parse_logdirs, scan
    from tb_plugin_explain.text_parts import printable

    found = scan(parse_logdirs(args.logdir, None))
    for note in found.notes:
        tell(note)
    for run in found.runs:
        print(printable(run.name))
        for file in run.files:
            span = file.span or "no span"
            print(f"  {printable(file.worker)}  {span}  {file.bytes / 1e6:.2f} MB  {printable(file.file)}")
    if not found.runs and not found.notes:
        tell(f"{args.logdir} holds no trace.")
    return OK if found.runs else BAD_INPUT


def _what(args: argparse.Namespace) -> int:
    from tb_plugin_explain.glossary import terms_of, what_is
    from tb_plugin_explain.glossary.wording import as_text
    from tb_plugin_explain.text_parts import printable
    from tb_plugin_explain.wire import to_json

    if args.category:
        _check_category(args.category)
    explanation = what_is(args.name, args.category or None)
    terms = terms_of(explanation)
    if args.format == "json":
        write_json(to_json({**asdict(explanation), "terms": terms}))
    else:
        lines = as_text(explanation, terms).splitlines()
        print("\n".join(printable(line) for line in lines))
    return OK


def _check_category(category: str) -> None:
    """UsageError if neither traces nor our answers spell a category so."""
    from tb_plugin_explain.trace.categories import is_known
    from tb_plugin_explain.trace.category import Category

    if not is_known(category) and category.upper() not in Category.__members__:
        raise UsageError(f"--category {category}: there is no such category; choose one of {CATEGORIES}.")


def _demo(args: argparse.Namespace) -> int:
    from tb_plugin_explain.demo import run_demo

    return run_demo(args.directory, args.port)


_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_COMMANDS = {
    "report": _report,
    "compare": _compare,
    "slice": _slice,
    "runs": _runs,
    "what": _what,
    "demo": _demo,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    args = _parse(argv)
    try:
        prepare_output()
        status = OK
        with reader_may_leave(), _limited_memory(args):
            status = _COMMANDS[args.command](args)
        return status
    except UsageError as error:
        tell(str(error))
        return BAD_INPUT
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        tell(f"the answer could not be written: {error.strerror}.")
        return FAILED
    except KeyboardInterrupt:
        return FAILED
    except MemoryError:
        tell("the memory that may be used ran out: free some, or allow more with --max-memory.")
        return FAILED
    except Exception as error:
        tell(f"something went wrong here, not in your file: {error!r}.")
        return FAILED
