"""Questions and answers: is an answer right, by a true answer or by a context? And making questions from documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from judgekit.core.flow import Flow, settled, together
from judgekit.core.templates import Prompt
from judgekit.errors import ConfigError, JudgeError
from judgekit.langchain import prompts
from judgekit.langchain.judging import DEFAULT_MODEL, JudgedMixin, accepted, build, verdict
from judgekit.langchain.schema import FlowChain, FlowStringEvaluator, LLMEvalChain
from judgekit.llm import LLMJudge, build_judge
from judgekit.models.drive import drive

__all__ = ["ContextQAEvalChain", "CotQAEvalChain", "QAEvalChain", "QAGenerateChain"]

_AT_A_TIME = 8


@dataclass(frozen=True)
class QAEvalChain(JudgedMixin, FlowStringEvaluator, LLMEvalChain):
    """Asks a model whether an answer is right: `{"reasoning", "value": "CORRECT" or "INCORRECT", "score": 1 or 0}`."""

    judge: LLMJudge

    _prompt: ClassVar[Prompt] = prompts.QA_PROMPT
    _truth: ClassVar[str] = "answer"
    _name: ClassVar[str] = "correctness"

    @classmethod
    def from_llm(
        cls, llm: Any = None, prompt: Any = None, *, model: str | None = None, **kwargs: Any
    ) -> Self:
        """Make the evaluator.

        Args:
            llm, model: who is asked, as in `CriteriaEvalChain.from_llm`.
            prompt: one's own, a LangChain prompt template or a text, such as `SQL_PROMPT`. It has the variables `query`
                (the question), `result` (the answer to judge) and `answer` (the true one); with a context in its place,
                `context`.
            **kwargs: as in `CriteriaEvalChain.from_llm`.

        Raises:
            ConfigError: something of this cannot be used.
        """
        accepted(kwargs, cls.__name__, "prompt", "model")
        judge = build(
            llm,
            prompt,
            default=cls._prompt,
            variables=("query", cls._truth, "result"),
            choices={"CORRECT": 1, "INCORRECT": 0},
            name="qa",
            model=model,
        )
        return cls(judge)

    @property
    def evaluation_name(self) -> str:
        return self._name

    @property
    def requires_reference(self) -> bool:
        return True

    @property
    def requires_input(self) -> bool:
        return True

    def evaluate(
        self,
        examples: Sequence[Mapping[str, Any]],
        predictions: Sequence[Mapping[str, Any]],
        question_key: str = "query",
        answer_key: str = "answer",
        prediction_key: str = "result",
        *,
        callbacks: Any = None,  # noqa: ARG002  # LangChain's; a model's own callbacks are the model's
    ) -> list[dict[str, Any]]:
        """Judge many answers, some at a time.

        Args:
            examples: each with a question and a true answer (or a context), under these keys.
            predictions: each with an answer, in the order of the examples.
            question_key, answer_key, prediction_key: where they are.
            callbacks: accepted and not used.

        Returns:
            One dict for each example: `results` (the value, under LangChain's key), `reasoning`, `value`, `score`. A row
            whose judgement failed has None in all of them and says why under `error`.

        Raises:
            ConfigError: not one prediction for each example, or a key that is not there.
        """
        if len(examples) != len(predictions):
            raise ConfigError(
                f"{type(self).__name__}.evaluate got {len(examples)} examples and {len(predictions)} predictions: give one "
                "prediction for each example."
            )
        items = [
            {
                "input": _member(example, question_key, "examples", row),
                "reference": _member(example, answer_key, "examples", row),
                "prediction": _member(prediction, prediction_key, "predictions", row),
            }
            for row, (example, prediction) in enumerate(zip(examples, predictions, strict=True))
        ]
        self._check_sync()
        rows: list[dict[str, Any]] = []
        for start in range(0, len(items), _AT_A_TIME):
            flows = [settled(self._flow(item), JudgeError) for item in items[start : start + _AT_A_TIME]]
            rows.extend(map(_row, drive(together(*flows), deadline=self._deadline)))
        return rows

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        values = {"query": item["input"], self._truth: item["reference"], "result": item["prediction"]}
        found = yield from verdict(self.judge, values)
        return found.result(item, value=found.label, score=found.score)


class ContextQAEvalChain(QAEvalChain):
    """`QAEvalChain` by a context, given as the reference, that holds what is needed to answer."""

    _prompt = prompts.CONTEXT_PROMPT
    _truth = "context"
    _name = "Contextual Accuracy"

    def evaluate(
        self,
        examples: Sequence[Mapping[str, Any]],
        predictions: Sequence[Mapping[str, Any]],
        question_key: str = "query",
        context_key: str = "context",
        prediction_key: str = "result",
        *,
        callbacks: Any = None,
    ) -> list[dict[str, Any]]:
        """As `QAEvalChain.evaluate`, with contexts in the place of true answers."""
        return super().evaluate(
            examples, predictions, question_key, context_key, prediction_key, callbacks=callbacks
        )


class CotQAEvalChain(ContextQAEvalChain):
    """`ContextQAEvalChain` that has the model answer the question itself before it decides."""

    _prompt = prompts.COT_PROMPT
    _name = "COT Contextual Accuracy"


_PAIR = {
    "title": "question_and_answer",
    "type": "object",
    "properties": {
        "query": {"type": "string", "pattern": r"\S", "description": "The question."},
        "answer": {"type": "string", "pattern": r"\S", "description": "Its answer."},
    },
    "required": ["query", "answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class QAGenerateChain(JudgedMixin, FlowChain):
    """Has a model write a question and its answer about a document."""

    judge: LLMJudge

    @classmethod
    def from_llm(cls, llm: Any = None, *, model: str | None = None, **kwargs: Any) -> Self:
        """Make the chain; `llm` and `model` as in `CriteriaEvalChain.from_llm`.

        Raises:
            ConfigError: no model.
        """
        accepted(kwargs, cls.__name__, "model")
        if llm is None and model is None:
            model = DEFAULT_MODEL
        return cls(
            build_judge(
                prompt=prompts.QA_GENERATION,
                judge=llm,
                model=model,
                output_schema=_PAIR,
                feedback_key="qa_pairs",
            )
        )

    def apply(self, inputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """`{"qa_pairs": {"query", "answer"}}` for each `{"doc": text}`."""
        return [{"qa_pairs": self.invoke(each)["qa_pairs"]} for each in inputs]

    apply_and_parse = apply

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        pair = yield from self.judge.flow(item)
        return {**item, "qa_pairs": pair}


def _member(row: Mapping[str, Any], key: str, name: str, place: int) -> Any:
    if key not in row:
        raise ConfigError(
            f"{name}[{place}] has no key {key!r}: it has {', '.join(map(str, row))}. Name it with question_key, answer_key "
            "or prediction_key."
        )
    return row[key]


def _row(outcome: dict[str, Any] | Exception) -> dict[str, Any]:
    if isinstance(outcome, Exception):
        return {"results": None, "reasoning": None, "value": None, "score": None, "error": str(outcome)}
    return {"results": outcome["value"], **outcome}
