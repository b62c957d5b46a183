"""A conversation between an app and a simulated user, turn by turn, and its evaluation."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from judgekit.core.flow import Flow, Job, doing, settled, together
from judgekit.errors import ConfigError, JudgeError
from judgekit.models.drive import adrive, drive
from judgekit.simulators.calling import Part
from judgekit.simulators.conversation import Message, extended, new_messages

__all__ = ["MultiturnSimulationResult", "run_multiturn_simulation", "run_multiturn_simulation_async"]

Ending = Literal["max_turns", "stopping_condition", "no_more_replies"]


class MultiturnSimulationResult(TypedDict):
    """What a simulation gives.

    `trajectory` is the conversation in OpenAI's messages, each with an id of its own. `evaluator_results` has what the
    evaluators returned, in their order; in the place of one that failed stands `{"key", "error"}`, its name and a dict
    with `code` (a `JudgeError`'s, or the exception's class) and `message`. `ended` says why the conversation did.
    """

    evaluator_results: list[Any]
    trajectory: list[Message]
    ended: Ending


def run_multiturn_simulation(
    *,
    app: Callable[..., Any],
    user: Callable[..., Any] | Sequence[str | Mapping[str, Any]],
    max_turns: int | None = None,
    trajectory_evaluators: Sequence[Callable[..., Any]] | None = None,
    stopping_condition: Callable[..., Any] | None = None,
    reference_outputs: Any = None,
    thread_id: str | None = None,
) -> MultiturnSimulationResult:
    """Let a simulated user talk to an app, then evaluate the conversation.

    Args:
        app: called as `app(message, thread_id=...)` with the user's message, an OpenAI message with an id; without
            `thread_id` when it does not take one. It answers with a text, a message, a list of messages or
            `{"messages": [...]}`; lists may be new messages or the whole history.
        user: called as `user(trajectory, turn_counter=..., thread_id=...)` with the messages so far and the number of
            turns that are over; it answers with one message. Or a list of texts and messages to say in turn; when it is
            used up, the conversation ends.
        max_turns: the number of turns after which it ends; a turn is a message of the user and the app's answer.
        trajectory_evaluators: called with `outputs=` (the messages) and `reference_outputs=`. All are called at the same
            time, and one that fails does not keep the others from their results.
        stopping_condition: called as `stopping_condition(trajectory, turn_counter=...)` after each turn; true ends it.
        reference_outputs: handed on to the evaluators.
        thread_id: names the conversation to the app; a new id by default.

    Returns:
        `{"evaluator_results", "trajectory", "ended"}`; see `MultiturnSimulationResult`.

    Raises:
        ConfigError: neither `max_turns` nor `stopping_condition`, or an answer that is no message.
        WrongClientError: one of the functions is async.
        Exception: whatever app, user or stopping condition raised, with a note that says in which turn.
    """
    simulation = _simulation(
        False,
        app=app,
        user=user,
        stopping_condition=stopping_condition,
        trajectory_evaluators=trajectory_evaluators,
        max_turns=max_turns,
        thread_id=thread_id,
    )
    return drive(simulation.flow(reference_outputs))


def run_multiturn_simulation_async(
    *,
    app: Callable[..., Any],
    user: Callable[..., Any] | Sequence[str | Mapping[str, Any]],
    max_turns: int | None = None,
    trajectory_evaluators: Sequence[Callable[..., Any]] | None = None,
    stopping_condition: Callable[..., Any] | None = None,
    reference_outputs: Any = None,
    thread_id: str | None = None,
) -> Coroutine[Any, Any, MultiturnSimulationResult]:
    """As `run_multiturn_simulation`, awaited. Each of the functions may be async or plain; plain ones run in a thread."""
    simulation = _simulation(
        True,
        app=app,
        user=user,
        stopping_condition=stopping_condition,
        trajectory_evaluators=trajectory_evaluators,
        max_turns=max_turns,
        thread_id=thread_id,
    )
    return adrive(simulation.flow(reference_outputs))


@dataclass(frozen=True)
class _Simulation:
    app: Part
    user: Part | tuple[Any, ...]
    stop: Part | None
    evaluators: tuple[Part, ...]
    max_turns: int | None
    thread_id: str

    def flow(self, reference_outputs: Any) -> Flow[MultiturnSimulationResult]:
        trajectory, ended = yield from self._conversation()
        results = yield from self._evaluations(trajectory, reference_outputs)
        return {"evaluator_results": results, "trajectory": trajectory, "ended": ended}

    def _conversation(self) -> Flow[tuple[list[Message], Ending]]:
        trajectory: list[Message] = []
        turn = 0
        while self.max_turns is None or turn < self.max_turns:
            if isinstance(self.user, tuple) and turn >= len(self.user):
                return trajectory, "no_more_replies"
            said = new_messages((yield from self._reply(trajectory, turn)), trajectory, by="user")
            if len(said) != 1:
                raise ConfigError(
                    f"In turn {turn + 1} the user answered with {len(said)} new messages; a turn takes one."
                )
            trajectory = extended(trajectory, said)
            answer = yield from _noted(
                self.app.job(copy.deepcopy(trajectory[-1]), thread_id=self.thread_id), self.app, turn
            )
            trajectory = extended(trajectory, new_messages(answer, trajectory, by="app"))
            turn += 1
            if self.stop is not None:
                job = self.stop.job(copy.deepcopy(trajectory), turn_counter=turn)
                if (yield from _noted(job, self.stop, turn - 1)):
                    return trajectory, "stopping_condition"
        return trajectory, "max_turns"

    def _reply(self, trajectory: list[Message], turn: int) -> Flow[Any]:
        if isinstance(self.user, tuple):
            return self.user[turn]
        job = self.user.job(copy.deepcopy(trajectory), turn_counter=turn, thread_id=self.thread_id)
        return (yield from _noted(job, self.user, turn))

    def _evaluations(self, trajectory: list[Message], reference_outputs: Any) -> Flow[list[Any]]:
        jobs = [
            part.job(outputs=copy.deepcopy(trajectory), reference_outputs=reference_outputs)
            for part in self.evaluators
        ]
        outcomes = yield from together(*(settled(doing(job)) for job in jobs))
        results: list[Any] = []
        for part, outcome in zip(self.evaluators, outcomes, strict=True):
            if isinstance(outcome, Exception):
                results.append({"key": _key(part), "error": _error(outcome)})
            else:
                results.extend(outcome if isinstance(outcome, list) else [outcome])
        return results


def _simulation(
    waits: bool,
    *,
    app: Any,
    user: Any,
    stopping_condition: Any,
    trajectory_evaluators: Sequence[Any] | None,
    max_turns: int | None,
    thread_id: str | None,
) -> _Simulation:
    if max_turns is None and stopping_condition is None:
        raise ConfigError("A simulation needs an end: give `max_turns`, a `stopping_condition`, or both.")
    if max_turns is not None and max_turns < 1:
        raise ConfigError(f"max_turns is {max_turns}: a conversation has at least one turn.")
    if isinstance(user, str) or (isinstance(user, Sequence) and not user):
        raise ConfigError(
            "`user` must be a function, or a list of texts and messages with at least one in it."
        )
    return _Simulation(
        Part("app", app, waits),
        tuple(user) if isinstance(user, Sequence) else Part("user", user, waits),
        None if stopping_condition is None else Part("stopping condition", stopping_condition, waits),
        tuple(Part("evaluator", each, waits) for each in trajectory_evaluators or ()),
        max_turns,
        str(uuid.uuid4()) if thread_id is None else thread_id,
    )


def _noted(job: Job, part: Part, turn: int) -> Flow[Any]:
    """What the job returned; an exception is told where it was raised."""
    try:
        return (yield from doing(job))
    except Exception as error:
        error.add_note(
            f"raised by the {part.role} ({part.name}) in turn {turn + 1} of the simulated conversation"
        )
        raise


def _key(part: Part) -> str:
    """The feedback key of an evaluator that gave no result."""
    evaluation = getattr(part.function, "evaluation", None)
    return str(getattr(evaluation, "feedback_key", None) or getattr(evaluation, "key", None) or part.name)


def _error(error: Exception) -> dict[str, Any]:
    """The failure as a run's rows have it."""
    if isinstance(error, JudgeError):
        return {"code": error.code, "message": error.message, "attempts": error.attempts, "raw": error.raw}
    return {"code": type(error).__name__, "message": str(error), "attempts": 0, "raw": None}
