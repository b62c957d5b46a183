"""JSON: is a text JSON, is it the JSON of its reference, how far from it, does it fit a schema?

Text is read strictly, by `read_json`; where it has one fenced Markdown block, the block is what is read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from judgekit.core.equality import difference, token
from judgekit.core.flow import Flow
from judgekit.core.plain import to_plain
from judgekit.errors import PromptError
from judgekit.evaluators.comparison import needed
from judgekit.evaluators.json_checks import JsonValidity
from judgekit.evaluators.json_reading import read_json
from judgekit.evaluators.json_schema import create_json_schema_evaluator
from judgekit.evaluators.string_distance import StringDistance
from judgekit.langchain.schema import FlowStringEvaluator

__all__ = [
    "JsonEditDistanceEvaluator",
    "JsonEqualityEvaluator",
    "JsonSchemaEvaluator",
    "JsonValidityEvaluator",
]

_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(?P<inside>.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)


class JsonValidityEvaluator(FlowStringEvaluator):
    """Whether a text is JSON: `{"score": 1}`, or `{"score": 0, "reasoning"}` with what is wrong and where."""

    @property
    def evaluation_name(self) -> str:
        return "json_validity"

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        (prediction,) = needed(item, "json_validity", "prediction")
        result = yield from JsonValidity().flow({"outputs": _unfenced(prediction)})
        return _with_reason(int(result["score"]), result["comment"])


class JsonEqualityEvaluator(FlowStringEvaluator):
    """Whether a text is the same JSON value as its reference: `{"score": True or False}`, with `reasoning` when not.

    Where both are lists, the order of their items is no matter; in lists inside it is.

    Args:
        operator: decides in the place of equality; it is called with the two values, where both are lists with their items
            in an order that depends on nothing but the items.

    Raises:
        PromptError: when called with a reference that is no JSON.
    """

    def __init__(self, operator: Callable[[Any, Any], Any] | None = None) -> None:
        self.operator = operator

    @property
    def evaluation_name(self) -> str:
        return "json_equality"

    @property
    def requires_reference(self) -> bool:
        return True

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        yield from ()
        prediction, reference = needed(item, "json_equality", "prediction", "reference")
        expected = _reference(reference, "json_equality")
        try:
            got = _read(prediction)
        except ValueError as error:
            return _with_reason(False, f"no JSON: {error}")
        if isinstance(expected, list) and not isinstance(got, list):
            return _with_reason(False, "the reference is a list, the prediction is not")
        lists = isinstance(expected, list) and isinstance(got, list)
        if self.operator is not None:
            values = (_ordered(got), _ordered(expected)) if lists else (got, expected)
            return {"score": self.operator(*values)}
        if lists and Counter(map(token, got)) == Counter(map(token, expected)):
            return {"score": True}
        found = difference(got, expected)
        return _with_reason(found is None, None if found is None else str(found))


class JsonEditDistanceEvaluator(FlowStringEvaluator):
    """How far a text is from its reference, in edits of their canonical JSON: `{"score": 0 to 1}`, 0 for the same value.

    A prediction that is no JSON is compared as it stands, and `reasoning` says so.

    Args:
        string_distance: the distance of two texts; by default Damerau-Levenshtein, normalized.
        canonicalize: a JSON value as the text to compare; by default with its keys sorted and without blanks.

    Raises:
        PromptError: when called with a reference that is no JSON.
    """

    def __init__(
        self,
        string_distance: Callable[[str, str], float] | None = None,
        canonicalize: Callable[[Any], Any] | None = None,
    ) -> None:
        self._string_distance = string_distance or _edits
        self._canonicalize = canonicalize or _canonical

    @property
    def evaluation_name(self) -> str:
        return "json_edit_distance"

    @property
    def requires_reference(self) -> bool:
        return True

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        yield from ()
        prediction, reference = needed(item, "json_edit_distance", "prediction", "reference")
        label = self._canonicalize(_reference(reference, "json_edit_distance"))
        try:
            text, flaw = self._canonicalize(_read(prediction)), None
        except ValueError as error:
            if not isinstance(prediction, str):
                raise
            text, flaw = prediction, f"no JSON, compared as it stands: {error}"
        return _with_reason(self._string_distance(text, label), flaw)


class JsonSchemaEvaluator(FlowStringEvaluator):
    """Whether JSON fits the reference, a JSON schema: `{"score": True}`, or `{"score": False, "reasoning"}`.

    The reference is a schema as a dict or as JSON text, a pydantic model, a TypedDict or a dataclass. The prediction is
    JSON text, or data.

    Raises:
        SchemaError: when called with a reference that is no schema.
    """

    @property
    def evaluation_name(self) -> str:
        return "json_schema_validation"

    @property
    def requires_reference(self) -> bool:
        return True

    def _flow(self, item: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        prediction, reference = needed(item, "json_schema_validation", "prediction", "reference")
        check = create_json_schema_evaluator(_schema(reference), feedback_key="json_schema_validation")
        result = yield from check.evaluation.flow({"outputs": _unfenced(prediction)})
        return _with_reason(result["score"], result["comment"])


def _with_reason(score: Any, reason: str | None) -> dict[str, Any]:
    return {"score": score} if reason is None else {"score": score, "reasoning": reason}


def _unfenced(value: Any) -> Any:
    """The inside of a text's one fenced block; what is no text, or has no such block or several, as it is."""
    if not isinstance(value, str):
        return value
    blocks = _FENCED.findall(value)
    return blocks[0] if len(blocks) == 1 else value


def _read(value: Any) -> Any:
    """Raises ValueError for text that is no JSON."""
    return read_json(_unfenced(value)) if isinstance(value, str) else to_plain(value)


def _reference(value: Any, by: str) -> Any:
    try:
        return _read(value)
    except PromptError:
        raise
    except ValueError as error:
        raise PromptError(f"{by}: the reference is no JSON: {error}.") from error


def _schema(reference: Any) -> Any:
    older = getattr(reference, "schema", None)  # models of pydantic 1
    if isinstance(reference, type) and callable(older) and not hasattr(reference, "model_json_schema"):
        return older()
    return _reference(reference, "json_schema_validation") if isinstance(reference, str) else reference


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _ordered(items: list[Any]) -> list[Any]:
    return sorted(items, key=_canonical)


def _edits(one: str, other: str) -> float:
    metric = StringDistance("damerau_levenshtein", "normalized_distance")
    return float(metric.evaluate({"outputs": one, "reference_outputs": other})["score"])
