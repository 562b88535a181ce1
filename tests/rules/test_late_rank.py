"""A rank that comes late, told from several files."""

from __future__ import annotations

from tb_plugin_explain.report_sections.communication import RanksTogether, RankWaiting
from tb_plugin_explain.rules.late_rank import find_late_rank
from tests.rules.asking import ask, assert_not_measured
from tests.rules.gpu_steps import Work, kernels, steps_of


def cycle(late_us: float) -> RanksTogether:
    ranks = [RankWaiting(0, 100, 0, 3, late_us), RankWaiting(1, 400, 300, 0, 0)]
    return RanksTogether([1, 2], [0, 1], 10, 100, ranks, None)


def test_a_late_rank_is_named_with_what_could_be_won_a_step() -> None:
    (finding,) = find_late_rank(cycle(300), 1000)
    assert (finding.verdict, finding.at_stake_us, finding.rule) == ("fix", 150, "late-rank")
    assert finding.title == "Rank 0 comes late, by 150 µs"
    assert "Of 10 collectives" in finding.text


def test_quiet_where_ranks_are_even_or_nothing_is_known() -> None:
    assert list(find_late_rank(cycle(80), 1000)) == []
    assert list(find_late_rank(RanksTogether([1], [0, 1], None, None, [], "no"), 1000)) == []


def test_one_file_cannot_tell() -> None:
    assert_not_measured("late-rank", steps_of([Work("ncclDevKernel_AllReduce", 50)]), "several ranks")
    assert ask("late-rank", steps_of(kernels(10))) == []
