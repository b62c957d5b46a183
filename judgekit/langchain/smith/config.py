"""`RunEvalConfig`: which evaluators a run has, and which values they look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Self

from judgekit.errors import ConfigError
from judgekit.langchain.criteria import resolve_criteria
from judgekit.langchain.evaluator_type import EvaluatorType
from judgekit.langchain.smith.keys import Keys

__all__ = ["EvalConfig", "RunEvalConfig", "SingleKeyEvalConfig"]

_PAIRS = frozenset(kind for kind in EvaluatorType if "pairwise" in kind)
_KEYS = frozenset(("evaluator_type", "input_key", "prediction_key", "reference_key", "trajectory_key"))


class _Strict:
    """A dataclass that names the field that was meant when an unknown one is given."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        known = [each.name for each in fields(cls)]  # type: ignore[arg-type]  # the subclasses are dataclasses
        for name in given:
            if name not in known:
                close = get_close_matches(name, known, 1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                raise ConfigError(
                    f"{cls.__qualname__} has no field {name!r}{hint}: it has {', '.join(known)}."
                )
        return super().__new__(cls)


@dataclass(frozen=True, kw_only=True)
class EvalConfig(_Strict):
    """An evaluator and its settings.

    Raises:
        ConfigError: an unknown type or field, or a type that compares two answers, where a run has one.
    """

    evaluator_type: EvaluatorType | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "evaluator_type", _checked_type(self.evaluator_type))

    def get_kwargs(self) -> dict[str, Any]:
        """The settings for `load_evaluator`: those that are not None."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _KEYS}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class SingleKeyEvalConfig(EvalConfig):
    """An evaluator of one text; keys that are None are those of the `RunEvalConfig`."""

    reference_key: str | None = None
    prediction_key: str | None = None
    input_key: str | None = None

    @property
    def keys(self) -> Keys:
        return Keys(self.input_key, self.prediction_key, self.reference_key)


@dataclass(frozen=True)
class _Criteria(SingleKeyEvalConfig):
    """`criteria` as in `CriteriaEvalChain`, `llm` as in `load_evaluator`."""

    criteria: Any = None
    llm: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        resolve_criteria(self.criteria)


@dataclass(frozen=True)
class _Asked(SingleKeyEvalConfig):
    """`llm` and `prompt` as in `load_evaluator`."""

    llm: Any = None
    prompt: Any = None


@dataclass(frozen=True)
class _Scored(SingleKeyEvalConfig):
    """A rating from 1 to 10, divided by `normalize_by`."""

    criteria: Any = None
    llm: Any = None
    normalize_by: float | None = None
    prompt: Any = None


@dataclass(frozen=True)
class RunEvalConfig(_Strict):
    """The evaluators of a run.

    Attributes:
        evaluators: each an `EvaluatorType` or its text, one of the configurations in this class, a string evaluator, an
            object with `evaluate_run`, or a function: of `run` and `example`, or as `judgekit.evaluator` takes it.
        custom_evaluators: more of the same.
        batch_evaluators: functions of all `runs` and `examples`, whose results go to `aggregate_metrics`.
        reference_key, prediction_key, input_key: which value of the reference outputs, outputs and inputs is looked at;
            None for the only one.
        eval_llm: who is asked, by evaluators without an `llm` of their own.

    Raises:
        ConfigError: an unknown field or evaluator; the message has names that are close.
    """

    evaluators: Sequence[Any] = ()
    custom_evaluators: Sequence[Any] | None = None
    batch_evaluators: Sequence[Callable[..., Any]] | None = None
    reference_key: str | None = None
    prediction_key: str | None = None
    input_key: str | None = None
    eval_llm: Any = None

    def __post_init__(self) -> None:
        for name in ("evaluators", "custom_evaluators", "batch_evaluators"):
            given = getattr(self, name)
            if isinstance(given, str | Mapping) or not isinstance(given, Sequence | None):
                raise ConfigError(f"RunEvalConfig: {name} is {given!r}: give a list.")
        for each in self.all_evaluators:
            if isinstance(each, str):
                _checked_type(each)
            elif isinstance(each, type) or not (isinstance(each, EvalConfig) or _evaluates(each)):
                raise ConfigError(
                    f"RunEvalConfig: {each!r} is no evaluator: give a type ('qa'), RunEvalConfig.QA(...), a string evaluator "
                    "or a function."
                )

    @property
    def all_evaluators(self) -> tuple[Any, ...]:
        """The evaluators of examples, in order."""
        return (*self.evaluators, *(self.custom_evaluators or ()))

    @property
    def keys(self) -> Keys:
        return Keys(self.input_key, self.prediction_key, self.reference_key)

    @dataclass(frozen=True, kw_only=True)
    class Criteria(_Criteria):
        """Does an answer meet criteria? `RunEvalConfig.Criteria("helpfulness")`."""

        evaluator_type: EvaluatorType | str = EvaluatorType.CRITERIA

    @dataclass(frozen=True, kw_only=True)
    class LabeledCriteria(_Criteria):
        """Does it, by a reference?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.LABELED_CRITERIA

    @dataclass(frozen=True, kw_only=True)
    class EmbeddingDistance(SingleKeyEvalConfig):
        """How far is its embedding from the reference's?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.EMBEDDING_DISTANCE
        embeddings: Any = None
        distance_metric: Any = None

    @dataclass(frozen=True, kw_only=True)
    class StringDistance(SingleKeyEvalConfig):
        """How much would have to be edited to make it the reference?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.STRING_DISTANCE
        distance: Any = None
        normalize_score: bool = True

    @dataclass(frozen=True, kw_only=True)
    class QA(_Asked):
        """Is it right, by a true answer?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.QA

    @dataclass(frozen=True, kw_only=True)
    class ContextQA(_Asked):
        """Is it right, by a context?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.CONTEXT_QA

    @dataclass(frozen=True, kw_only=True)
    class CoTQA(_Asked):
        """Is it right, by a context, when the judge has first answered the question itself?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.COT_QA

    @dataclass(frozen=True, kw_only=True)
    class JsonValidity(SingleKeyEvalConfig):
        """Is it JSON?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.JSON_VALIDITY

    @dataclass(frozen=True, kw_only=True)
    class JsonEqualityEvaluator(SingleKeyEvalConfig):
        """Is it the same JSON as the reference?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.JSON_EQUALITY
        operator: Callable[[Any, Any], Any] | None = None

    @dataclass(frozen=True, kw_only=True)
    class JsonEditDistance(SingleKeyEvalConfig):
        """How much of the JSON would have to be edited? LangChain has no configuration for it."""

        evaluator_type: EvaluatorType | str = EvaluatorType.JSON_EDIT_DISTANCE
        string_distance: Callable[[str, str], float] | None = None
        canonicalize: Callable[[Any], Any] | None = None

    @dataclass(frozen=True, kw_only=True)
    class JsonSchemaValidation(SingleKeyEvalConfig):
        """Does it fit a schema, which is the reference? LangChain has no configuration for it."""

        evaluator_type: EvaluatorType | str = EvaluatorType.JSON_SCHEMA_VALIDATION

    @dataclass(frozen=True, kw_only=True)
    class ExactMatch(SingleKeyEvalConfig):
        """Is it the reference, but for what is ignored?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.EXACT_MATCH
        ignore_case: bool = False
        ignore_punctuation: bool = False
        ignore_numbers: bool = False

    @dataclass(frozen=True, kw_only=True)
    class RegexMatch(SingleKeyEvalConfig):
        """Does the reference, a pattern, match it? `flags` as of `re`."""

        evaluator_type: EvaluatorType | str = EvaluatorType.REGEX_MATCH
        flags: int = 0

    @dataclass(frozen=True, kw_only=True)
    class ScoreString(_Scored):
        """How good is it, by criteria?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.SCORE_STRING

    @dataclass(frozen=True, kw_only=True)
    class LabeledScoreString(_Scored):
        """How good is it, by criteria and a reference?"""

        evaluator_type: EvaluatorType | str = EvaluatorType.LABELED_SCORE_STRING

    @dataclass(frozen=True, kw_only=True)
    class Trajectory(SingleKeyEvalConfig):
        """How well did an agent go about it? Its steps are the outputs' `trajectory_key`. LangChain does not run this."""

        evaluator_type: EvaluatorType | str = EvaluatorType.AGENT_TRAJECTORY
        agent_tools: Sequence[Any] | None = None
        llm: Any = None
        trajectory_key: str = "intermediate_steps"


def _checked_type(given: Any) -> EvaluatorType:
    try:
        kind = EvaluatorType(given)
    except ValueError:
        close = get_close_matches(str(given), list(EvaluatorType), 1)
        hint = f" Did you mean {str(close[0])!r}?" if close else ""
        raise ConfigError(
            f"There is no evaluator {given!r}.{hint} There are: {', '.join(each for each in EvaluatorType if each not in _PAIRS)}."
        ) from None
    if kind in _PAIRS:
        raise ConfigError(
            f"{str(kind)!r} compares two answers, and a run has one for each example: run both applications, then "
            "judgekit.compare their answers pair by pair."
        )
    return kind


def _evaluates(given: Any) -> bool:
    names = ("evaluate_strings", "evaluate_agent_trajectory", "evaluate_run")
    return callable(given) or any(callable(getattr(given, name, None)) for name in names)
