"""What tokens cost: a dated table of list prices, and the caller's own prices before it. Unknown is None, never 0."""

from __future__ import annotations

import functools
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError, DataError

__all__ = ["Price", "Prices", "cost", "price_of", "read_prices"]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens.

    Attributes:
        input: what a prompt costs.
        output: what an answer costs, its reasoning included.
        cached: what input tokens cost that the provider had in its cache; as `input` by default.
        batch: the factor of the provider's batch API: 0.5 is half the price.
    """

    input: float
    output: float
    cached: float | None = None
    batch: float = 1.0

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached", "batch"):
            value = getattr(self, name)
            if value is None and name == "cached":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise ConfigError(
                    f"A price's {name} is {value!r}: it must be a finite number that is not negative."
                )


Prices = Mapping[str, Price] | str | PathLike[str]
"""Prices by model, `provider:model`, or a TOML or JSON file of them: `"openai:gpt-4o" = { input = 2.5, output = 10 }`."""

_FREE = Price(0.0, 0.0)
_FREE_PROVIDERS = frozenset({"embedded", "local", "recorded", "scripted"})
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_ABOUT_THE_FILE = frozenset({"as_of", "sources"})
_PARSERS: Mapping[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".json": json.loads}


def price_of(model: str, prices: Prices | None = None) -> Price | None:
    """The price of a model, or None where it is not known.

    The model itself is looked for first, then its family: the name without a snapshot's date (`-2024-08-06`,
    `-20250514`) or `-latest`. Models that run in the caller's own process are free.

    Args:
        model: `provider:model`.
        prices: the caller's own, which go before the shipped table. A file is read at every call; `read_prices` reads it
            once.

    Raises:
        ConfigError, DataError: as `read_prices`.
    """
    own = read_prices(prices)
    family = _SNAPSHOT.sub("", model)
    for table in (own, _shipped()):
        for name in (model, family):
            if name in table:
                return table[name]
    return _FREE if model.partition(":")[0] in _FREE_PROVIDERS else None


def cost(usage: Usage, price: Price) -> float:
    """Dollars for the tokens of a usage, whose cached tokens are part of its input tokens."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    rate = price.input if price.cached is None else price.cached
    fresh = usage.input_tokens - cached
    return (fresh * price.input + cached * rate + usage.output_tokens * price.output) / 1e6


def read_prices(prices: Prices | None) -> Mapping[str, Price]:
    """Prices by model, from a mapping (returned as it is), a file or nothing.

    Raises:
        ConfigError: a value of the mapping is no `Price`, or a price is no number.
        DataError: the file is missing, of another kind, or does not hold prices.
    """
    if prices is None:
        return {}
    if not isinstance(prices, Mapping):
        return _read(Path(prices))
    for model, price in prices.items():
        if not isinstance(price, Price):
            raise ConfigError(
                f"The price of {model!r} is {price!r}: write Price(input, output), in dollars per million tokens."
            )
    return prices


@functools.cache
def _shipped() -> Mapping[str, Price]:
    return _parsed(
        (files("judgekit.models") / "prices.toml").read_text(encoding="utf-8"), ".toml", "prices.toml"
    )


def _read(file: Path) -> Mapping[str, Price]:
    if file.suffix not in _PARSERS:
        raise DataError(f"The prices {file} are of no known kind: write them as TOML or JSON.")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"The prices {file} cannot be read: {error.strerror or error}.") from error
    return _parsed(text, file.suffix, str(file))


def _parsed(text: str, kind: str, where: str) -> Mapping[str, Price]:
    try:
        found = _PARSERS[kind](text)
    except ValueError as error:
        raise DataError(f"{where} cannot be read as {kind[1:].upper()}: {error}.") from error
    if not isinstance(found, dict):
        raise DataError(f"{where} holds {type(found).__name__}, not an object of prices by model.")
    return {
        model: _price(entry, f"{where}, {model!r}")
        for model, entry in found.items()
        if model not in _ABOUT_THE_FILE
    }


def _price(entry: Any, where: str) -> Price:
    try:
        return Price(**entry)
    except (TypeError, ConfigError) as error:
        raise DataError(
            f"{where}: expected input and output, and perhaps cached and batch, in dollars per million tokens, as in "
            f"{{ input = 2.5, output = 10 }}; found {entry!r}."
        ) from error
