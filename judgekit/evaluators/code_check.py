"""Code taken out of an answer and put through a check: the part that all checks of code share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.evaluators.code_extraction import Extractor
from judgekit.types import EvaluatorResult

__all__ = ["CodeCheck", "Finding", "as_found", "no_code"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check says of some code: whether it passed, why not, and JSON-able facts about the check."""

    passed: bool
    comment: str | None = None
    metadata: dict[str, Any] | None = None


def as_found(found: Any) -> Finding:
    """The finding itself, for a check that makes its own."""
    return found  # type: ignore[no-any-return]  # what `check` returned


@dataclass(frozen=True)
class CodeCheck:
    """A check of code as a value.

    Attributes:
        key: names the feedback.
        check: called with the code; may block, and may return an awaitable when the evaluator is async.
        extract: finds the code in the outputs.
        read: makes the finding from what `check` returned.
    """

    key: str
    check: Callable[[str], Any]
    extract: Extractor = field(repr=False)
    read: Callable[[Any], Finding] = field(default=as_found, repr=False)
    deadline: float | None = None

    @property
    def name(self) -> str:
        return self.key

    def flow(self, item: Mapping[str, Any]) -> Flow[EvaluatorResult]:
        """Extract, then check."""
        code = yield from self.extract(item.get("outputs"))
        if code is None:
            return no_code(self.key)
        finding = self.read((yield from doing(Job(lambda: self.check(code), blocking=True))))
        return {
            "key": self.key,
            "score": finding.passed,
            "comment": finding.comment,
            "metadata": finding.metadata,
        }


def no_code(key: str) -> EvaluatorResult:
    """The result for an answer without code. It is a verdict: code was asked for and there is none."""
    return {
        "key": key,
        "score": False,
        "comment": "No code was found in the output.",
        "metadata": {"code_extraction_failed": True},
    }
