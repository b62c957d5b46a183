"""Every error that judgekit raises, in one tree.

    JudgekitError
    +-- ConfigError (ValueError)            what was built or passed is wrong; calling again cannot help
    |   +-- PromptError                     the template, or a value that it cannot show
    |   |   +-- MissingVariableError (KeyError)
    |   +-- SchemaError                     an output schema or a set of choices that cannot be used
    |   +-- DataError                       a file, a column or a row that cannot be read
    |   +-- MissingDependencyError (ImportError)
    |   +-- WrongClientError (TypeError)    not a judge, or an async client in a sync judge
    +-- CheckFailed (AssertionError)        a run's scores missed a threshold, in judgekit.runner.checks
    +-- RunError                            a run was ended by a failure, as it was asked to be
    +-- JudgeError                          one judgement failed; `code` says how (no_quorum: too few of a jury)
        +-- ParseError                      no_json missing_field invalid_score ambiguous truncated empty cannot_tell
        +-- RefusalError                    refusal
        +-- ContentFilterError              content_filter
        +-- ModelError                      provider_error: the provider failed or refused the request
            +-- RateLimitError              rate_limited
            +-- DeadlineError               deadline
            +-- BudgetError                 budget: the dollars of a run are spent; nothing was sent
            +-- NotRecordedError            not_recorded: a replay does not hold the answer; nothing was sent

A failed judgement is never a score: it is one of the errors under `JudgeError`.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BudgetError",
    "ConfigError",
    "ContentFilterError",
    "DataError",
    "DeadlineError",
    "JudgeError",
    "JudgekitError",
    "MissingDependencyError",
    "MissingVariableError",
    "ModelError",
    "NotRecordedError",
    "ParseError",
    "PromptError",
    "RateLimitError",
    "RefusalError",
    "RunError",
    "SchemaError",
    "WrongClientError",
]


class JudgekitError(Exception):
    """The root of the tree: `except JudgekitError` catches all that judgekit raises on purpose."""


class ConfigError(JudgekitError, ValueError):
    """What was built or passed is wrong. The message says what to change; calling again cannot help."""


class PromptError(ConfigError):
    """A template that cannot be read, or a value that cannot be shown in a prompt."""


class MissingVariableError(PromptError, KeyError):
    """The prompt names a variable that the call did not give.

    Also a `KeyError`, because that is what `str.format` raises and what callers of OpenEvals catch.
    """

    def __str__(self) -> str:  # KeyError would show the repr of the message
        return str(self.args[0]) if self.args else ""


class SchemaError(ConfigError):
    """An output schema, or a set of choices, that no answer could satisfy or no provider could be sent."""


class DataError(ConfigError):
    """A file, a column or a row that cannot be read."""


class MissingDependencyError(ConfigError, ImportError):
    """An optional package is not installed; the message holds the exact install command."""


class WrongClientError(ConfigError, TypeError):
    """What was passed as a judge is none, or is async where a sync one is needed."""


class RunError(JudgekitError):
    """A run was ended by a failure because `on_error="raise"` asked for it; what was finished is kept."""


class JudgeError(JudgekitError):
    """One judgement failed.

    Attributes:
        code: how it failed, one of the words in this module's tree; stable, to be matched on.
        raw: the last answer's text as it came, or None when none came.
        attempts: how many requests were sent for this judgement.
        request_id: the provider's id of the last request, to quote to its support.
        usage: tokens of all attempts together, as in a result's metadata, or None when unknown.
    """

    code = "judge_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        raw: str | None = None,
        attempts: int = 0,
        request_id: str | None = None,
        usage: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.message = message
        self.raw = raw
        self.attempts = attempts
        self.request_id = request_id
        self.usage = usage

    def __str__(self) -> str:
        facts = [self.code]
        if self.attempts:
            facts.append(f"{self.attempts} attempt{'s' if self.attempts > 1 else ''}")
        if self.request_id:
            facts.append(f"request {self.request_id}")
        return f"{self.message} [{', '.join(facts)}]"

    def __reduce__(self) -> tuple[Any, ...]:  # keyword-only arguments do not survive the default
        return (_rebuild, (type(self), self.message, self.__dict__.copy()))


def _rebuild(kind: type[JudgeError], message: str, state: dict[str, Any]) -> JudgeError:
    error = kind(message)
    error.__dict__.update(state)
    return error


class ParseError(JudgeError):
    """An answer came and is not a verdict; `code` says which of the reasons in this module's tree."""

    code = "no_json"


class RefusalError(JudgeError):
    """The model refused to judge this item; asking again as it stands would be refused again."""

    code = "refusal"


class ContentFilterError(JudgeError):
    """The provider's filter removed the prompt or the answer."""

    code = "content_filter"


class ModelError(JudgeError):
    """The provider failed, or refused the request.

    Attributes:
        status: the HTTP status, or None when no answer came.
        retryable: whether the same request may succeed later.
        retry_after: seconds that the provider asked to wait, or None.
        unsupported: what the provider says it cannot do (a format or a parameter), or None; the model
            remembers it and the next request does without.
        said: all that the provider said, message and body.
    """

    code = "provider_error"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        unsupported: str | None = None,
        said: str = "",
        **facts: Any,
    ) -> None:
        super().__init__(message, **facts)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after
        self.unsupported = unsupported
        self.said = said


class RateLimitError(ModelError):
    """The provider said to slow down, and went on saying so until the retries ran out."""

    code = "rate_limited"


class DeadlineError(ModelError):
    """The judgement's total deadline passed before an answer was accepted."""

    code = "deadline"


class BudgetError(ModelError):
    """The dollars that a run may cost are spent, or what is under way may spend them; the request was not sent."""

    code = "budget"


class NotRecordedError(ModelError):
    """A replay was asked for an answer that the store does not hold; the request was not sent."""

    code = "not_recorded"
