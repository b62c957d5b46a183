"""BLEU and chrF are sacrebleu's numbers on one text, divided by 100, with the signature that says how."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from judgekit.errors import ConfigError, MissingDependencyError, MissingVariableError, PromptError
from judgekit.evaluators import ngrams
from judgekit.evaluators.ngrams import create_async_ngram_evaluator, create_ngram_evaluator

CAT = "The cat sat on the mat."


def result(outputs: Any, reference: Any, **settings: Any) -> Any:
    pytest.importorskip("sacrebleu")
    item = {"outputs": outputs, "reference_outputs": reference}
    found = create_ngram_evaluator(**settings)(**item)
    assert asyncio.run(create_async_ngram_evaluator(**settings)(**item)) == found
    return found


@pytest.mark.parametrize("metric", ["chrf", "chrf++", "bleu"])
def test_the_bounds(metric: str) -> None:
    assert result(CAT, CAT, metric=metric)["score"] == 1  # and not 1.0000000000000004
    assert result("", CAT, metric=metric)["score"] == 0
    assert 0 < result("The cat sat on a mat.", CAT, metric=metric)["score"] < 1
    assert result("x", CAT, metric=metric)["key"] == metric


def test_chrf_by_hand() -> None:
    # of one-letter n-grams 1 of 2 matches on each side, of two letters none: F2 of the mean precision and recall 1/4
    assert result("ab", "ac", metric="chrf")["score"] == pytest.approx(0.25)


def test_bleu_by_hand() -> None:
    # 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, 0 of 1 quadruple: smoothed to half of 1/1; as long as the reference
    product = (3 / 4) * (2 / 3) * (1 / 2) * (1 / 2)
    assert result("a b c x", "a b c d", metric="bleu")["score"] == pytest.approx(product**0.25)


def test_the_brevity_penalty() -> None:
    assert result("a b", "a b c d", metric="bleu")["score"] == pytest.approx(
        0.36787944, rel=1e-6
    )  # exp(1 - 4 / 2)


def test_several_references() -> None:
    assert result(CAT, ["Nothing alike", CAT])["score"] == 1
    assert result(CAT, ("Nothing alike",))["score"] < 0.5


def test_case_and_words_are_choices() -> None:
    assert result("THE CAT", "the cat")["score"] < result("THE CAT", "the cat", lowercase=True)["score"] == 1
    chinese = {"outputs": "今天天气好", "reference": "今天天气很好", "metric": "bleu"}
    assert result(**chinese, tokenize="zh")["score"] > result(**chinese, tokenize="13a")["score"]


def test_the_signature_says_how() -> None:
    signature = result(CAT, CAT, metric="bleu", tokenize="intl")["metadata"]["signature"]
    assert signature.startswith("bleu|")
    assert "tok:intl" in signature
    assert "version:" in signature


@pytest.mark.parametrize("reference", ["", " ", [], ["a", ""], 5, [5], {"a": 1}])
def test_a_reference_without_text_is_an_error(reference: Any) -> None:
    with pytest.raises(PromptError, match="chrf: reference_outputs is"):
        result("a", reference)


def test_w21_none_is_no_text() -> None:
    with pytest.raises(MissingVariableError, match="bleu needs `outputs`"):
        create_ngram_evaluator(metric="bleu")(reference_outputs="a")


@pytest.mark.parametrize("settings", [{"metric": "rouge"}, {"tokenize": "spm"}])
def test_w8_unknown_names_are_errors_when_the_evaluator_is_made(settings: dict[str, Any]) -> None:
    for create in (create_ngram_evaluator, create_async_ngram_evaluator):
        with pytest.raises(ConfigError, match="give one of"):
            create(**settings)


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    ngrams._scorer.cache_clear()
    with pytest.raises(MissingDependencyError, match=r"pip install 'judgekit-llm\[text\]'"):
        create_ngram_evaluator()(outputs="a", reference_outputs="a")
