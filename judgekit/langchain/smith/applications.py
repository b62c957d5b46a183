"""What LangChain runs over a dataset: models, chains, and functions that make one for each example."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.core.flow import Flow, Job, doing
from judgekit.core.foreign import comes_from, openai_message
from judgekit.errors import ConfigError
from judgekit.evaluators.function import is_async
from judgekit.langchain.smith.keys import InputFormatError

__all__ = ["Application", "read_application"]


@dataclass(frozen=True)
class Application:
    """An application, or what makes one.

    Attributes:
        make: gives the application for one example.
        name: what it is called.
        fixed: the application, where it is the same for all examples.
    """

    make: Callable[[], Any]
    name: str
    fixed: Any = None

    @property
    def awaited(self) -> bool:
        """Whether it can only be made on an event loop: its constructor is async."""
        return is_async(self.make)

    def check(self, inputs: Any) -> None:
        """Raises InputFormatError when the application is a model and these inputs are no prompt for it."""
        if self.fixed is not None:
            _given(self.fixed, inputs)

    def flow(self, inputs: Any) -> Flow[Any]:
        """What the application answers: a chain's outputs alone, a message in OpenAI's shape, or the value as it is."""
        made = yield from doing(Job(self.make, blocking=self.fixed is None and not self.awaited))
        answer = yield from doing(_job(made, inputs))
        if _is_chain(made) and isinstance(answer, Mapping):
            return {name: answer[name] for name in made.output_keys if name in answer}
        return openai_message(answer) if comes_from(answer, "langchain_core", "BaseMessage") else answer


def read_application(given: Any) -> Application | Callable[..., Any]:
    """Read what LangChain calls `llm_or_chain_factory`.

    Args:
        given: a chat model, a completion model, a chain or another Runnable; a constructor of one of these, or of a
            function, which needs no argument and is called for each example; or a function of the inputs. Which of them a
            function is, its signature says: it is a constructor when it can be called without an argument and its first
            parameter is not called `inputs`. It is never called to find out.

    Returns:
        The application; a function of the inputs comes back as it is, since it is a target already.

    Raises:
        ConfigError: it is none of these, or a chain with a memory, which the examples would share.
    """
    if callable(getattr(given, "invoke", None)) and not isinstance(given, type):
        if getattr(given, "memory", None) is not None:
            raise ConfigError(
                f"{type(given).__name__} has a memory, and one example would see what another one said: pass a function that "
                "makes the chain anew, `lambda: LLMChain(..., memory=ConversationBufferMemory())` say."
            )
        return Application(lambda: given, type(given).__name__, given)
    if not callable(given):
        raise ConfigError(
            f"llm_or_chain_factory is {given!r}: give a model, a chain, a function that makes one, or a function of the inputs."
        )
    name = getattr(given, "__name__", type(given).__name__)
    return Application(given, name) if _is_constructor(given, name) else given


def _is_constructor(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"{name} does not say what it takes: wrap it in a function of the inputs, or in one of nothing that makes a chain."
        ) from error
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [each for each in parameters if each.default is each.empty and each.kind not in variadic]
    return not needed and not (parameters and parameters[0].name == "inputs")


def _job(made: Any, inputs: Any) -> Job:
    if callable(getattr(made, "invoke", None)):
        given = _given(made, inputs)
        if callable(getattr(made, "ainvoke", None)):
            return Job(lambda: made.invoke(given), lambda: made.ainvoke(given))
        return Job(lambda: made.invoke(given), blocking=True)
    if callable(made):
        return Job(lambda: made(inputs), blocking=not is_async(made))
    raise ConfigError(
        f"The constructor returned {type(made).__name__}: it has to return a model, a chain or a function. If it is the "
        "application itself, give it a parameter `inputs`."
    )


def _given(made: Any, inputs: Any) -> Any:
    """The inputs in the form that this kind of application takes."""
    bare = made
    while comes_from(bare, "langchain_core", "RunnableBinding"):
        bare = bare.bound
    for name, form in _FORMS:
        if comes_from(bare, "langchain_core", name):
            return form(inputs)
    if _is_chain(made) and isinstance(inputs, Mapping) and len(inputs) == 1 and made.input_keys:
        return next(iter(inputs.values()))  # whatever it is called: the chain has one input
    return inputs


def _is_chain(made: Any) -> bool:
    return comes_from(made, "langchain_classic", "Chain") or comes_from(made, "langchain", "Chain")


def _messages(inputs: Any) -> Any:
    found = _named(inputs, ("messages", "input"))
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], list):
        found = found[0]
    if not found or not isinstance(found, str | list) or any(isinstance(each, list) for each in found):
        raise InputFormatError(
            "A chat model takes a text or one list of messages: an example's `messages`, `input` or only input. It has "
            f"{_shown(inputs)}."
        )
    if isinstance(found, list) and all(isinstance(each, Mapping) and "data" in each for each in found):
        from langchain_core.messages import messages_from_dict

        return messages_from_dict(found)
    return found


def _prompt(inputs: Any) -> Any:
    found = _named(inputs, ("prompt", "prompts"))
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if not isinstance(found, str):
        raise InputFormatError(
            f"A completion model takes one text: an example's `prompt` or only input. It has {_shown(inputs)}."
        )
    return found


def _named(inputs: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(inputs, Mapping):
        return inputs
    only = next(iter(inputs.values())) if len(inputs) == 1 else None
    return next((inputs[name] for name in names if name in inputs), only)


def _shown(inputs: Any) -> str:
    if not isinstance(inputs, Mapping):
        return type(inputs).__name__
    return ", ".join(f"{name!r} ({type(value).__name__})" for name, value in inputs.items()) or "no inputs"


_FORMS: tuple[tuple[str, Callable[[Any], Any]], ...] = (("BaseChatModel", _messages), ("BaseLLM", _prompt))
