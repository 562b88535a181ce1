"""Calls that ask how many blocks of a kernel fit on the GPU: planning, which some operators do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import calls_lane, the_unit
from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.wording import to_us

# More names than this make no sentence.
MAX_NAMES = 3
# More rows than this nobody reads.
MAX_ROWS = 20


def _check(run: RunAnalyses) -> Iterator[Finding]:
    asked = run.recording.kinds.call & run.in_averaged & run.trace.names_where(vocabulary.is_occupancy_query)
    rows = np.flatnonzero(asked)
    if not len(rows):
        return
    events, steps = run.trace.events, max(len(run.averaged), 1)
    operators = run.origins.nesting.nearest(rows, run.origins.operators)
    times = Counter(run.trace.name_of(row) for row in operators.tolist() if row >= 0)
    spent = int((events.end_ns_of(rows) - events.start_ns[rows]).sum()) / steps
    names = wording.listing([name for name, _ in times.most_common(MAX_NAMES)]) or "some launches"
    often = wording.count(max(round(len(rows) / steps), 1), "time")
    yield Finding(
        verdict="expected",
        title=f"Extra calls before {names} are planning",
        text=(
            f"Before some launches the CPU calls {run.trace.name_of(int(rows[0]))}: {often} and "
            f"{wording.time_ns(spent)} in {the_unit(run)}. It is planning: the library behind {names} "
            "decides at run time how to launch its kernel, and asks first how many blocks of it fit on the "
            "GPU at once. Operators whose kernel is fixed, such as aten::add, need not ask, so they make one "
            "call fewer. The call launches nothing and waits for nothing."
        ),
        advice="Leave these calls alone. They are part of choosing a fast kernel.",
        looks_like_us=to_us(spent),
        evidence=[
            calls_lane(run, rows.tolist()),
            Table(
                ["operator", "count in all"],
                [[name, count] for name, count in times.most_common(MAX_ROWS)],
            ),
            Quantity(f"such calls in {the_unit(run)}", len(rows) / steps, "count"),
        ],
    )


RULE = Rule(
    id="occupancy-query",
    title="Extra runtime calls before a launch",
    why=(
        "One operator shows a runtime call more than another of the same size. Who does not know it as "
        "planning goes looking for a fault."
    ),
    link="https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__OCCUPANCY.html",
    check=_check,
)
