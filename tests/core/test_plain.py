"""Values as plain data and as text."""

from __future__ import annotations

import copy
import enum
import ipaddress
import json
import subprocess
import sys
from collections import OrderedDict, UserDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, TypedDict
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, Field, RootModel, SecretStr, field_serializer

from judgekit.core.plain import to_plain, to_text
from judgekit.errors import PromptError


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


@dataclass
class Point:
    x: int
    tags: set[str] = field(default_factory=set)


class Row(TypedDict):
    question: str


class Reply(BaseModel):
    text: str
    at: datetime | None = None
    parts: set[str] = set()
    hidden: str = Field(default="no", exclude=True)
    key: SecretStr = SecretStr("k")


class State(BaseModel):
    messages: list[Any]
    note: str = "n"


class Masked(BaseModel):
    card: str

    @field_serializer("card")
    def last_four(self, card: str) -> str:
        return card[-4:]


class Node(BaseModel):
    child: Any = None


class Words(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


PLAIN: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (Level.LOW, 1),
    (Color.RED, "red"),
    (Words("as it is"), "as it is"),
    (1.5, 1.5),
    (float("nan"), "NaN"),
    (float("inf"), "Infinity"),
    (float("-inf"), "-Infinity"),
    (datetime(2024, 2, 29, 12, 30, tzinfo=UTC), "2024-02-29T12:30:00+00:00"),
    (date(2024, 2, 29), "2024-02-29"),
    (time(7, 5), "07:05:00"),
    (timedelta(hours=1, minutes=30), "PT1H30M"),
    (Decimal("0.10"), "0.10"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (PurePosixPath("a/b"), "a/b"),
    (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
    ((1, (2,)), [1, [2]]),
    (deque([1, 2]), [1, 2]),
    (range(3), [0, 1, 2]),
    ({"b", "a"}, ["a", "b"]),
    (frozenset({10, 9, "x", None}), [9, 10, "x", None]),
    (OrderedDict(a=1), {"a": 1}),
    (UserDict({"a": 1}), {"a": 1}),
    (MappingProxyType({"a": {1}}), {"a": [1]}),
    (Row(question="q"), {"question": "q"}),
    (Point(1, {"b", "a"}), {"x": 1, "tags": ["a", "b"]}),
    (Reply(text="é"), {"text": "é", "at": None, "parts": [], "key": "**********"}),
    (Masked(card="12345678"), {"card": "5678"}),
    (RootModel[dict[str, int]]({"a": 1}), {"a": 1}),
    (np.float64(0.5), 0.5),
    (np.longdouble("0.5"), 0.5),
    (np.int8(3), 3),
    (np.bool_(True), True),
    (np.str_("s"), "s"),
    (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (np.array([1.0, np.nan]), [1.0, "NaN"]),
    (np.array(["2024-01-01", "NaT"], dtype="datetime64[ns]"), ["2024-01-01T00:00:00.000000000", None]),
    (np.datetime64("2024-01-01"), "2024-01-01"),
    (np.array([{"a": {2, 1}}], dtype=object), [{"a": [1, 2]}]),
    (pd.Timestamp("2024-01-01 10:00"), "2024-01-01T10:00:00"),
    (pd.Timedelta(hours=1), "P0DT1H0M0S"),
    (pd.NaT, None),
    (pd.NA, None),
    (pd.Period("2024-01"), "2024-01"),
    (pd.Series([1, 2]), [1, 2]),
    (pd.Series({"q": "a", "n": 1}), {"q": "a", "n": 1}),
    (pd.Series([1, 2], index=["a", "a"]), [1, 2]),
    (pd.Index(["a"]), ["a"]),
    (pd.Categorical(["a", "b"]), ["a", "b"]),
    (pd.DataFrame({"a": [1], "b": ["x"]}), [{"a": 1, "b": "x"}]),
    (pd.DataFrame({"a": [1]}, index=["r"]), [{"index": "r", "a": 1}]),
    (HumanMessage("hé"), {"role": "user", "content": "hé"}),
    ({"deep": [HumanMessage("a")]}, {"deep": [{"role": "user", "content": "a"}]}),
    (State(messages=[AIMessage("b")]), {"messages": [{"role": "assistant", "content": "b"}], "note": "n"}),
]


@pytest.mark.parametrize(("value", "plain"), PLAIN, ids=lambda value: type(value).__name__)
def test_plain_data_of_each_kind(value: Any, plain: Any) -> None:
    result = to_plain(value)
    assert result == plain
    assert type(result) is type(plain)
    json.dumps(result, allow_nan=False)


def test_keys_become_the_text_of_their_value() -> None:
    keys: list[Any] = [1, None, 0.5, Color.RED, date(2024, 1, 1), False, float("nan")]
    assert list(to_plain(dict.fromkeys(keys))) == ["1", "null", "0.5", "red", "2024-01-01", "false", "NaN"]


def test_text_is_as_it_is_and_everything_else_is_json() -> None:
    assert to_text('{"a": 1}') == '{"a": 1}'
    assert to_text({"a": [1, None, True]}) == '{"a": [1, null, true]}'
    assert to_text(None) == "null"
    assert to_text(date(2024, 1, 1)) == "2024-01-01"
    assert to_text([date(2024, 1, 1)]) == '["2024-01-01"]'


def test_w15_text_outside_ascii_is_not_escaped() -> None:
    assert to_text({"answer": "東京 café"}) == '{"answer": "東京 café"}'
    assert "東京" in to_text(AIMessage("", tool_calls=[{"name": "f", "args": {"city": "東京"}, "id": "1"}]))


def test_w21_values_that_json_refuses_are_shown() -> None:
    value = {
        "at": datetime(2024, 1, 1, tzinfo=UTC),
        "cost": Decimal("1.10"),
        "ids": {3, 1},
        "who": Point(1),
        "v": np.arange(2),
    }
    assert to_text(value) == (
        '{"at": "2024-01-01T00:00:00+00:00", "cost": "1.10", "ids": [1, 3], "who": {"x": 1, "tags": []}, "v": [0, 1]}'
    )


def test_a_model_is_shown_where_langchain_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "langchain_core")
    assert to_plain(State(messages=[1])) == {"messages": [1], "note": "n"}


def test_a_document_is_shown_with_its_text() -> None:
    assert to_plain([Document("page", metadata={"p": 1})])[0]["page_content"] == "page"


class Opaque:
    secret = "s3cr3t"


REFUSED: list[tuple[Any, str]] = [
    ({"items": [0, 1, 2, {"x": Opaque()}]}, r"`outputs\.items\[3\]\.x` is of type .*Opaque, .*pass its text"),
    ({"a b": b"\xff"}, r"`outputs\['a b'\]` is bytes; decode it"),
    (bytearray(b"x"), "bytearray; decode"),
    (memoryview(b"x"), "memoryview; decode"),
    (np.bytes_(b"x"), "bytes; decode"),
    (1 + 2j, "complex"),
    (np.complex64(1), "complex"),
    (ValueError("x"), "`outputs` is of type ValueError"),
    (int, "is a class"),
    (len, "builtin_function_or_method"),
    (iter([1]), "only once"),
    ((i for i in [1]), "generator, which can be read only once"),
    ({(1, 2): "x"}, r"has a tuple as a key, \(1, 2\)"),
    ({1: "a", "1": "b"}, "two keys that both become '1'"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "DataFrame.*not unique"),
    ([pd.Series], "is a class"),
    (np.dtype("int8"), "dtype.*no plain form"),
    (pd.Grouper(key="a"), "Grouper.*no plain form"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED, ids=lambda value: type(value).__name__)
def test_what_has_no_plain_form_is_named_with_its_path_and_what_to_do(value: Any, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        to_text(value, name="outputs")


def test_an_unawaited_result_is_named() -> None:
    class Promise:
        def __await__(self) -> Any:
            return iter(())

    with pytest.raises(PromptError, match="Promise that was not awaited"):
        to_plain(Promise())


def test_a_failing_serializer_is_our_error() -> None:
    class Broken(BaseModel):
        x: int = 1

        @field_serializer("x")
        def fail(self, x: int) -> str:
            raise RuntimeError(f"no {x}")

    with pytest.raises(PromptError, match=r"Broken and could not be serialized.*no 1"):
        to_plain(Broken())


def test_cycles_are_refused() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = [loop]
    node = Node()
    node.child = node
    point = Point(1)
    point.tags = [point]  # type: ignore[assignment]
    for value in (loop, node, point):
        with pytest.raises(PromptError, match=r"contains itself|Circular"):
            to_plain(value)


def test_a_shared_value_is_no_cycle() -> None:
    shared = [1]
    assert to_plain([shared, shared]) == [[1], [1]]


def test_too_deep_a_value_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(PromptError, match="levels deep"):
        to_plain(deep)


def test_the_order_of_a_set_is_the_same_in_every_process() -> None:
    code = "from judgekit.core.plain import to_text; print(to_text({'a', 'b', 'c', 1, 2.5, None, ('x', 1)}))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert runs == {'[1, 2.5, "a", "b", "c", ["x", 1], null]\n'}


def test_nothing_heavy_is_imported_for_plain_values() -> None:
    code = (
        "import sys; from judgekit.core.messages import as_messages; from judgekit.core.templates import Prompt; "
        "Prompt('{a}').messages({'a': {'b': {1, 2}}}); as_messages('x'); "
        "print({'numpy', 'pandas', 'langchain_core', 'jinja2', 'pydantic'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "set()\n"


def test_nothing_passed_in_is_changed_and_nothing_is_shared() -> None:
    messages = [HumanMessage("a", id="1"), AIMessage("b")]
    value = {"messages": messages, "rows": [{"a": {1, 2}}], "state": State(messages=list(messages))}
    before = copy.deepcopy(value)
    plain = to_plain(value)
    plain["rows"][0]["a"].append(3)
    plain["messages"].clear()
    assert value == before
    assert value["messages"] is messages


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_json_data_comes_back_equal(value: Any) -> None:
    before = copy.deepcopy(value)
    assert to_plain(value) == value == before
    if not isinstance(value, str):
        assert json.loads(to_text(value)) == value


def test_a_mapping_that_makes_values_is_only_read() -> None:
    class Lazy(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            return {"a": (1,)}[key]

        def __iter__(self) -> Any:
            return iter(["a"])

        def __len__(self) -> int:
            return 1

    assert to_plain(Lazy()) == {"a": [1]}
