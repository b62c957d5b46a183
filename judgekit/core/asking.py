"""Ask one question until its answer can be read: retry, repair, give up. All of it I/O-free.

Two loops, each bounded. A request that the provider failed is sent again (`deliver`), later when it said so;
an answer that cannot be read goes back with what was wrong with it (`judged`). A delay is a value on the
request that the driver honors, so back-off is tested without a clock.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from judgekit.core.exchange import Answer, Request, Usage
from judgekit.core.flow import Flow
from judgekit.errors import DeadlineError, JudgeError, ModelError, ParseError, RateLimitError

__all__ = ["Attempt", "Judgement", "NotSent", "Patience", "deliver", "judged", "total_usage"]

T = TypeVar("T")

FIRST_BUDGET = 4096
LARGEST_BUDGET = 65_536
_STEPS_DOWN = 12  # more than the formats and parameters that a model could reject one after the other
_QUOTED = 2_000


class NotSent(DeadlineError):
    """A driver's outcome for a request that the deadline leaves no time for: nothing was sent."""


def _uniform() -> float:
    return random.random()  # noqa: S311  # it spreads retries, it hides nothing


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one judgement goes on.

    Attributes:
        retries: how often a request that the provider failed is sent again.
        repairs: how often an answer that cannot be read goes back with what was wrong.
        backoff: seconds before the first retry; doubled each time, at most `longest_backoff`, with full jitter.
        longest_wait: a provider that asks to wait longer than this many seconds is not waited for.
        jitter: a number in [0, 1), drawn for each back-off.
    """

    retries: int = 2
    repairs: int = 2
    backoff: float = 0.5
    longest_backoff: float = 8.0
    longest_wait: float = 120.0
    jitter: Callable[[], float] = field(default=_uniform, compare=False, repr=False)

    def delay(self, failures: int, error: ModelError) -> float:
        """Seconds to wait after `failures` earlier failures and this one."""
        if error.retry_after is not None:
            return error.retry_after
        return min(self.longest_backoff, self.backoff * 2.0**failures) * self.jitter()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that was sent: `code` is how it failed, or None for the answer that was read."""

    code: str | None
    usage: Usage | None
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement(Generic[T]):
    """What was read, the answer that it was read from, and every attempt that led there."""

    reading: T
    answer: Answer
    attempts: tuple[Attempt, ...]

    @property
    def usage(self) -> Usage | None:
        return total_usage(self.attempts)


def total_usage(attempts: tuple[Attempt, ...] | list[Attempt]) -> Usage | None:
    """Tokens of all attempts together; None when no attempt told its own."""
    known = [attempt.usage for attempt in attempts if attempt.usage is not None]
    return sum(known[1:], known[0]) if known else None


def judged(request: Request, read: Callable[[Answer], T], patience: Patience) -> Flow[Judgement[T]]:
    """Ask `request` until `read` accepts the answer.

    Raises:
        JudgeError: the last failure, with the attempts, the tokens and the raw text of all that was tried.
    """
    log: list[Attempt] = []
    asked = request
    answer: Answer | None = None
    repairs = 0
    while True:
        answer = yield from deliver(asked, patience, log, answer)
        try:
            reading = read(answer)
        except JudgeError as error:
            log.append(Attempt(error.code, answer.usage, asked.delay))
            again = None
            if repairs < patience.repairs and not (error.code == "empty" and repairs):
                again = _amended(replace(request, params=asked.params), answer, error)
            if again is None:
                raise _told(error, log, answer) from None
            repairs += 1
            asked = again
        else:
            log.append(Attempt(None, answer.usage, asked.delay))
            return Judgement(reading, answer, tuple(log))


def deliver(
    request: Request, patience: Patience, log: list[Attempt], last: Answer | None = None
) -> Flow[Answer]:
    """Send `request` until an answer comes; `last` is the answer to the request before, for the error to quote.

    A model that rejects a format or a parameter remembers it, so the same request, encoded anew, does without;
    that costs no retry.
    """
    failures = 0
    steps = 0
    failure: ModelError | None = None
    asked = request
    while True:
        (outcome,) = yield (asked,)
        if isinstance(outcome, Answer):
            return outcome
        if isinstance(outcome, NotSent):
            raise _told(_out_of_time(outcome, failure), log, last) from failure
        log.append(Attempt(outcome.code, None, asked.delay))
        if not isinstance(outcome, ModelError):
            raise _told(outcome, log, last)
        failure = outcome
        if failure.unsupported and steps < _STEPS_DOWN:
            steps += 1
            asked = request
            continue
        if not failure.retryable or failures >= patience.retries:
            raise _told(failure, log, last)
        delay = patience.delay(failures, failure)
        if delay > patience.longest_wait:
            raise _told(_too_long(failure, delay, patience), log, last) from failure
        failures += 1
        asked = replace(request, delay=delay)


def _amended(request: Request, answer: Answer, error: JudgeError) -> Request | None:
    """The next request after an answer that could not be read; None when asking again cannot help.

    A cut answer gets a larger budget and is not quoted, or the prompt would grow by the text that was too long.
    `request` has the first messages, so that feedback does not pile up, and the budget reached so far.
    """
    if not isinstance(error, ParseError) or error.code == "cannot_tell":
        return None
    if error.code in ("truncated", "empty"):
        return _with_larger_budget(request, answer)
    said = error.raw if error.raw is not None else answer.text or ""
    if len(said) > _QUOTED:
        said = said[:_QUOTED] + " [...]"
    complaint = (
        f"That answer could not be used: {error.message} "
        "Answer the question above again, with one JSON object only and nothing around it."
    )
    if request.schema is not None:  # a server that ignores the format has not shown it to the model
        schema = json.dumps(request.schema.schema, ensure_ascii=False)
        complaint += f" The object must follow this JSON schema:\n{schema}"
    return request.reply(said or "(no text)", complaint)


def _with_larger_budget(request: Request, answer: Answer) -> Request | None:
    params = {**request.model.params, **request.params}
    spent = answer.usage.output_tokens if answer.usage else 0
    current = params.get("max_tokens") or max(spent, FIRST_BUDGET // 2)
    if current >= LARGEST_BUDGET:
        return None
    return request.with_params(max_tokens=min(LARGEST_BUDGET, 2 * current))


def _told(error: JudgeError, log: list[Attempt], answer: Answer | None) -> JudgeError:
    """Put into the error what its raiser could not know."""
    error.attempts = len(log)
    usage = total_usage(log)
    error.usage = usage.to_dict() if usage else None
    if answer is not None:
        error.request_id = error.request_id or answer.request_id
        error.raw = error.raw if error.raw is not None else answer.text
    return error


def _out_of_time(refusal: NotSent, failure: ModelError | None) -> DeadlineError:
    """The end of a judgement at its deadline: what its last request failed with is what it waited for."""
    if failure is None:
        return DeadlineError(refusal.message)
    return DeadlineError(
        f"{refusal.message} The last request failed: {failure.message}", **_facts(failure), said=failure.said
    )


def _too_long(failure: ModelError, delay: float, patience: Patience) -> ModelError:
    message = (
        f"The provider asks to wait {delay:.0f} s, more than the {patience.longest_wait:.0f} s that judgekit waits: "
        f"try again later, or lower the concurrency. ({failure.message})"
    )
    return RateLimitError(message, **_facts(failure), said=failure.said)


def _facts(failure: ModelError) -> dict[str, Any]:
    return {
        "status": failure.status,
        "retry_after": failure.retry_after,
        "request_id": failure.request_id,
    }
