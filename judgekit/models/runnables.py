"""LangChain's runnables taken apart: the chat models inside of wrappers and sequences, and the whole made anew.

Runnables are known by the names of their classes and methods, so LangChain is not imported here, and a double that
was made with `spec=` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = [
    "configured",
    "is_chat_model",
    "is_runnable",
    "leaves",
    "model_name",
    "rebuilt",
    "retries_itself",
    "takes_schema",
]

_PARTS = {
    "RunnableRetry": ("bound",),
    "RunnableBinding": ("bound",),
    "RunnableWithFallbacks": ("runnable", "fallbacks"),
    "RunnableSequence": ("last",),
}
"""Runnables that answer what a runnable inside of them answers, and the fields that hold it."""

_BUDGETS = ("max_tokens", "max_output_tokens", "num_predict", "max_new_tokens")
"""What chat models call the output budget."""

Change = Callable[[Any, Mapping[str, Any]], Any]
"""What is done to a leaf, given the arguments that were bound to it."""


def is_runnable(judge: Any) -> bool:
    """Whether it is a LangChain runnable, by the methods that all of them have."""
    return callable(getattr(judge, "invoke", None)) and callable(getattr(judge, "ainvoke", None))


def is_chat_model(judge: Any) -> bool:
    """Whether it answers messages and can be asked for structured output: `BaseChatModel` or a double of one."""
    return is_runnable(judge) and callable(getattr(judge, "with_structured_output", None))


def leaves(judge: Any) -> Iterator[Any]:
    """What answers in the end: the chat models or functions inside of the judge, or the judge itself."""
    parts = _parts(judge)
    for value in parts.values():
        for part in _listed(value):
            yield from leaves(part)
    if not parts:
        yield judge


def rebuilt(judge: Any, change: Change, bound: Mapping[str, Any] | None = None) -> Any:
    """A copy of the judge with `change` done to each of its leaves; what wraps them stays as it is.

    Arguments that were bound (`model.bind(stop=...)`) are handed to `change`: a chat model that is asked for
    structured output becomes a sequence, which would drop them.
    """
    parts = _parts(judge)
    arguments = {**getattr(judge, "kwargs", {}), **(bound or {})} if "bound" in parts else bound or {}
    if not parts:
        return change(judge, arguments)
    inside: dict[str, Any] = {}
    for name, value in parts.items():
        made = [rebuilt(part, change, arguments) for part in _listed(value)]
        inside[name] = made if isinstance(value, (list, tuple)) else made[0]
    if "bound" in parts:
        inside["kwargs"] = {}
    return judge.model_copy(update=inside)


def configured(model: Any, settings: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """A chat model with other settings, and those that it has no field for; the caller's object stays as it is."""
    fields = getattr(type(model), "model_fields", None)
    known: dict[str, str] = {}
    if isinstance(fields, Mapping):
        known = {str(field.alias): name for name, field in fields.items() if field.alias} | {
            name: name for name in fields
        }
        for budget in _BUDGETS:
            if budget in known:
                known.setdefault("max_tokens", known[budget])
    taken = {known[name]: value for name, value in settings.items() if name in known and value is not None}
    rest = {name: value for name, value in settings.items() if name not in known and value is not None}
    return (model.model_copy(update=taken) if taken else model), rest


def takes_schema(judge: Any) -> bool:
    """Whether all of its leaves can be asked for structured output."""
    return all(is_chat_model(leaf) and not _only_raises(leaf) for leaf in leaves(judge))


def retries_itself(judge: Any) -> bool:
    """Whether requests are sent again below it: by a chat model's own client, or by `with_retry`."""
    if _known_as(judge) == "RunnableRetry":
        return True
    parts = [part for value in _parts(judge).values() for part in _listed(value)]
    if parts:
        return any(retries_itself(part) for part in parts)
    retries = getattr(judge, "max_retries", 0)
    return retries is None or (isinstance(retries, int) and retries > 0)


def model_name(judge: Any) -> str:
    """What to call the judge in results: its model's name where it tells one, else its class."""
    leaf = next(leaves(judge))
    names = (getattr(leaf, attribute, None) for attribute in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str)), type(leaf).__name__)


def _only_raises(model: Any) -> bool:
    """A chat model without tools inherits a `with_structured_output` that only raises."""
    kind = type(model)
    base = next((base for base in kind.__mro__ if base.__name__ == "BaseChatModel"), kind)
    return base is not kind and all(
        getattr(kind, name) is getattr(base, name) for name in ("bind_tools", "with_structured_output")
    )


def _known_as(judge: Any) -> str | None:
    return next((base.__name__ for base in type(judge).__mro__ if base.__name__ in _PARTS), None)


def _parts(judge: Any) -> dict[str, Any]:
    kind = _known_as(judge)
    return {} if kind is None else {name: getattr(judge, name) for name in _PARTS[kind]}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)
