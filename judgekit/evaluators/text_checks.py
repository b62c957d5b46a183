"""Does a text match a pattern, does it contain another text?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgekit.core.characters import shortened
from judgekit.core.equality import shown
from judgekit.errors import ConfigError, PromptError
from judgekit.evaluators.base import AsyncEvaluator, Evaluator
from judgekit.evaluators.comparison import Comparison, chosen, needed, result_of, text_of
from judgekit.evaluators.normalizing import AS_IT_IS, Normalize, Normalizer, normalizer
from judgekit.types import EvaluatorResult

__all__ = [
    "Contains",
    "RegexMatch",
    "create_async_contains_evaluator",
    "create_async_regex_evaluator",
    "create_contains_evaluator",
    "create_regex_evaluator",
]

Where = Literal["search", "fullmatch"]
Require = Literal["all", "any", "none"]

_REQUIREMENTS: Mapping[str, Callable[[int, int], bool]] = {
    "all": lambda found, wanted: found == wanted,
    "any": lambda found, _: found > 0,
    "none": lambda found, _: found == 0,
}
_MOST_NAMED = 5


@dataclass(frozen=True)
class RegexMatch(Comparison):
    """A pattern that the outputs have to match; None takes each item's reference as the pattern."""

    pattern: str | re.Pattern[str] | None = None
    where: str = "search"
    flags: int = 0
    feedback_key: str = "regex_match"

    def __post_init__(self) -> None:
        chosen("where", self.where, ("search", "fullmatch"))
        try:
            compiled = _compiled("" if self.pattern is None else self.pattern, self.flags)
        except _NO_PATTERN as error:
            raise ConfigError(
                f"pattern {self.pattern!r} with flags {self.flags!r} is no regular expression: {error}."
            ) from error
        if self.pattern is not None:
            object.__setattr__(self, "pattern", compiled)

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        (outputs,) = needed(item, self.feedback_key, "outputs")
        pattern = self.pattern
        if not isinstance(pattern, re.Pattern):
            pattern = self._referred(item)
        text = text_of(outputs, name="outputs")
        matches = (pattern.search(text) if self.where == "search" else pattern.fullmatch(text)) is not None
        words = "does not occur" if self.where == "search" else "does not match all of the text"
        return result_of(
            self.feedback_key,
            matches,
            None if matches else f"`{shortened(pattern.pattern)}` {words}: {shown(text)}",
        )

    def _referred(self, item: Mapping[str, Any]) -> re.Pattern[str]:
        (reference,) = needed(item, self.feedback_key, "reference_outputs")
        try:
            return _compiled(reference, self.flags)
        except _NO_PATTERN as error:
            raise PromptError(
                f"{self.feedback_key}: reference_outputs is no regular expression: {shown(reference)}: {error}."
            ) from error


@dataclass(frozen=True)
class Contains(Comparison):
    """Texts that the outputs have to contain; None takes each item's reference."""

    expected: tuple[str, ...] | None = None
    require: str = "all"
    normalize: Normalizer = AS_IT_IS
    feedback_key: str = "contains"

    def __post_init__(self) -> None:
        chosen("require", self.require, tuple(_REQUIREMENTS))

    def evaluate(self, item: Mapping[str, Any]) -> EvaluatorResult:
        (outputs,) = needed(item, self.feedback_key, "outputs")
        wanted = self.expected
        if wanted is None:
            (reference,) = needed(item, self.feedback_key, "reference_outputs")
            wanted = _texts(reference, "reference_outputs", self.normalize, PromptError)
        text = self.normalize(text_of(outputs, name="outputs"))
        found = [part for part in wanted if self.normalize(part) in text]
        holds = _REQUIREMENTS[self.require](len(found), len(wanted))
        if holds:
            return result_of(self.feedback_key, True)
        if self.require == "none":
            return result_of(self.feedback_key, False, f"contains {_named(found)}")
        missing = [part for part in wanted if part not in found]
        return result_of(self.feedback_key, False, f"does not contain {_named(missing)}")


def create_regex_evaluator(
    pattern: str | re.Pattern[str] | None = None,
    *,
    where: Where = "search",
    flags: int = 0,
    feedback_key: str = "regex_match",
) -> Evaluator:
    """Build an evaluator that matches the outputs with a regular expression of Python's `re`.

    Args:
        pattern: the expression; None takes each item's `reference_outputs`. An expression that others wrote can take
            forever on some texts: take patterns from where you take code.
        where: "search" (anywhere in the text) or "fullmatch" (all of it).
        flags: of `re`, such as `re.IGNORECASE | re.DOTALL`.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator `(*, outputs, reference_outputs=None, **kwargs)` with a boolean score. Values that are not text are
        matched as JSON.

    Raises:
        ConfigError: no regular expression, or an unknown `where`.
        PromptError: when called with a reference that is no regular expression.
    """
    return Evaluator(RegexMatch(pattern, where, flags, feedback_key))


def create_async_regex_evaluator(
    pattern: str | re.Pattern[str] | None = None,
    *,
    where: Where = "search",
    flags: int = 0,
    feedback_key: str = "regex_match",
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_regex_evaluator`, the same result, awaited."""
    return AsyncEvaluator(RegexMatch(pattern, where, flags, feedback_key))


def create_contains_evaluator(
    expected: str | Sequence[str] | None = None,
    *,
    require: Require = "all",
    normalize: Normalize = (),
    feedback_key: str = "contains",
) -> Evaluator:
    """Build an evaluator that looks for texts in the outputs.

    Args:
        expected: one text or several; None takes each item's `reference_outputs`.
        require: how many must be there: "all", "any", or "none" (forbidden words).
        normalize: what is done to both sides before: "NFC", "NFKC", "casefold", "whitespace", or functions from text
            to text; one or several, applied in their order.
        feedback_key: the `key` of the result.

    Returns:
        An evaluator `(*, outputs, reference_outputs=None, **kwargs)` with a boolean score; the comment names what is
        missing, or what should not be there. Outputs that are not text are searched as JSON.

    Raises:
        ConfigError: no text to look for, or an unknown `require` or step.
        PromptError: when called with a reference that is no text or list of texts.
    """
    return Evaluator(_contains(expected, require, normalize, feedback_key))


def create_async_contains_evaluator(
    expected: str | Sequence[str] | None = None,
    *,
    require: Require = "all",
    normalize: Normalize = (),
    feedback_key: str = "contains",
) -> AsyncEvaluator:
    """Build an async evaluator: the same parameters as `create_contains_evaluator`, the same result, awaited."""
    return AsyncEvaluator(_contains(expected, require, normalize, feedback_key))


_NO_PATTERN = (re.error, ValueError, TypeError, RecursionError, OverflowError)


def _compiled(pattern: Any, flags: Any) -> re.Pattern[str]:
    compiled: re.Pattern[Any] = re.compile(pattern, flags)
    if not isinstance(compiled.pattern, str):
        raise TypeError("it is of bytes, and the outputs are text")
    return compiled


def _contains(expected: Any, require: str, normalize: Normalize, feedback_key: str) -> Contains:
    steps = normalizer(normalize)
    texts = None if expected is None else _texts(expected, "expected", steps, ConfigError)
    return Contains(texts, require, steps, feedback_key)


def _texts(given: Any, name: str, normalize: Normalizer, error: type[ConfigError]) -> tuple[str, ...]:
    """One text or several; none at all, or an empty one, would be found everywhere."""
    texts = (given,) if isinstance(given, str) else given
    if (
        not isinstance(texts, list | tuple)
        or not texts
        or not all(isinstance(text, str) and normalize(text) for text in texts)
    ):
        raise error(f"{name} is {shown(given)}: give a text or a list of texts, none of them empty.")
    return tuple(dict.fromkeys(texts))


def _named(texts: Sequence[str]) -> str:
    named = ", ".join(map(shown, texts[:_MOST_NAMED]))
    more = len(texts) - _MOST_NAMED
    return named if more <= 0 else f"{named} and {more} more"
