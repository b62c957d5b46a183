"""Is it JSON, and is it the JSON that the reference is?

Outputs that are text are read as JSON; anything else is data already, as an application returns it that parsed its
model's answer itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.equality import EXACT, Tolerance, difference
from judgekit.errors import PromptError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, needed, result_of
from judgekit.evaluators.json_reading import read_json
from judgekit.types import EvaluatorResult

__all__ = [
    "JsonEquality",
    "JsonValidity",
    "create_async_json_equality_evaluator",
    "create_json_equality_evaluator",
    "json_equality",
    "json_equality_async",
    "json_validity",
    "json_validity_async",
]


@dataclass(frozen=True)
class JsonValidity(Comparison):
    """Whether the outputs are JSON, and nothing around it. NaN, infinities and repeated keys are not; see `read_json`."""

    feedback_key: str = "json_validity"

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        (outputs,) = needed(item, self.feedback_key, "outputs")
        flaw = _flaw(outputs)
        return result_of(self.feedback_key, flaw is None, flaw)


@dataclass(frozen=True)
class JsonEquality(Comparison):
    """Whether the outputs and the reference are the same JSON value."""

    tolerance: Tolerance = EXACT
    feedback_key: str = "json_equality"

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        outputs, reference = needed(item, self.feedback_key)
        try:
            expected = _read(reference)
        except ValueError as error:
            raise PromptError(f"{self.feedback_key}: reference_outputs is no JSON: {error}.") from error
        try:
            got = _read(outputs)
        except ValueError as error:
            return result_of(self.feedback_key, False, f"no JSON: {error}")
        found = difference(got, expected, self.tolerance)
        return result_of(self.feedback_key, found is None, None if found is None else str(found))


def create_json_equality_evaluator(
    *, rel_tol: float = 0.0, abs_tol: float = 0.0, feedback_key: str = "json_equality"
) -> Evaluator:
    """Build an evaluator that compares the outputs with the reference as JSON values.

    Args:
        rel_tol, abs_tol: how far apart numbers may be, as in `math.isclose`; 0 is not at all.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator `(*, outputs, reference_outputs, **kwargs)` with a boolean score; the comment is the first difference.
        Text on either side is read as JSON, strictly. Equality is that of `core.equality`.

    Raises:
        ConfigError: a tolerance that is negative or not finite.
        PromptError: when called with a reference that is text and no JSON.
    """
    return Evaluator(JsonEquality(Tolerance(rel_tol, abs_tol), feedback_key))


def create_async_json_equality_evaluator(
    *, rel_tol: float = 0.0, abs_tol: float = 0.0, feedback_key: str = "json_equality"
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_json_equality_evaluator`, the same result, awaited."""
    return AsyncEvaluator(JsonEquality(Tolerance(rel_tol, abs_tol), feedback_key))


def _read(value: Any) -> Any:
    return read_json(value) if isinstance(value, str) else value


def _flaw(outputs: Any) -> str | None:
    """Why this is no JSON, or None. Data is JSON when it can be written as it stands."""
    try:
        if isinstance(outputs, str):
            read_json(outputs)
        else:
            read_json(json.dumps(outputs, allow_nan=False))  # the keys 1 and "1" are written alike
    except (ValueError, TypeError) as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply"
    return None


json_equality = Evaluator(JsonEquality())
json_equality_async = AsyncEvaluator(JsonEquality())
json_validity = Evaluator(JsonValidity())
json_validity_async = AsyncEvaluator(JsonValidity())
