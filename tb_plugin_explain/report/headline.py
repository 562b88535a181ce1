"""The headline: what bounds the run, in one sentence with its decisive figures.

docs/definitions.md, "Headline". The verdict comes from ``analyses.bound``; here are the words,
the confidence, what to do first and what only looks alarming.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.bound import Bound
from tb_plugin_explain.evidence import captures_graphs, typical
from tb_plugin_explain.findings import Finding, Verdict
from tb_plugin_explain.report_schema import Confidence, FalseAlarm, First, Headline, HeadlineVerdict
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.trace.model import Category

# A CPU span this much shorter than the pace is worth a word: who times it, measures the wrong thing.
RUNS_AHEAD = 0.8

# Where the device sets the pace, what gives back less of a step than this is not what to do first.
MIN_FIRST = 0.05

# A CPU span that differs from the pace by less than this is within the spread of most runs.
MIN_APART = 0.05

# Steps whose shortest is longer than this share of the longest are not what makes a run's figures unlike.
MAX_ALIKE = 0.5

# Less of other work in a step's window than this explains nothing.
MIN_OTHER_WORK = 0.02

_SHARES: Mapping[str, str] = {
    "sync": "waits of the CPU that let it run dry",
    "input": "the data loader",
    "host": "a CPU that had not launched the next kernel yet",
}

_CPU_TIME: Mapping[str, str] = {
    "op_dispatch": "in PyTorch operators",
    "python": "in code that no recorded operator or call covers",
    "input": "in the data loader",
    "optimizer": "in the optimizer’s Python code",
    "compile_lookup": "in torch.compile’s checks",
    "launch_call": "in launch calls",
    "allocator": "allocating memory",
    "loading": "loading code",
    "wait_gpu_busy": "waiting for the GPU",
    "wait_gpu_idle": "waiting",
}


def _each(run: RunAnalyses) -> str:
    """How the text calls what was measured."""
    if run.steps[0].step.number is None:
        return "the time between its first and last event"
    return "the step" if len(run.averaged) == 1 else "each step"


_WHO: Mapping[str, str] = {
    "compute_bound": "The GPU sets the pace",
    "copy_bound": "Copies set the pace",
    "communication_bound": "Communication sets the pace",
    "host_bound": "The CPU sets the pace",
    "sync_bound": "Waiting sets the pace",
    "input_bound": "The data loader sets the pace",
    "undecided": "What sets the pace is open",
}


def _with_figures(run: RunAnalyses, bound: Bound) -> tuple[str, str]:
    return _TEXTS[bound.verdict](run, bound), _detail(run, bound)


def _without_figures(run: RunAnalyses, bound: Bound) -> tuple[str, str]:
    """Text and detail where pace and windows are of different kinds of steps."""
    lengths = [run.steps[i].step.duration_ns for i in run.averaged]
    if len(lengths) == 1:
        text = f"{_WHO[bound.verdict]}, as far as this one step tells."
        window = wording.time_ns(bound.figures.window_ns)
        detail = (
            f"It took {wording.time_ns(lengths[0])} on the CPU, and the GPU events around it lie {window} "
            "apart: too unlike for one figure."
        )
        return text, detail
    text = f"{_WHO[bound.verdict]}, as far as these few and unlike steps tell."
    if min(lengths) > MAX_ALIKE * max(lengths):
        window = wording.time_ns(bound.figures.window_ns)
        return text, (
            f"A step took {wording.time_ns(typical(lengths))} on the CPU and {window} on the GPU: too unlike "
            "for one figure."
        )
    detail = (
        f"The shortest step took {wording.time_ns(min(lengths))} on the CPU, the longest "
        f"{wording.time_ns(max(lengths))}: too unlike for one figure."
    )
    return text, detail


def _part(run: RunAnalyses, part_ns: float, bound: Bound) -> str:
    """A part as ``91.0 % of each step``."""
    return f"{wording.percent(part_ns / bound.base_ns if bound.base_ns > 0 else 0.0)} of {_each(run)}"


def _compute(run: RunAnalyses, bound: Bound) -> str:
    return f"The GPU sets the pace: it works {_part(run, bound.base_ns - bound.lost_ns, bound)}."


def _copies(run: RunAnalyses, bound: Bound) -> str:
    part = _part(run, bound.figures.copy_exposed_ns, bound)
    return f"Copies set the pace: for {part} the GPU does nothing but copy."


def _communication(run: RunAnalyses, bound: Bound) -> str:
    part = _part(run, bound.figures.communication_exposed_ns, bound)
    return f"Communication sets the pace: for {part} the GPU does nothing else."


def _host(run: RunAnalyses, bound: Bound) -> str:
    if captures_graphs(run):
        return "The CPU captures a graph, so this recording does not show what bounds the run."
    in_gaps = bound.figures.by_cause["host"] + bound.figures.by_cause["launch"]
    if in_gaps < bound.shares_ns["host"] / 2:
        step, work = wording.time_ns(bound.base_ns), wording.time_ns(bound.figures.busy_ns)
        return f"The CPU sets the pace: it needs {step} a step to hand out {work} of GPU work."
    part = _part(run, bound.shares_ns["host"], bound)
    return f"The CPU sets the pace: for {part} the GPU waits for its next launch."


def _sync(run: RunAnalyses, bound: Bound) -> str:
    part = _part(run, bound.shares_ns["sync"], bound)
    return f"Waiting sets the pace: for {part} the GPU ran dry because the CPU waited."


def _input(run: RunAnalyses, bound: Bound) -> str:
    part = _part(run, bound.shares_ns["input"], bound)
    return f"The data loader sets the pace: for {part} the GPU waits for a batch."


def _undecided(run: RunAnalyses, bound: Bound) -> str:
    lost, step = wording.time_ns(bound.lost_ns), wording.time_ns(bound.base_ns)
    if len(bound.named) == 1:
        return f"The GPU shows no work for {lost} of {_each(run)} ({step}). This trace cannot say why."
    if "open" in bound.named:
        return (
            f"The GPU does nothing for {lost} of {_each(run)} ({step}), and this trace explains only a part "
            "of that."
        )
    return (
        f"The GPU does nothing for {lost} of {_each(run)} ({step}), and two causes are about equally large."
    )


_TEXTS: Mapping[str, Callable[[RunAnalyses, Bound], str]] = {
    "compute_bound": _compute,
    "copy_bound": _copies,
    "communication_bound": _communication,
    "host_bound": _host,
    "sync_bound": _sync,
    "input_bound": _input,
    "undecided": _undecided,
}


def _step_takes(run: RunAnalyses, speed: str, cpu_ns: float, ahead: bool) -> str:
    """How long a step takes; where its CPU span is another figure, what each of the two is."""
    if ahead or run.pace_ns is None or abs(cpu_ns - run.pace_ns) < MIN_APART * run.pace_ns:
        return f"A step takes {speed}"
    return f"From one step to the next it takes {speed} (on the CPU a step lasts {wording.time_ns(cpu_ns)})"


def _detail(run: RunAnalyses, bound: Bound) -> str:
    """The decisive figures, in a sentence or two."""
    steps = [run.steps[i] for i in run.averaged]
    cpu = typical([s.step.duration_ns for s in steps])
    busy, speed = wording.time_ns(bound.figures.busy_ns), wording.time_ns(run.speed_ns or 0)
    ahead = run.pace_ns is not None and cpu < RUNS_AHEAD * run.pace_ns and bound.verdict == "compute_bound"
    whole = steps[0].step.number is None
    takes = (
        f"The GPU’s first and last event lie {speed} apart" if whole else _step_takes(run, speed, cpu, ahead)
    )
    other = typical([g.other_work_ns for s in steps for g in s.gpu if g.device == run.busiest_device])
    text = f"{takes}, with {busy} of GPU work."
    if other >= MIN_OTHER_WORK * bound.base_ns:
        text += (
            f" For another {wording.time_ns(other)} the GPU did work that was launched before, or elsewhere."
        )
    if captures_graphs(run):
        text += " Most launches only went into a graph that was being captured; the GPU runs them later."
    if bound.verdict == "undecided":
        text += f" {_two_largest(bound)}"
    elif bound.verdict == "communication_bound":
        text += " Whether that is transfer or waiting for the other ranks, one rank’s file cannot tell."
    elif ahead:
        text += (
            f" The CPU needs {wording.time_ns(cpu)} to queue it and goes on to the next step. "
            "Timing the loop "
            f"without torch.cuda.synchronize() measures that, not {speed}."
        )
    return text


def _two_largest(bound: Bound) -> str:
    """What the time without work went to, as far as the trace shows; unexplained time is no cause."""
    goes = [f"{wording.time_ns(bound.shares_ns[s])} goes to {_SHARES[s]}" for s in bound.named if s != "open"]
    unexplained = wording.time_ns(bound.shares_ns["open"])
    if not goes:
        return f"For {unexplained} of the time without work it does not show why."
    known = f"Of the time without work, {wording.listing(goes)}"
    return (
        f"{known}; for {unexplained} the trace does not show why." if "open" in bound.named else f"{known}."
    )


def _confidence(run: RunAnalyses, bound: Bound) -> tuple[Confidence, str]:
    """How many averaged steps agree, limited by what is known of them."""
    agree, total = sum(b.verdict == bound.verdict for b in run.bounds), len(run.averaged)
    settled = run.settled[run.averaged[0]].settled
    if run.steps[0].step.number is None:
        return "likely", "the recording has no steps, so nothing says that it is typical"
    if total == 1 and settled is not True:
        return "likely", "one step, and nothing to compare it with"
    kind = "settled steps" if settled else "steps, not known to be settled,"
    if settled is False:
        kind = "steps, all of them disturbed,"
    why = f"{agree} of {total} {kind} agree"
    if agree == total:
        return ("clear" if settled and run.pace_ns is not None else "likely"), why
    if 2 * agree > total:
        return "likely", why
    return "undecided", f"only {agree} of {total} {kind} {'says' if agree == 1 else 'say'} so"


def _start_with(run: RunAnalyses) -> First | None:
    """The kernel that takes most of the GPU's time: where a GPU that is kept fed is made faster."""
    rows, work_ns = run.kernel_table.rows, int(run.averaged_work.duration_ns.sum())
    if not rows or not work_ns:
        return None
    share = wording.percent(rows[0].time_ns / work_ns)
    return First(f"Look at {wording.kernel(rows[0].name)} first. It takes {share} of the GPU’s work.", None)


# Findings that say how to shorten the device's own work, though not by how much: better to try first than to
# look at a kernel.
_OWN_WORK = frozenset({"matmul-without-tensor-cores"})


def _try_first(findings: Sequence[Finding], least_us: float) -> First | None:
    """The largest of what could make the device's own work shorter, where it is worth the time."""
    known = [f for f in findings if f.rule in _OWN_WORK and (f.looks_like_us or 0.0) >= least_us]
    best = max(known, key=lambda f: f.looks_like_us or 0.0, default=None)
    return None if best is None else First(_said(best), best.rule)


def _said(finding: Finding) -> str:
    """A finding as the one thing to do: what to do, and why."""
    return f"{wording.first_sentence(finding.advice)} {finding.title}."


# What to do where the device sets the pace and no finding says more.
_NEXT: Mapping[str, str] = {
    "compute_bound": "Make the GPU’s own work shorter. The CPU keeps it fed.",
    "copy_bound": "Move fewer bytes. Keep data on the GPU, and copy from pinned memory while kernels run.",
    "communication_bound": (
        "Compare the ranks. Only the files of all ranks show whether one of them is late."
    ),
}


def _first(
    verdict: HeadlineVerdict, findings: Sequence[Finding], open_first: bool = False, least_us: float = 0.0
) -> First | None:
    """The one thing to do: against the dearest thing worth fixing, else against what hides the answer.

    ``open_first``: most of the lost time has no known cause, so that is what to find out first.
    ``least_us``: what a finding must give back to come before the device's own work.
    """
    if verdict == "communication_bound":
        # At least half of the step: nothing else at stake is as much.
        return First(
            _NEXT[verdict], next((f.rule for f in findings if f.rule == "exposed-communication"), None)
        )
    wanted: Sequence[Verdict] = ("fix",) if verdict in _NEXT else ("fix", "undecided")
    ordered = sorted(findings, key=lambda f: f.verdict != "undecided") if open_first else findings
    for finding in ordered:
        if finding.verdict in wanted and (finding.at_stake_us or 0.0) >= least_us:
            return First(_said(finding), finding.rule)
    return First(_NEXT[verdict], None) if verdict in _NEXT else None


def _false_alarms(findings: Sequence[Finding]) -> Sequence[FalseAlarm]:
    return [FalseAlarm(f.pill, f.rule) for f in findings if f.pill is not None]


def _cpu_time(steps: Sequence[StepAnalyses]) -> str:
    """What the CPU's time went to, where that is all the trace tells."""
    known = [s for s in steps if s.cpu is not None and s.step.duration_ns > 0]
    if not known:
        return "It has no steps either, so it says only which operators ran."
    shares = {name: typical([(s.cpu or {})[name] / s.step.duration_ns for s in known]) for name in _CPU_TIME}
    largest = sorted(shares, key=lambda name: -shares[name])[:2]
    parts = [f"{wording.percent(shares[n])} {_CPU_TIME[n]}" for n in largest if shares[n] > 0]
    duration = wording.time_ns(typical([s.step.duration_ns for s in known]))
    return f"A step takes {duration} on the CPU: {wording.listing(parts)}."


def _not_measured(run: RunAnalyses) -> tuple[str, str, str]:
    """Text, detail and reason where no verdict is possible."""
    if run.problem("truncated") is not None:
        return (
            "The file ends too early, so what bounds the run is not known.",
            "The events that were read are shown; kernels may be missing anywhere.",
            "the file was cut off",
        )
    if not len(run.trace.events):
        return "The file holds no events.", "There is nothing to explain.", "no events"
    detail = _cpu_time([run.steps[i] for i in run.averaged])
    if not len(run.recording.gpu):
        on_cpu = run.trace.meta.devices == () and not run.trace.is_category(Category.RUNTIME).any()
        text = (
            "No GPU was recorded; here is what the CPU’s time went to."
            if on_cpu
            else "No GPU event was recorded, so what bounds the run is not known."
        )
        return text, detail, "no GPU event was recorded"
    return (
        "The steps to average have no GPU work in this file, so what bounds the run is not known.",
        detail,
        "no GPU event of these steps was recorded",
    )


def write_headline(run: RunAnalyses, findings: Sequence[Finding]) -> Headline:
    """The headline of a run, from its analyses and its findings."""
    numbers = [run.steps[i].step.number for i in run.averaged]
    settled = run.settled[run.averaged[0]].settled if run.averaged else None
    alarms = _false_alarms(findings)
    bound = None if run.problem("truncated") is not None else run.bound
    if bound is None:
        text, detail, why = _not_measured(run)
        # Of a cut file the cut is what to mend first, whatever else is missing because of it.
        cut = [f for f in findings if f.rule == "truncated"]
        first = _first("not_measured", cut or findings)
        return Headline("not_measured", text, detail, "undecided", why, numbers, settled, first, alarms)
    confidence, why = _confidence(run, bound)
    least_us = MIN_FIRST * wording.to_us(bound.base_ns) if bound.verdict in _NEXT else 0.0
    first = _first(bound.verdict, findings, open_first=bound.named[:1] == ("open",), least_us=least_us)
    if bound.verdict == "compute_bound" and first is not None and first.rule is None:
        first = _try_first(findings, least_us) or _start_with(run) or first
    fits = bound.lost_ns <= bound.base_ns
    text, detail = _with_figures(run, bound) if fits else _without_figures(run, bound)
    if run.problem("thinned") is not None:
        detail += " Most events were taken out of this file after recording, so the run itself was fuller."
        first = First("Explain the whole file. Most events were taken out of this one.", None)
    if not fits and first is None:
        first = First("Record more steps after a warm-up. These are too few and too unlike to judge.", None)
    return Headline(bound.verdict, text, detail, confidence, why, numbers, settled, first, alarms)
