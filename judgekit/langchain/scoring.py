"""Scores: how good is a text, from 1 to 10?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from judgekit.core.flow import Flow
from judgekit.core.templates import Prompt
from judgekit.errors import ConfigError
from judgekit.langchain import prompts
from judgekit.langchain.criteria import Criteria, criteria_text, resolve_criteria
from judgekit.langchain.judging import JudgedMixin, accepted, build, verdict
from judgekit.langchain.schema import FlowStringEvaluator, LLMEvalChain
from judgekit.llm import LLMJudge

__all__ = ["DEFAULT_CRITERIA", "LabeledScoreStringEvalChain", "ScoreStringEvalChain"]

DEFAULT_CRITERIA = (Criteria.HELPFULNESS, Criteria.RELEVANCE, Criteria.CORRECTNESS, Criteria.DEPTH)
"""What scores and comparisons go by when no criteria are given."""


@dataclass(frozen=True)
class ScoreStringEvalChain(JudgedMixin, FlowStringEvaluator, LLMEvalChain):
    """Asks a model to rate a text: `{"reasoning", "score": 1 to 10}`, an int, or a float divided by `normalize_by`.

    Attributes:
        judge: who is asked, and what.
        criteria: name -> description.
        normalize_by: what the rating is divided by; 10 gives 0.1 to 1.0.
    """

    judge: LLMJudge
    criteria: Mapping[str, str]
    normalize_by: float | None = None

    _prompt: ClassVar[Prompt] = prompts.SCORE
    _variables: ClassVar[tuple[str, ...]] = ("prediction", "input", "criteria")

    @classmethod
    def from_llm(
        cls,
        llm: Any = None,
        *,
        prompt: Any = None,
        criteria: Any = None,
        normalize_by: float | None = None,
        model: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Make the evaluator.

        Args:
            llm, model, kwargs: as in `CriteriaEvalChain.from_llm`.
            prompt: one's own, a LangChain prompt template or a text, with the variables `prediction`, `input`, `criteria`,
                and `reference` where the evaluator is labeled.
            criteria: as in `CriteriaEvalChain.from_llm`, and names of one's own without a description; helpfulness,
                relevance, correctness and depth by default.
            normalize_by: what the rating is divided by.

        Raises:
            ConfigError: something of this cannot be used.
        """
        accepted(kwargs, cls.__name__, "criteria", "prompt", "normalize_by", "model")
        if normalize_by is not None and not (math.isfinite(normalize_by) and normalize_by > 0):
            raise ConfigError(f"normalize_by is {normalize_by!r}: give a number above 0, such as 10.")
        judge = build(
            llm,
            prompt,
            default=cls._prompt,
            variables=cls._variables,
            choices=tuple(range(1, 11)),
            name="score_string",
            model=model,
        )
        return cls(judge, resolve_criteria(criteria, default=DEFAULT_CRITERIA, any_name=True), normalize_by)

    @property
    def evaluation_name(self) -> str:
        return f"score_string:{'-'.join(self.criteria)}"

    @property
    def requires_input(self) -> bool:
        return True

    @property
    def _skip_reference_warning(self) -> str:
        return (
            f"{super()._skip_reference_warning}\nTo use a reference, use the LabeledScoreStringEvalChain "
            "(EvaluatorType.LABELED_SCORE_STRING) instead."
        )

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        values = {
            "prediction": item["prediction"],
            "input": item["input"],
            "reference": item["reference"] if self.requires_reference else None,
            "criteria": criteria_text(self.criteria),
        }
        found = yield from verdict(self.judge, values)
        score = found.score if self.normalize_by is None else found.score / self.normalize_by
        return found.result(item, score=score)


class LabeledScoreStringEvalChain(ScoreStringEvalChain):
    """`ScoreStringEvalChain` with a reference beside the text."""

    _prompt = prompts.LABELED_SCORE
    _variables = ("prediction", "input", "criteria", "reference")

    @property
    def requires_reference(self) -> bool:
        return True
