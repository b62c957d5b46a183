"""Evaluators as a configuration file names them: a word, `module:function`, or a mapping of one kind and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.runner.config_place import Place
from judgekit.runner.tally import close_names

__all__ = [
    "KINDS",
    "NAMES",
    "Kind",
    "asks",
    "evaluator_from",
]

NAMES: Mapping[str, str] = {
    "exact_match": "judgekit.evaluators.exact:exact_match",
    "json_equality": "judgekit.evaluators.json_checks:json_equality",
    "json_validity": "judgekit.evaluators.json_checks:json_validity",
    "levenshtein": "judgekit.evaluators.string_distance:levenshtein_distance",
}
"""The evaluators that need no options."""

_CALLED: Mapping[str, str] = {"key": "feedback_key", "reasoning": "use_reasoning"}
"""Options that a file calls by a shorter word than the factory."""

_OF_JUDGES = ("key", "system", "continuous", "choices", "reasoning", "few_shot_examples", "template_format")
_OF_MODELS = (
    "base_url", "timeout", "deadline", "retries", "repairs", "readout", "temperature", "seed", "max_tokens", "top_p",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of evaluator: how it is made of its value and its options, and which options it has."""

    make: Callable[[Any, dict[str, Any], Place], Any]
    options: tuple[str, ...]


def evaluator_from(given: Any, place: Place, model: str | None, *, instead: bool = False) -> Any:
    """Make an evaluator of what a file says; what is an evaluator already (in a Python file) stays as it is.

    Args:
        given: a name of `NAMES`, `module:function`, or a mapping with one key of `KINDS` and its options.
        place: where it stands.
        model: asked by judges that name none.
        instead: whether `model` is asked also by those that name one.

    Raises:
        ConfigError: it is none of these, or cannot be made; the message says where.
    """
    if isinstance(given, str):
        return _named(given, place)
    if not isinstance(given, Mapping):
        if not callable(given) and not hasattr(given, "evaluate_strings"):
            place.fail(f"{given!r} is no evaluator: write a name, 'module:function' or a mapping")
        return given
    kinds = [name for name in given if name in KINDS]
    if len(kinds) != 1:
        told = (
            f"it has {' and '.join(kinds)}"
            if kinds
            else f"it has none of them.{close_names(str(next(iter(given), '')), KINDS)}"
        )
        place.fail(f"an evaluator is of one kind, {', '.join(KINDS)}: {told}")
    kind = KINDS[kinds[0]]
    options = place.mapping(given, (*kinds, *kind.options))
    value = options.pop(kinds[0])
    if asks(given):
        value, options = _asking(kinds[0], value, options, model, instead=instead)
    try:
        return kind.make(value, {_CALLED.get(name, name): option for name, option in options.items()}, place)
    except DataError:
        raise
    except (ConfigError, TypeError) as error:
        if str(error).startswith(str(place.file)):
            raise
        place.fail(str(error))


def asks(given: Any) -> bool:
    """Whether what a file says of an evaluator is about one that asks a model."""
    if not isinstance(given, Mapping):
        return False
    compared = given.get("json_match")
    return "judge" in given or (
        isinstance(compared, Mapping) and ("rubric" in compared or "model" in compared)
    )


def _asking(
    kind: str, value: Any, options: dict[str, Any], model: str | None, *, instead: bool
) -> tuple[Any, dict[str, Any]]:
    """The value and the options with the model in its place, which `json_match` has among its own."""
    own = value if kind == "json_match" else options
    asked = model if instead or "model" not in own else own["model"]
    return ({**value, "model": asked}, options) if own is value else (value, {**options, "model": asked})


def _named(name: str, place: Place) -> Any:
    if ":" not in name and name not in NAMES:
        place.fail(f"there is no evaluator {name!r}.{close_names(name, NAMES)} Your own is 'module:function'")
    return place.imported(NAMES.get(name, name))


def _judge(prompt: Any, options: dict[str, Any], place: Place) -> Any:
    from judgekit.llm import create_async_llm_as_judge
    from judgekit.models.connect import connect

    settings = {name: options.pop(name) for name in _OF_MODELS if name in options}
    model = options.pop("model", None)
    text = str((place / "judge").kind(prompt, str, "a shipped prompt's name, or a file"))
    asked, schema = _prompt(place.path(text), text)
    return create_async_llm_as_judge(
        prompt=asked, output_schema=schema, judge=connect(model, **settings), **options
    )


def _prompt(file: Path, name: str) -> tuple[Any, Any]:
    from judgekit import prompts

    if file.is_file():
        return prompts.load_file(file), None
    return prompts.load(name), prompts.output_schema(name)


def _made(factory: str, parameter: str) -> Callable[[Any, dict[str, Any], Place], Any]:
    """A factory of judgekit, which takes the value under that name."""

    def make(value: Any, options: dict[str, Any], _: Place) -> Any:
        module, name = factory.split(":")
        given = {} if value is None else {parameter: value}
        return getattr(import_module(module), name)(**given, **options)

    return make


def _json_match(value: Any, options: dict[str, Any], place: Place) -> Any:
    from judgekit.judges.json_match import create_async_json_match_evaluator

    inner = (place / "json_match").mapping({} if value is None else value, _OF_JSON_MATCH)
    return create_async_json_match_evaluator(**inner, **options)


_OF_JSON_MATCH = (
    "aggregator", "list_aggregator", "rubric", "exclude_keys", "model", "use_reasoning", "list_match_mode",
    "comparators", "tolerance",
)  # fmt: skip

KINDS: Mapping[str, Kind] = {
    "judge": Kind(_judge, ("model", *_OF_JUDGES, *_OF_MODELS)),
    "contains": Kind(
        _made("judgekit.evaluators.text_checks:create_contains_evaluator", "expected"),
        ("key", "require", "normalize"),
    ),
    "regex": Kind(
        _made("judgekit.evaluators.text_checks:create_regex_evaluator", "pattern"), ("key", "where", "flags")
    ),
    "json_match": Kind(_json_match, ()),
    "json_schema": Kind(
        _made("judgekit.evaluators.json_schema:create_json_schema_evaluator", "schema"), ("key",)
    ),
    "string_distance": Kind(
        _made("judgekit.evaluators.string_distance:create_string_distance_evaluator", "metric"),
        ("key", "measure", "normalize", "unit"),
    ),
}
"""The kinds of evaluators that have options."""
