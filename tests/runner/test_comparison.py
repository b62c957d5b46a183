"""Two runs over the same examples: differences against SciPy, and verdicts that claim no more than the data hold."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from judgekit.errors import DataError
from judgekit.runner.comparison import Change, RunComparison
from judgekit.runner.records import RowResult, Score
from judgekit.runner.results import Results

Verdict = bool | float | str


def run(name: str, **keys: Sequence[Verdict | None]) -> Results:
    """Each key's scores, one an example; None where there is none."""
    length = max(map(len, keys.values()))
    rows = [
        RowResult(
            i,
            f"id{i}",
            inputs={"q": i},
            metadata={"document": i // 2},
            scores=tuple(
                Score(key, value, f"{name} says {value}")
                for key, values in keys.items()
                if i < len(values) and (value := values[i]) is not None
            ),
        )
        for i in range(length)
    ]
    return Results(name, {}, rows)


def test_truth_values_are_put_to_mcnemars_test() -> None:
    before = run("old", ok=[False] * 14 + [True] * 2 + [True] * 30 + [False] * 14)
    after = run("new", ok=[True] * 14 + [False] * 2 + [True] * 30 + [False] * 14)
    found = after.compare(before)["ok"]
    assert found.difference is not None
    assert (found.mean, found.other_mean, found.n) == (44 / 60, 32 / 60, 60)
    assert found.difference.value == pytest.approx(0.2)
    assert found.difference.p_value == pytest.approx(scipy_stats.binomtest(2, 16).pvalue)
    assert found.verdict == "better"
    assert [change.id for change in found.flips] == [f"id{i}" for i in range(16)]
    assert found.flips[0] == Change("id0", False, True, "old says False", "new says True")
    assert before.compare(after)["ok"].verdict == "worse"


def test_numbers_have_a_paired_t_interval() -> None:
    source = random.Random(3)
    old = [source.random() for _ in range(30)]
    new = [value + 0.3 + source.random() / 10 for value in old]
    found = run("new", size=new).compare(run("old", size=old))["size"]
    expected = scipy_stats.ttest_rel(new, old).confidence_interval()
    assert found.difference is not None
    assert found.difference.interval is not None
    assert (found.difference.interval.low, found.difference.interval.high) == pytest.approx(
        (expected.low, expected.high)
    )
    assert found.verdict == "better"
    sizes = [change.size for change in found.changes]
    assert sizes == sorted(sizes, reverse=True)


def test_lower_may_be_better() -> None:
    new, old = run("new", toxic=[False] * 20), run("old", toxic=[True] * 15 + [False] * 5)
    assert new.compare(old)["toxic"].verdict == "worse"
    assert new.compare(old, lower_is_better=["toxic"])["toxic"].verdict == "better"


def test_equal_scores_are_no_change() -> None:
    found = run("new", ok=[True, False], size=[1.0, 2.0], tone=["a", "b"]).compare(
        run("old", ok=[True, False], size=[1.0, 2.0], tone=["a", "b"])
    )
    assert {key: each.verdict for key, each in found.keys.items()} == dict.fromkeys(
        ["ok", "size", "tone"], "no change"
    )
    assert all(each.changes == () for each in found.keys.values())


def test_too_few_examples_tell_nothing_and_say_how_many_would() -> None:
    new, old = run("new", ok=[True] * 12 + [False] * 8), run("old", ok=[True] * 10 + [False] * 10)
    found = new.compare(old)["ok"]
    assert found.verdict == "not enough data to tell"
    spread = 2 / 20 - 0.1**2  # of the differences, two of which are 1
    expected = (1.959964 + 0.841621) ** 2 * spread * 20 / 19 / 0.1**2
    assert found.needed == pytest.approx(expected, abs=1)
    assert f"about {found.needed} would find a difference as large as the one seen (0.1)" in found.explanation


def test_one_example_is_never_enough() -> None:
    found = run("new", size=[9.0]).compare(run("old", size=[1.0]))["size"]
    assert found.verdict == "not enough data to tell"
    assert found.difference is not None
    assert found.difference.value == 8.0


def test_the_same_gain_everywhere_is_a_gain() -> None:
    found = run("new", size=[2.0] * 12).compare(run("old", size=[1.0] * 12))["size"]
    assert found.verdict == "better"


def test_many_keys_need_stronger_evidence() -> None:
    def pair(keys: int) -> RunComparison:
        old = {f"k{i}": [False] * 6 + [True] * 30 for i in range(keys)}
        new = {f"k{i}": [True] * 36 for i in range(keys)}
        return run("new", **new).compare(run("old", **old))

    assert pair(1)["k0"].verdict == "better"
    crowd = pair(8)
    assert crowd["k0"].p_adjusted == pytest.approx(8 * 2 / 2**6)
    assert crowd["k0"].verdict == "not enough data to tell"


def test_repetitions_are_averaged_and_an_example_counts_once() -> None:
    def twice(name: str, values: list[tuple[bool, bool, bool]]) -> Results:
        rows = [
            RowResult(i, f"id{i}", r, scores=(Score("ok", value),))
            for i, scores in enumerate(values)
            for r, value in enumerate(scores)
        ]
        return Results(name, {}, rows)

    new = twice("new", [(True, True, True), (True, True, False), (False, True, False)])
    old = twice("old", [(False, False, True), (True, True, False), (False, False, True)])
    found = new.compare(old)["ok"]
    assert found.n == 3
    assert found.mean == pytest.approx((1 + 2 / 3 + 1 / 3) / 3)
    (change,) = found.changes
    assert (change.id, change.after) == ("id0", True)
    assert change.size == pytest.approx(2 / 3)
    assert found.flips == (change,)


def test_clusters_are_respected() -> None:
    source = random.Random(5)
    shared = [source.gauss(0.2, 1) for _ in range(20)]
    new = run("new", size=[shared[i // 2] for i in range(40)])
    old = run("old", size=[0.0] * 40)
    alone, clustered = new.compare(old)["size"], new.compare(old, cluster="document")["size"]
    assert alone.difference is not None
    assert clustered.difference is not None
    assert clustered.difference.clusters == 20
    assert clustered.difference.se == pytest.approx(scipy_stats.sem(shared))
    assert alone.difference.se is not None
    assert clustered.difference.se is not None
    assert clustered.difference.se > alone.difference.se * 1.3


def test_a_cluster_column_must_be_there() -> None:
    new = run("new", ok=[True])
    with pytest.raises(DataError, match="Did you mean 'document'"):
        new.compare(new, cluster="documents")


def test_examples_and_keys_of_one_run_only_are_told() -> None:
    found = run("new", ok=[True] * 5, fresh=[1.0] * 5).compare(run("old", ok=[True] * 3, stale=[1.0] * 3))
    assert (found.both, found.only_here, found.only_there) == (3, ("id3", "id4"), ())
    assert (list(found.keys), found.keys_here, found.keys_there) == (["ok"], ("fresh",), ("stale",))


def test_an_example_without_a_score_on_one_side_is_left_out() -> None:
    found = run("new", ok=[True, None, True, True]).compare(run("old", ok=[True, False, None, False]))["ok"]
    assert (found.n, found.missing, found.mean, found.other_mean) == (2, 2, 1.0, 0.5)


def test_no_pair_at_all_is_no_verdict() -> None:
    found = run("new", ok=[True, None]).compare(run("old", ok=[None, True]))["ok"]
    assert (found.n, found.mean, found.verdict) == (0, None, "not enough data to tell")
    assert "no example has a score in both" in found.explanation


def test_changed_inputs_and_shared_ids_are_warned_of() -> None:
    new = Results(
        "new", {}, [RowResult(0, "a", inputs=1), RowResult(1, "b", inputs=2), RowResult(2, "b", inputs=2)]
    )
    old = Results("old", {}, [RowResult(0, "a", inputs=1), RowResult(1, "b", inputs=3)])
    assert new.compare(old).warnings == (
        "1 ids of new belong to several examples, which were averaged (b)",
        "the inputs of 1 of 2 examples are not the same in both runs",
    )
    assert old.compare(old).warnings == ()


def test_labels_are_listed_where_they_differ() -> None:
    found = run("new", tone=["warm", "cold", "warm"]).compare(run("old", tone=["cold", "cold", "warm"]))[
        "tone"
    ]
    assert found.verdict == "labels differ"
    assert found.changes == (Change("id0", "cold", "warm", "old says cold", "new says warm"),)
    assert found.difference is None


def test_runs_need_not_be_in_one_order() -> None:
    new, old = run("new", ok=[True, False, True]), run("old", ok=[False, False, True])
    turned = Results("old", {}, old.rows[::-1])
    assert new.compare(turned)["ok"] == new.compare(old)["ok"]


def test_it_can_be_read_and_stored() -> None:
    found = run("new", ok=[True] * 20, size=[2.0] * 20).compare(
        run("old", ok=[False] * 10 + [True] * 10, size=[2.0] * 20)
    )
    lines = str(found).splitlines()
    assert lines[0] == "new against old: 20 examples in both, 0 only in new, 0 only in old"
    assert lines[2].split("  ")[0] == "key"
    assert "ok: 10 of 20 changed, 0 from true to false and 10 from false to true" in lines
    assert "  id0: false -> true new says True" in lines
    assert "no change" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["keys"]["ok"]["verdict"] == "better"


scores = st.lists(st.one_of(st.none(), st.booleans(), st.integers(0, 5).map(float)), min_size=1, max_size=12)


@given(scores, scores)
def test_a_comparison_turned_round_is_its_opposite(
    first: list[Verdict | None], second: list[Verdict | None]
) -> None:
    one, other = run("a", k=first), run("b", k=second)
    there, back = one.compare(other).keys.get("k"), other.compare(one).keys.get("k")
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        opposite = {"better": "worse", "worse": "better"}
        assert back.verdict == opposite.get(there.verdict, there.verdict)
        assert (there.n, there.missing) == (back.n, back.missing)
        assert sorted(-change.size for change in there.changes) == pytest.approx(
            sorted(change.size for change in back.changes)
        )


def test_noise_is_seldom_called_better() -> None:
    source, claims = random.Random(11), 0
    for _ in range(100):
        one, other = ([source.random() < 0.7 for _ in range(40)] for _ in range(2))
        claims += run("a", ok=one).compare(run("b", ok=other))["ok"].verdict in {"better", "worse"}
    assert claims <= 9
