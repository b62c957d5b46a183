"""One step from a library's object towards plain data: pydantic, LangChain, numpy, pandas, dataclasses.

`unfold` peels one layer (a DataFrame becomes a list of records, a model a dict of its fields); the walk in
`core.plain` goes on from there. A library is recognised by the module that a type or its base comes from, so
none is imported that the caller has not imported already.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["comes_from", "openai_message", "unfold"]


def unfold(value: Any) -> Any:
    """Return `value` one step plainer, or `NotImplemented` when nothing here knows its type.

    A pydantic model gives what its own `model_dump()` gives, so excluded fields and custom serializers hold. Of
    the standard library, dataclasses are handled and what pydantic can serialize: addresses, patterns, fractions,
    time spans.

    Raises:
        ValueError: the object's own serializer failed.
    """
    for base in type(value).__mro__:
        library = _LIBRARIES.get(base.__module__.partition(".")[0])
        if library is not None:
            return library(value)
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return _serialized(value)


def comes_from(value: Any, library: str, name: str) -> bool:
    """Whether `value` is an instance of the class `name` of `library` (or of a subclass), without importing it."""
    return any(
        base.__name__ == name and base.__module__.partition(".")[0] == library for base in type(value).__mro__
    )


def openai_message(message: Any) -> dict[str, Any]:
    """A LangChain message as a new dict in OpenAI's shape."""
    from langchain_core.messages import convert_to_openai_messages

    converted = convert_to_openai_messages([message])
    return dict(converted[0])


def _serialized(value: Any) -> Any:
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except PydanticSerializationError:
        return NotImplemented


def _pydantic(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        return _serialized(value)
    plain = dump(warnings=False)
    if isinstance(plain, dict) and "langchain_core" in sys.modules:
        # A dumped message is noise to a reader; the message itself is shown in OpenAI's shape.
        plain.update(
            {name: field for name, field in vars(value).items() if name in plain and _holds_message(field)}
        )
    return plain


def _langchain(value: Any) -> Any:
    return openai_message(value) if _is_message(value) else _pydantic(value)


def _is_message(value: Any) -> bool:
    return comes_from(value, "langchain_core", "BaseMessage")


def _holds_message(value: Any) -> bool:
    return _is_message(value) or (isinstance(value, list | tuple) and any(map(_is_message, value)))


def _numpy(value: Any) -> Any:
    import numpy as np

    if not isinstance(value, np.ndarray | np.generic):
        return NotImplemented
    if value.dtype.kind in "mM":
        return _dates(value)
    if isinstance(value, np.floating):
        return float(value)  # a long double's item() is a long double again
    plain = value.tolist()
    return NotImplemented if isinstance(plain, np.generic) else plain


def _dates(value: Any) -> Any:
    """datetime64 and timedelta64 as ISO text; the integers that `tolist` gives at nanoseconds mean nothing."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return [_dates(item) for item in value] if value.ndim else _dates(value[()])
    return None if np.isnat(value) else str(value)


def _pandas(value: Any) -> Any:
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, pd.DataFrame):
        return _records(value)
    if isinstance(value, pd.Series):
        labelled = not isinstance(value.index, pd.RangeIndex) and value.index.is_unique
        return dict(value.items()) if labelled else list(value)
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return value.isoformat()
    if isinstance(value, pd.Period | pd.Interval):
        return str(value)
    if isinstance(value, pd.Index | pd.api.extensions.ExtensionArray):
        return list(value)
    return NotImplemented


def _records(frame: Any) -> list[dict[Any, Any]]:
    import pandas as pd

    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    if not frame.columns.is_unique:
        raise ValueError("a DataFrame whose columns are not unique cannot be shown; rename them")
    names = list(frame.columns)
    return [dict(zip(names, row, strict=True)) for row in frame.itertuples(index=False, name=None)]


_LIBRARIES: dict[str, Callable[[Any], Any]] = {
    "langchain_core": _langchain,
    "numpy": _numpy,
    "pandas": _pandas,
    "pydantic": _pydantic,
}
