"""String distances are rapidfuzz's, on characters as the caller counts them, in memory that grows with the text."""

from __future__ import annotations

import asyncio
import datetime as dt
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import distance

from judgekit.errors import ConfigError, MissingDependencyError, MissingVariableError, PromptError
from judgekit.evaluators.string_distance import (
    METRICS,
    create_async_string_distance_evaluator,
    create_string_distance_evaluator,
    levenshtein_distance,
    levenshtein_distance_async,
    similarity,
)

TEXT = st.text(alphabet="ab é東\N{COMBINING ACUTE ACCENT}\N{GRINNING FACE}", max_size=12)
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
APART = "cafe\N{COMBINING ACUTE ACCENT}"


def scored(outputs: Any, reference: Any, **settings: Any) -> Any:
    item = {"outputs": outputs, "reference_outputs": reference}
    result = create_string_distance_evaluator(**settings)(**item)
    assert asyncio.run(create_async_string_distance_evaluator(**settings)(**item)) == result
    return result["score"]


@pytest.mark.parametrize(
    ("outputs", "reference", "score"),
    [
        ("kitten", "sitting", 4 / 7),
        ("", "", 1.0),
        ("", "a", 0.0),
        ("東京", "東亰", 0.5),
        ("same", "same", 1.0),
    ],
)
def test_levenshtein_distance_is_a_similarity(outputs: str, reference: str, score: float) -> None:
    result = levenshtein_distance(outputs=outputs, reference_outputs=reference, other="ignored")
    assert result == {
        "key": "levenshtein_distance",
        "score": pytest.approx(score),
        "comment": None,
        "metadata": None,
    }
    awaited = asyncio.run(levenshtein_distance_async(outputs=outputs, reference_outputs=reference))
    assert awaited == result


@pytest.mark.parametrize(
    ("metric", "alike", "edits"),
    [
        ("levenshtein", 4 / 6, 2),
        ("damerau_levenshtein", 5 / 6, 1),
        ("indel", 10 / 12, 2),
        ("hamming", 4 / 6, 2),
        ("jaro", 17 / 18, 1 / 18),
        ("jaro_winkler", 0.9611, 0.0389),  # the worked example of Winkler 1990
    ],
)
def test_each_metric_on_a_swap(metric: str, alike: float, edits: float) -> None:
    pair = ("MARTHA", "MARHTA")
    assert scored(*pair, metric=metric) == pytest.approx(alike, abs=1e-4)
    assert scored(*pair, metric=metric, measure="normalized_distance") == pytest.approx(1 - alike, abs=1e-4)
    assert scored(*pair, metric=metric, measure="distance") == pytest.approx(edits, abs=1e-4)


@pytest.mark.parametrize("metric", METRICS)
def test_both_empty_are_alike_and_all_is_different_from_nothing(metric: str) -> None:
    assert scored("", "", metric=metric) == 1
    assert scored("abc", "", metric=metric) == 0


def test_damerau_levenshtein_is_unrestricted() -> None:
    # "CA" -> "AC" -> "ABC": the restricted variant (optimal string alignment) needs three edits
    assert scored("CA", "ABC", metric="damerau_levenshtein", measure="distance") == 2


def test_hamming_counts_what_the_longer_text_has_more() -> None:
    assert scored("abc", "ab", metric="hamming", measure="distance") == 1


@pytest.mark.parametrize("metric", METRICS)
@given(one=TEXT, other=TEXT)
def test_the_scores_are_rapidfuzz_s(metric: str, one: str, other: str) -> None:
    oracle = getattr(distance, METRICS[metric])
    judge = create_string_distance_evaluator(metric=metric)  # type: ignore[arg-type]
    alike = judge(outputs=one, reference_outputs=other)["score"]
    assert alike == oracle.normalized_similarity(one, other)
    assert alike == judge(outputs=other, reference_outputs=one)["score"]
    assert 0 <= alike <= 1
    assert (alike == 1) == (one == other)


@given(TEXT, TEXT, TEXT)
def test_the_edits_keep_the_triangle_inequality(one: str, other: str, third: str) -> None:
    judge = create_string_distance_evaluator(metric="damerau_levenshtein", measure="distance")

    def edits(left: str, right: str) -> int:
        return int(judge(outputs=left, reference_outputs=right)["score"])

    assert edits(one, third) <= edits(one, other) + edits(other, third)


@pytest.mark.parametrize(
    ("outputs", "reference", "normalize"),
    [
        (APART, "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "NFC"),
        ("\N{LATIN SMALL LIGATURE FI}n \N{FULLWIDTH DIGIT ONE}", "fin 1", "NFKC"),
        ("STRASSE", "straße", "casefold"),
        ("  two\n\twords ", "two words", "whitespace"),
        ("A  b", "a B", ["casefold", "whitespace"]),
        ("a-b", "ab", lambda text: text.replace("-", "")),
        ("a-B", "ab", [lambda text: text.replace("-", ""), "casefold"]),
    ],
)
def test_normalization_takes_differences_away(outputs: str, reference: str, normalize: Any) -> None:
    assert scored(outputs, reference) < 1
    assert scored(outputs, reference, normalize=normalize) == 1


def test_steps_are_applied_in_their_order() -> None:
    steps: list[Callable[[str], str]] = [lambda text: text + "1", lambda text: text.replace("1", "2")]
    assert scored("", "2", normalize=[steps[0], steps[1], lambda text: text[:1]]) == 1


@pytest.mark.parametrize("normalize", ["nfc", ["NFD"], None, 5, [5]])
def test_an_unknown_step_is_an_error(normalize: Any) -> None:
    with pytest.raises(ConfigError, match=r"normalize is .*: give one of 'NFC'"):
        create_string_distance_evaluator(normalize=normalize)


def test_a_step_that_gives_no_text_is_an_error() -> None:
    judge = create_string_distance_evaluator(normalize=len)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="returned int, where a text is needed"):
        judge(outputs="a", reference_outputs="b")


def test_a_character_is_a_code_point_or_a_grapheme() -> None:
    pytest.importorskip("regex")
    assert scored(FAMILY, "a", measure="distance") == 5
    assert scored(FAMILY, "a", measure="distance", unit="grapheme") == 1
    assert scored(APART + "s", "cafes", measure="distance", unit="grapheme") == 1
    assert scored("", "", unit="grapheme") == 1


def test_graphemes_without_the_package_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    judge = create_string_distance_evaluator(unit="grapheme")
    with pytest.raises(MissingDependencyError, match=r"pip install 'judgekit-llm\[text\]'"):
        judge(outputs="a", reference_outputs="b")


@pytest.mark.parametrize(
    "settings", [{"metric": "levenstein"}, {"measure": "ratio"}, {"unit": "word"}, {"metric": ["jaro"]}]
)
def test_w8_unknown_names_are_errors_when_the_evaluator_is_made(settings: dict[str, Any]) -> None:
    (name,) = settings
    for create in (create_string_distance_evaluator, create_async_string_distance_evaluator):
        with pytest.raises(ConfigError, match=f"{name} is .*: give one of"):
            create(**settings)


def test_w15_values_that_are_not_text_are_json_with_sorted_keys_and_no_escapes() -> None:
    assert scored({"b": 1, "a": "東京"}, {"a": "東京", "b": 1}) == 1
    assert scored({"a": "東"}, {"a": "x"}, measure="distance") == 1
    assert scored({"a": "é"}, '{"a": "é"}') == 1


def test_w21_dates_and_models_have_a_text() -> None:
    assert scored(dt.date(2026, 1, 2), "2026-01-02") == 1
    for value in (b"bytes", object()):
        with pytest.raises(PromptError, match="outputs"):
            levenshtein_distance(outputs=value, reference_outputs="a")


def test_w21_none_is_no_text() -> None:
    for item in ({"outputs": None, "reference_outputs": "a"}, {"outputs": "a"}):
        with pytest.raises(MissingVariableError, match="levenshtein_distance needs"):
            levenshtein_distance(**item)


def test_the_key_says_what_was_measured() -> None:
    judge = create_string_distance_evaluator(metric="jaro", measure="normalized_distance")
    assert judge(outputs="a", reference_outputs="b")["key"] == "jaro_normalized_distance"
    assert create_string_distance_evaluator(feedback_key="edits").__name__ == "edits"


def test_similarity_of_two_values() -> None:
    jaro = similarity("jaro")
    assert [jaro(None, None), jaro(None, "a"), jaro("a", None), jaro([1], "[1]")] == [1, 0, 0, 1]
    with pytest.raises(ConfigError, match="did you mean 'jaro'"):
        similarity("jarro")


def test_w45_long_texts_take_memory_for_one_row() -> None:
    long, longer = "ab" * 5_000, "ba" * 5_000
    levenshtein_distance(outputs="warm", reference_outputs="up")
    tracemalloc.start()
    try:
        score = levenshtein_distance(outputs=long, reference_outputs=longer)["score"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert score == pytest.approx(1 - 2 / 10_000)
    assert peak < 4 * 2**20


LONG_TEXTS = """
import resource
from judgekit.evaluators.string_distance import METRICS, create_string_distance_evaluator

def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

judges = [create_string_distance_evaluator(metric=metric) for metric in METRICS]
for judge in judges:
    judge(outputs="warm", reference_outputs="up")
before = megabytes()
for judge in judges:
    judge(outputs="abcd" * 2_500, reference_outputs="bcda" * 2_500)
print(megabytes() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss is the kernel's own choice")
def test_w45_no_metric_keeps_a_matrix_of_long_texts() -> None:
    # What C++ allocates, tracemalloc does not see; a matrix of 10,000 by 10,000 has 95 MiB at one byte a cell.
    command = [sys.executable, "-W", "error", "-c", LONG_TEXTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 24
