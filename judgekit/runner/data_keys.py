"""What an example is recognized by when a run is resumed: a hash of all that its verdict can depend on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from hashlib import sha256
from typing import Any

from judgekit.core.foreign import unfold
from judgekit.errors import DataError
from judgekit.runner.records import Example

__all__ = ["example_key"]


def example_key(example: Example) -> bytes:
    """SHA-256 (32 bytes) of the id and of everything that the target and the evaluators are given.

    Metadata, attachments and extra columns are part of it, because an application or an evaluator may read them: a
    verdict on other data is never taken for this row's. The index is not, so that rows may be moved and added; neither
    is `source`, nor the address of an attachment that a server signs anew each time. An object without a plain form
    counts as its type. The hash is the same in every process.

    Raises:
        DataError: a value holds itself.
    """
    content = (
        example.id,
        example.inputs,
        example.outputs,
        example.reference_outputs,
        example.metadata,
        example.attachments and _without_addresses(example.attachments),
        example.extra,
    )
    return sha256(_text(content, example.id).encode()).digest()


def _text(content: Any, name: str) -> str:
    try:
        return _encode(content)
    except (TypeError, ValueError):  # keys that JSON has not or cannot order, or a value that holds itself
        pass
    try:
        return _encode(_keys_as_text(content))
    except RecursionError as error:
        raise DataError(f"The row with the id {name!r} has a value that holds itself.") from error


def _without_addresses(attachments: Any) -> Any:
    if not isinstance(attachments, Mapping):
        return attachments
    return {
        name: {key: part for key, part in value.items() if key != "presigned_url"}
        if isinstance(value, Mapping)
        else value
        for name, value in attachments.items()
    }


def _plainer(value: Any) -> Any:
    """One step towards JSON for what it has no form for."""
    if isinstance(value, bytes | bytearray | memoryview):
        return sha256(value).hexdigest()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return sorted(map(_encode, value))
    if not isinstance(value, Iterator | type):
        try:
            plain = unfold(value)
        except ValueError:  # its own serializer failed
            plain = NotImplemented
        if plain is not NotImplemented:
            return plain
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _keys_as_text(value: Any) -> Any:
    """The value with lists of pairs, in the order of the keys' text, for its mappings."""
    if isinstance(value, Mapping):
        return sorted(
            [_encode(_keys_as_text(key)), _encode(_keys_as_text(part))] for key, part in value.items()
        )
    if isinstance(value, list | tuple):
        return [_keys_as_text(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return _keys_as_text(_plainer(value))


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_plainer).encode
