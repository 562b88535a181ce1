"""How far a difference of medians may be off: the interval of the definition.

The bootstrap draws; here its distribution is computed whole, without drawing, from the chance of each pair
of middle values. What 10,000 draws give differs from it by drawing noise alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb, sqrt

LEAST_FOR_BOOTSTRAP = 5
DRAWS = 10_000
TAIL = 0.025
DEVIATIONS = 6.0  # of a share estimated by 10,000 draws: less than one in 10⁸ checks fails by chance

Distribution = list[tuple[Fraction, float]]


def smallest_and_largest(a: Sequence[Fraction], b: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    return min(b) - max(a), max(b) - min(a)


def bootstrap_bounds(
    a: Sequence[Fraction], b: Sequence[Fraction]
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Where the 2.5th and the 97.5th percentile of 10,000 draws must lie, each as lowest and highest.

    The share of draws at or below the true percentile is binomial: its standard deviation is √(p(1−p)/n).
    So the drawn percentile lies between the true ones that are some deviations of the share apart.
    """
    differences = difference(medians_of_draws(a), medians_of_draws(b))
    off = DEVIATIONS * sqrt(TAIL * (1 - TAIL) / DRAWS)
    values = [value for value, _ in differences]
    shares = list(accumulate(chance for _, chance in differences))

    def quantile(share: float) -> Fraction:
        return values[min(bisect_left(shares, share), len(values) - 1)]

    return (
        (quantile(TAIL - off), quantile(TAIL + off)),
        (quantile(1 - TAIL - off), quantile(1 - TAIL + off)),
    )


def medians_of_draws(values: Sequence[Fraction]) -> Distribution:
    """The distribution of the median of n draws with replacement from n values."""
    n = len(values)
    ordered = sorted(values)
    low, high = (n - 1) // 2, n // 2  # places of the two middle ones, from 0
    found: dict[Fraction, float] = defaultdict(float)
    for i in range(n):
        for j in range(i, n):
            chance = chance_of_middle(n, i, j, low, high)
            found[(ordered[i] + ordered[j]) / 2] += chance
    return sorted((value, chance) for value, chance in found.items() if chance > 0)


def chance_of_middle(n: int, i: int, j: int, low: int, high: int) -> float:
    """The chance that the `low`-th and `high`-th smallest of n draws are the i-th and j-th of n places."""
    if low == high:
        return at_most(n, i, low) - at_most(n, i - 1, low) if i == j else 0.0
    if i == j:
        # Both middle ones at i: not one of them below or above it.
        below, above = i, n - 1 - i
        ways = sum(
            comb(n, s) * comb(n - s, t) * power(below, s) * power(above, t)
            for s in range(low + 1)
            for t in range(n - high)
        )
        return ways / power(n, n)
    # Exactly `low` + 1 draws at places up to i, one at least at i; the others from j on, one at least at j.
    left = power(i + 1, high) - power(i, high)
    right = power(n - j, n - high) - power(n - 1 - j, n - high)
    return comb(n, high) * left * right / power(n, n)


def at_most(n: int, place: int, rank: int) -> float:
    """The chance that the rank-th smallest (from 0) of n draws is at or before a place."""
    here = place + 1
    ways = sum(comb(n, k) * power(here, k) * power(n - here, n - k) for k in range(rank + 1, n + 1))
    return ways / power(n, n)


def power(base: int, exponent: int) -> int:
    return int(base**exponent)


def difference(a: Distribution, b: Distribution) -> Distribution:
    found: dict[Fraction, float] = defaultdict(float)
    for one, chance in a:
        for other, chance_of_other in b:
            found[other - one] += chance * chance_of_other
    return sorted(found.items())
