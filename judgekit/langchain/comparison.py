"""Comparisons: which of two texts is better, A or B?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from judgekit.core.flow import Flow, together
from judgekit.core.templates import Prompt
from judgekit.langchain import prompts
from judgekit.langchain.criteria import criteria_text, resolve_criteria
from judgekit.langchain.judging import JudgedMixin, Verdict, accepted, build, verdict
from judgekit.langchain.schema import FlowPairwiseStringEvaluator, LLMEvalChain
from judgekit.langchain.scoring import DEFAULT_CRITERIA
from judgekit.llm import LLMJudge

__all__ = ["LabeledPairwiseStringEvalChain", "PairwiseStringEvalChain", "resolve_pairwise_criteria"]

_TIE = "C"
_SCORES = {"A": 1, "B": 0, _TIE: 0.5}
_SWAPPED = {"A": "B", "B": "A", _TIE: _TIE}


def resolve_pairwise_criteria(criteria: Any) -> dict[str, str]:
    """The criteria that a comparison goes by, name -> description; see `resolve_criteria`."""
    return resolve_criteria(criteria, default=DEFAULT_CRITERIA, any_name=True)


@dataclass(frozen=True)
class PairwiseStringEvalChain(JudgedMixin, FlowPairwiseStringEvaluator, LLMEvalChain):
    """Asks a model which text is better: `{"reasoning", "value", "score"}`.

    `value` is "A" (the first, score 1), "B" (score 0), or None where neither is better (score 0.5).

    Attributes:
        judge: who is asked, and what.
        criteria: name -> description.
        swap_order: whether both orders are asked about. A text then wins when it does so in either place; otherwise
            neither is better (Zheng et al. 2023, arXiv 2306.05685).
    """

    judge: LLMJudge
    criteria: Mapping[str, str]
    swap_order: bool = False

    _prompt: ClassVar[Prompt] = prompts.PAIRWISE
    _variables: ClassVar[tuple[str, ...]] = ("prediction", "prediction_b", "input", "criteria")

    @classmethod
    def from_llm(
        cls,
        llm: Any = None,
        *,
        prompt: Any = None,
        criteria: Any = None,
        swap_order: bool = False,
        model: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Make the evaluator.

        Args:
            llm, model, kwargs: as in `CriteriaEvalChain.from_llm`.
            prompt: one's own, a LangChain prompt template or a text, with the variables `prediction`, `prediction_b`,
                `input`, `criteria`, and `reference` where the evaluator is labeled. C is its word for a tie.
            criteria: as in `ScoreStringEvalChain.from_llm`.
            swap_order: ask about both orders; twice the requests.

        Raises:
            ConfigError: something of this cannot be used.
        """
        accepted(kwargs, cls.__name__, "criteria", "prompt", "swap_order", "model")
        judge = build(
            llm,
            prompt,
            default=cls._prompt,
            variables=cls._variables,
            choices=_SCORES,
            name="pairwise_string",
            model=model,
        )
        return cls(judge, resolve_pairwise_criteria(criteria), swap_order)

    @property
    def evaluation_name(self) -> str:
        return f"pairwise_string:{'-'.join(self.criteria)}"

    @property
    def requires_input(self) -> bool:
        return True

    @property
    def _skip_reference_warning(self) -> str:
        return (
            f"{super()._skip_reference_warning}\nTo use a reference, use the LabeledPairwiseStringEvalChain "
            "(EvaluatorType.LABELED_PAIRWISE_STRING) instead."
        )

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        first, second = item["prediction"], item["prediction_b"]
        if self.swap_order:
            there, back = yield from together(
                self._asked(item, first, second), self._asked(item, second, first)
            )
            found = _agreed(there, back)
        else:
            found = yield from self._asked(item, first, second)
        value = None if found.label == _TIE else found.label
        return found.result(item, value=value, score=found.score)

    def _asked(self, item: Mapping[str, Any], first: Any, second: Any) -> Flow[Verdict]:
        values = {
            "prediction": first,
            "prediction_b": second,
            "input": item["input"],
            "reference": item["reference"] if self.requires_reference else None,
            "criteria": criteria_text(self.criteria),
        }
        return (yield from verdict(self.judge, values))


class LabeledPairwiseStringEvalChain(PairwiseStringEvalChain):
    """`PairwiseStringEvalChain` with a reference beside the texts."""

    _prompt = prompts.LABELED_PAIRWISE
    _variables = ("prediction", "prediction_b", "input", "criteria", "reference")

    @property
    def requires_reference(self) -> bool:
        return True


def _agreed(there: Verdict, back: Verdict) -> Verdict:
    """What two verdicts on the same pair come to, where `back` saw the second text as A."""
    turned = _SWAPPED[back.label or _TIE]
    label = turned if turned == there.label else _TIE
    reasoning = (
        f"In the given order ({there.label}): {there.reasoning}\n\n"
        f"In the other order, where A is the second text ({back.label}): {back.reasoning}"
    )
    run = {**there.run, "label": label, "orders": [dict(there.run), dict(back.run)]}
    return replace(there, score=_SCORES[label], label=label, reasoning=reasoning, run=run)
