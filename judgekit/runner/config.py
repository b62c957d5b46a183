"""Read what `judgekit run` is given: a YAML, JSON, TOML or Python file that says what is run and how it is scored."""

from __future__ import annotations

import importlib.util
import json
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgekit.errors import ConfigError, DataError
from judgekit.models.limits import Limits
from judgekit.models.prices import Price, read_prices
from judgekit.runner.config_evaluators import asks, evaluator_from
from judgekit.runner.config_place import Place

__all__ = ["RunConfig", "read_config"]


@dataclass(frozen=True)
class RunConfig:
    """What a file says.

    Attributes:
        settings: keywords of `judgekit.evaluate`, `target`, `data` and `evaluators` among them.
        thresholds: conditions for `Results.check`.
    """

    settings: Mapping[str, Any]
    thresholds: tuple[str, ...] = ()


def read_config(path: str | Path, *, model: str | None = None) -> RunConfig:
    """Read a file.

    Args:
        path: `.yaml`, `.yml`, `.json`, `.toml`, or `.py`: a Python file defines `config`, a dict, or variables that are
            called as the keys. Its folder can be imported from, and paths in it start there.
        model: asked by every judge instead of its own.

    Raises:
        ConfigError: something in it is not known or of the wrong kind; the message says where and what is meant.
        DataError: the file is missing or cannot be read.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError(f"There is no file {file}.")
    if file.suffix not in _FORMATS:
        raise DataError(f"{file} is of no known kind: write it as {', '.join(_FORMATS)}.")
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # it stays: a target may import when it is called
    place = Place(file)
    found = place.mapping(_FORMATS[file.suffix](file), _KEYS)
    for name in ("data", "evaluators"):
        if found.get(name) is None:
            place.fail(f"the key {name!r} is missing")
    asked = model or found.get("model")
    settings: dict[str, Any] = {"target": None}
    for name, value in found.items():
        read, here = _KEYS[name], place / name
        if value is not None or name == "store":  # `store: null` keeps nothing
            settings[name] = read(value, here)
    settings["evaluators"] = _evaluators(
        found["evaluators"], place / "evaluators", asked, instead=bool(model)
    )
    settings.pop("model", None)
    return RunConfig(settings, settings.pop("thresholds", ()))


def _evaluators(given: Any, place: Place, model: str | None, *, instead: bool) -> list[Any]:
    listed = given if isinstance(given, list | tuple) else [given]
    made = [evaluator_from(each, place / i, model, instead=instead) for i, each in enumerate(listed)]
    if not made:
        place.fail("give at least one evaluator")
    if instead and not any(map(asks, listed)):
        place.fail(f"there is no judge here that model {model!r} could be given to")
    return made


def _data(value: Any, place: Place) -> Any:
    return place.path(value) if isinstance(value, str) else value


def _target(value: Any, place: Place) -> Any:
    return place.imported(value) if isinstance(value, str) else value


def _store(value: Any, place: Place) -> Path | None:
    return None if value is None else place.path(_text(value, place))


def _text(value: Any, place: Place) -> str:
    return str(place.kind(value, str, "text"))


def _mapping(value: Any, place: Place) -> dict[str, Any]:
    return dict(place.kind(value, Mapping, "a mapping"))


def _count(value: Any, place: Place) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        place.fail(f"{value!r} should be a whole number of at least 1")
    return value


def _flag(value: Any, place: Place) -> bool:
    return bool(place.kind(value, bool, "true or false"))


def _thresholds(value: Any, place: Place) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else place.kind(value, list | tuple, "a list of conditions")
    return tuple(_text(each, place / i) for i, each in enumerate(listed))


def _limits(value: Any, place: Place) -> Limits:
    if isinstance(value, Limits):
        return value
    given = place.mapping(value, ("requests_per_minute", "tokens_per_minute", "dollars"))
    for name, limit in given.items():
        (place / name).kind(limit, int | float, "a number")
    try:
        return Limits(**given)
    except ConfigError as error:
        place.fail(str(error))


def _prices(value: Any, place: Place) -> Mapping[str, Price]:
    if isinstance(value, str):
        return read_prices(place.path(value))
    return {model: _price(price, place / model) for model, price in _mapping(value, place).items()}


def _price(value: Any, place: Place) -> Price:
    if isinstance(value, Price):
        return value
    try:
        return Price(**place.mapping(value, ("input", "output", "cached", "batch")))
    except (TypeError, ConfigError) as error:
        place.fail(f"{error}: write input and output, in dollars per million tokens")


def _as_it_is(value: Any, _: Place) -> Any:
    return value


_KEYS: Mapping[str, Callable[[Any, Place], Any]] = {
    "data": _data,
    "columns": _mapping,
    "target": _target,
    "evaluators": _as_it_is,
    "summary_evaluators": lambda value, place: [_target(each, place / i) for i, each in enumerate(value)],
    "model": _text,
    "experiment": _text,
    "repetitions": _count,
    "max_concurrency": _count,
    "limit": _count,
    "thresholds": _thresholds,
    "store": _store,
    "resume": _flag,
    "cache": _text,
    "on_error": _text,
    "limits": _limits,
    "prices": _prices,
    "metadata": _mapping,
}
"""The keys of a file, and how each is read. Beside `model` and `thresholds` they are parameters of `evaluate`."""


def _yaml(file: Path) -> Any:
    import yaml

    return _parsed(file, yaml.safe_load, "YAML", yaml.YAMLError)


def _json(file: Path) -> Any:
    return _parsed(file, json.loads, "JSON", ValueError)


def _toml(file: Path) -> Any:
    return _parsed(file, tomllib.loads, "TOML", ValueError)


def _parsed(file: Path, parse: Callable[[str], Any], kind: str, error: type[Exception]) -> Any:
    try:
        return parse(file.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"{file} cannot be read: {problem}.") from problem
    except error as problem:
        raise DataError(f"{file} is no {kind}: {problem}") from problem


def _python(file: Path) -> Any:
    name = f"_judgekit_config_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None  # noqa: S101  # the name ends in .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and pickles look for what it defines
    try:
        spec.loader.exec_module(module)
    except ConfigError:
        raise
    except Exception as error:
        raise DataError(f"{file} cannot be executed: {type(error).__name__}: {error}") from error
    defined = vars(module)
    return (
        defined["config"] if "config" in defined else {key: defined[key] for key in _KEYS if key in defined}
    )


_FORMATS: Mapping[str, Callable[[Path], Any]] = {
    ".yaml": _yaml,
    ".yml": _yaml,
    ".json": _json,
    ".toml": _toml,
    ".py": _python,
}
