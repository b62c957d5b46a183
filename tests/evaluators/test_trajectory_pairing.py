"""The pairing is as large as any, and never pairs what may not be paired."""

from __future__ import annotations

import time
from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluators.trajectory_pairing import pair

GRAPHS = st.lists(st.lists(st.integers(0, 4), unique=True), max_size=5)


def largest(candidates: list[list[int]]) -> int:
    """The size of the largest matching, by trying all."""
    for size in range(len(candidates), 0, -1):
        for chosen in combinations(candidates, size):
            for partners in permutations(range(5), size):
                if all(partner in possible for possible, partner in zip(chosen, partners, strict=True)):
                    return size
    return 0


@given(GRAPHS)
def test_the_pairing_is_a_matching_of_the_largest_size(candidates: list[list[int]]) -> None:
    partners = pair(candidates)
    paired = [partner for partner in partners if partner is not None]
    assert len(set(paired)) == len(paired)
    assert all(
        partner is None or partner in possible for possible, partner in zip(candidates, partners, strict=True)
    )
    assert len(paired) == largest(candidates)


def test_the_first_that_cannot_be_paired_is_the_one_without() -> None:
    assert pair([[0], [0], [1]]) == [0, None, 1]
    assert pair([[0, 1], [0]]) == [1, 0]


def test_a_long_augmenting_path_needs_no_recursion() -> None:
    size = 3000
    started = time.process_time()
    assert None not in pair([*([i, i + 1] for i in range(size)), [0]])
    assert time.process_time() - started < 5
