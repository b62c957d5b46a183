"""Attachments (images, PDF files, sound) as content blocks in OpenAI's shape."""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from judgekit.errors import PromptError

__all__ = ["attachment_block", "attachment_list", "user_content"]

_URI = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)  # one letter and a colon is a Windows drive
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_DATA_URI = re.compile(r"data:([^;,]*)[^,]*,", re.IGNORECASE)
_ALIASES = {"audio/mpeg": "audio/mp3", "audio/wave": "audio/wav", "audio/x-wav": "audio/wav"}
_NOT_READ = 'Files are not read here: pass {"mime_type": "image/png", "data": path.read_bytes()}'


def attachment_block(item: Any) -> dict[str, Any]:
    """Return the content block of one attachment, as a new dict.

    Args:
        item: the URL of an image (`https://...`), a `data:` URI, a dict with `mime_type` and `data` (base64 text
            with or without its `data:` prefix, a URL, or bytes; `name` is a PDF's file name), or a content block
            that has its `type` already.

    Raises:
        PromptError: a kind of attachment that no block exists for, or data that is neither of the above.
    """
    if isinstance(item, str):
        return _from_text(item)
    if not isinstance(item, Mapping):
        hint = _NOT_READ if isinstance(item, PurePath | bytes | bytearray) else _expected()
        raise PromptError(f"Unsupported attachment type: {type(item).__name__}. {hint}.")
    mime_type, data = item.get("mime_type"), item.get("data")
    if mime_type is not None and data is not None:
        return _from_data(str(mime_type), data, item.get("name"))
    if "type" in item:
        return copy.deepcopy(dict(item))
    raise PromptError(f"Unsupported attachment type: a dict with the keys {list(item)}. {_expected()}.")


def user_content(before: str, attachments: Any, after: str = "") -> str | list[dict[str, Any]]:
    """Return a user message's content: text, or with attachments the list [text, blocks..., text].

    `attachments` is one item, a list of them, or None. Blank text beside blocks is dropped: providers refuse it.

    Raises:
        PromptError: as `attachment_block`.
    """
    items = attachment_list(attachments)
    if not items:
        return before + after
    return [*_text(before), *map(attachment_block, items), *_text(after)]


def attachment_list(attachments: Any) -> list[Any]:
    """None and an empty dict (LangSmith's way to say it) are no attachment, anything but a list or tuple is one."""
    if attachments is None or attachments == {}:
        return []
    return list(attachments) if isinstance(attachments, list | tuple) else [attachments]


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _from_text(item: str) -> dict[str, Any]:
    if data_uri := _DATA_URI.match(item):
        return _from_data(data_uri[1], item, None)
    if item.lower().startswith(("https://", "http://")):
        return _image("", item, None)
    raise PromptError(
        f"Unsupported attachment type: text that is neither a URL nor a data URI, {item!r:.60}. {_NOT_READ}."
    )


def _from_data(mime_type: str, data: Any, name: Any) -> dict[str, Any]:
    mime = mime_type.partition(";")[0].strip().lower()
    mime = _ALIASES.get(mime, mime)
    for prefix, block in _BLOCKS.items():
        if mime.startswith(prefix):
            return block(mime, _encoded(data), name)
    raise PromptError(
        f"Unsupported attachment MIME type: {mime}. Supported: image/*, audio/*, application/pdf."
    )


def _encoded(data: Any) -> str:
    """A URL as it is, everything else as base64 text."""
    if isinstance(data, bytes | bytearray | memoryview):
        return base64.b64encode(data).decode("ascii")
    if not isinstance(data, str):
        raise PromptError(f"Unsupported attachment type: `data` is a {type(data).__name__}. {_expected()}.")
    if _URI.match(data):
        return data
    compact = "".join(data.split())
    if not _BASE64.fullmatch(compact):
        raise PromptError(f"The attachment's data is neither a URL nor base64: {data!r:.60}. {_NOT_READ}.")
    return compact


def _as_uri(mime: str, data: str) -> str:
    return data if _URI.match(data) else f"data:{mime};base64,{data}"


def _image(mime: str, data: str, _: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": _as_uri(mime, data)}}


def _pdf(mime: str, data: str, name: Any) -> dict[str, Any]:
    return {
        "type": "file",
        "file": {"filename": str(name or "attachment.pdf"), "file_data": _as_uri(mime, data)},
    }


def _audio(mime: str, data: str, _: Any) -> dict[str, Any]:
    if data_uri := _DATA_URI.match(data):
        data = data[data_uri.end() :]
    elif _URI.match(data):
        raise PromptError(
            f"Sound is sent as data, not as a URL: {data!r:.60}. {_NOT_READ.replace('image/png', mime)}."
        )
    return {"type": "input_audio", "input_audio": {"data": data, "format": mime.partition("/")[2]}}


def _expected() -> str:
    return "Pass the URL of an image, a data URI, a dict with `mime_type` and `data`, or a content block with its `type`"


_BLOCKS: dict[str, Callable[[str, str, Any], dict[str, Any]]] = {
    "image/": _image,
    "application/pdf": _pdf,
    "audio/": _audio,
}
