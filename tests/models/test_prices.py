"""Prices: which model costs what, whose price goes first, and that what is not known is None."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from judgekit.core.exchange import Usage
from judgekit.errors import ConfigError, DataError
from judgekit.models.prices import Price, cost, price_of, read_prices


@pytest.mark.parametrize(
    ("snapshot", "family"),
    [
        ("openai:gpt-4o-2024-08-06", "openai:gpt-4o"),
        ("openai:gpt-4o-mini-2024-07-18", "openai:gpt-4o-mini"),
        ("openai:gpt-5-mini-2025-08-07", "openai:gpt-5-mini"),
        ("anthropic:claude-sonnet-4-20250514", "anthropic:claude-sonnet-4"),
        ("anthropic:claude-sonnet-4-5-20250929", "anthropic:claude-sonnet-4-5"),
        ("anthropic:claude-3-5-haiku-latest", "anthropic:claude-3-5-haiku"),
    ],
)
def test_a_dated_snapshot_costs_what_its_family_costs(snapshot: str, family: str) -> None:
    assert price_of(family) is not None
    assert price_of(snapshot) == price_of(family)


def test_a_snapshot_with_a_price_of_its_own_keeps_it() -> None:
    assert price_of("openai:gpt-4o-2024-05-13") == Price(5, 15, batch=0.5)
    assert price_of("openai:gpt-4o") == Price(2.5, 10, 1.25, 0.5)


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-4o-audio-preview",
        "openai:gpt-4o-mini-tts",
        "openai:gpt-4o-2024",
        "openai:gpt-99",
        "azure:gpt-4o",
        "gpt-4o",
        "ollama:qwen3",
        "",
    ],
)
def test_what_is_not_known_has_no_price(model: str) -> None:
    assert price_of(model) is None


@pytest.mark.parametrize("model", ["local:smollm2", "embedded:match", "scripted", "recorded:run.jsonl"])
def test_models_in_the_callers_own_process_are_free(model: str) -> None:
    assert price_of(model) == Price(0, 0)


def test_the_callers_prices_go_first() -> None:
    own = {"openai:gpt-4o": Price(1, 2), "local:smollm2": Price(0.1, 0.1)}
    assert price_of("openai:gpt-4o", own) == Price(1, 2)
    assert price_of("openai:gpt-4o-2024-08-06", own) == Price(1, 2)
    assert price_of("local:smollm2", own) == Price(0.1, 0.1)
    assert price_of("openai:gpt-4o-mini", own) == price_of("openai:gpt-4o-mini")


@pytest.mark.parametrize("name", ["prices.toml", "prices.json"])
def test_prices_are_read_from_a_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    entry = {"input": 1, "output": 2.5, "cached": 0.1}
    file.write_text(
        json.dumps({"x:y": entry})
        if file.suffix == ".json"
        else '"x:y" = { input = 1, output = 2.5, cached = 0.1 }\n'
    )
    assert read_prices(file) == {"x:y": Price(1, 2.5, 0.1)}
    assert price_of("x:y-2026-01-31", str(file)) == Price(1, 2.5, 0.1)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("p.toml", '"x:y" = 3', "'x:y': expected input and output"),
        ("p.toml", '"x:y" = { input = -1, output = 1 }', "'x:y': expected input and output"),
        ("p.toml", '"x:y" = { input = 1, ouput = 1 }', "'x:y': expected input and output"),
        ("p.toml", "x:y = ", "cannot be read as TOML"),
        ("p.json", "{", "cannot be read as JSON"),
        ("p.json", "[]", "holds list"),
        ("p.csv", "a,b", "of no known kind"),
    ],
)
def test_a_file_without_prices_is_told(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=told):
        read_prices(tmp_path / name)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        price_of("x:y", tmp_path / "none.toml")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -0.1, "1", True, None])
def test_a_price_is_a_number(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="output is"):
        Price(1, wrong)


def test_a_mapping_holds_prices() -> None:
    wrong: Any = {"x:y": (1, 2)}
    with pytest.raises(ConfigError, match=re.escape("write Price(input, output)")):
        price_of("x:y", wrong)


def test_cost_counts_cached_tokens_once() -> None:
    price = Price(2.0, 8.0, cached=0.5)
    assert cost(Usage(1_000_000, 500_000), price) == 6.0
    assert cost(Usage(1_000_000, 0, cached_tokens=400_000), price) == pytest.approx(1.4)
    assert cost(Usage(1_000_000, 0, cached_tokens=400_000), Price(2, 8)) == 2.0
    assert cost(Usage(100, 0, cached_tokens=400), price) == pytest.approx(100 * 0.5 / 1e6)
    assert cost(Usage(0, 1_000_000, reasoning_tokens=900_000), price) == 8.0


def test_the_shipped_table_says_its_date_and_source() -> None:
    table = tomllib.loads((files("judgekit.models") / "prices.toml").read_text("utf-8"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.pop("as_of"))
    assert all(source.startswith("https://") for source in table.pop("sources"))
    for model, entry in table.items():
        provider, _, name = model.partition(":")
        assert provider in ("openai", "anthropic"), model
        assert name, model
        price = Price(**entry)
        assert 0 < price.input < price.output, model
        assert price.cached is None or price.cached < price.input, model
        assert price.batch == 0.5, model
