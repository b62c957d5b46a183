"""BLEU and chrF: how many n-grams a text shares with references, computed by sacrebleu.

Both were made to score whole test sets; of one text they say little unless it is long. chrF, which counts characters,
holds up better on short texts and on languages without spaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from judgekit.core.equality import shown
from judgekit.errors import MissingDependencyError, PromptError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, chosen, needed, result_of, text_of
from judgekit.types import EvaluatorResult

__all__ = ["NgramOverlap", "create_async_ngram_evaluator", "create_ngram_evaluator"]

Metric = Literal["chrf", "chrf++", "bleu"]
Tokenize = Literal["13a", "intl", "zh", "char", "none"]

_METRICS = ("chrf", "chrf++", "bleu")
_TOKENIZERS = ("13a", "intl", "zh", "char", "none")


@dataclass(frozen=True)
class NgramOverlap(Comparison):
    """One of sacrebleu's metrics on one text."""

    metric: str = "chrf"
    tokenize: str = "13a"
    lowercase: bool = False
    feedback_key: str = "chrf"

    def __post_init__(self) -> None:
        chosen("metric", self.metric, _METRICS)
        chosen("tokenize", self.tokenize, _TOKENIZERS)

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        outputs, given = needed(item, self.feedback_key)
        references = [given] if isinstance(given, str) else given
        if not isinstance(references, list | tuple) or not all(
            isinstance(text, str) and text.strip() for text in references or [None]
        ):
            raise PromptError(
                f"{self.feedback_key}: reference_outputs is {shown(given)}: give a text or a list of texts, none empty."
            )
        scorer = _scorer(self.metric, self.tokenize, self.lowercase)
        percent = scorer.sentence_score(text_of(outputs, name="outputs"), list(references)).score
        signature = {"signature": f"{self.metric}|{scorer.get_signature()}"}
        return result_of(self.feedback_key, min(percent / 100, 1.0), metadata=signature)  # 100.00000000000004


def create_ngram_evaluator(
    *,
    metric: Metric = "chrf",
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
    feedback_key: str | None = None,
) -> Evaluator:
    """Build an evaluator that counts the n-grams which a text shares with one reference or several.

    Args:
        metric: `chrf` (F2 of character n-grams up to 6, Popović 2015), `chrf++` (and of words and pairs of words, Popović
            2017), or `bleu` (precision of word n-grams up to 4 times the brevity penalty, Papineni et al. 2002; exponential
            smoothing, and no longer n-grams than the text has).
        tokenize: how BLEU finds words: "13a" (as WMT does), "intl" (Unicode), "zh" (Chinese), "char", or "none".
        lowercase: whether case is no difference.
        feedback_key: the `key` of the result, the metric's name by default.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)` with a score from 0 to 1 (sacrebleu's divided by 100).
        `reference_outputs` is a text or a list of texts; `metadata["signature"]` says how it was computed, in the form that
        Post (2018) asks reports for.

    Raises:
        ConfigError: a metric or a tokenizer that does not exist.
        MissingDependencyError: when called without sacrebleu.
        PromptError: when called with a reference that is no text, or is empty.
    """
    return Evaluator(
        NgramOverlap(metric, tokenize, lowercase, metric if feedback_key is None else feedback_key)
    )


def create_async_ngram_evaluator(
    *,
    metric: Metric = "chrf",
    tokenize: Tokenize = "13a",
    lowercase: bool = False,
    feedback_key: str | None = None,
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_ngram_evaluator`, the same result, awaited."""
    return AsyncEvaluator(
        NgramOverlap(metric, tokenize, lowercase, metric if feedback_key is None else feedback_key)
    )


@cache
def _scorer(metric: str, tokenize: str, lowercase: bool) -> Any:
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError as error:
        raise MissingDependencyError(
            "BLEU and chrF are computed by sacrebleu, which is not installed: pip install 'judgekit-llm[text]'"
        ) from error
    if metric == "bleu":
        return BLEU(tokenize=tokenize, lowercase=lowercase, effective_order=True)
    return CHRF(word_order=2 if metric == "chrf++" else 0, lowercase=lowercase)
