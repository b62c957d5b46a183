"""Attachments as content blocks."""

from __future__ import annotations

import base64
import copy
from pathlib import PurePosixPath
from typing import Any

import pytest

from judgekit.core.attachments import attachment_block, user_content
from judgekit.errors import PromptError

PNG = "data:image/png;base64,iVBORw0KGgo="
URL = "https://example.com/photo.jpg"


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def sound(data: str, form: str) -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def pdf(data: str, name: str = "attachment.pdf") -> dict[str, Any]:
    return {"type": "file", "file": {"filename": name, "file_data": data}}


@pytest.mark.parametrize(
    ("item", "block"),
    [
        (URL, image(URL)),
        (PNG, image(PNG)),
        ("data:audio/wav;base64,UklG", sound("UklG", "wav")),
        ("data:application/pdf;base64,JVBERi0x", pdf("data:application/pdf;base64,JVBERi0x")),
        ({"mime_type": "image/png", "data": PNG}, image(PNG)),
        ({"mime_type": "image/jpeg", "data": URL}, image(URL)),
        ({"mime_type": "image/jpeg", "data": "/9j/abc123"}, image("data:image/jpeg;base64,/9j/abc123")),
        ({"mime_type": "image/png", "data": "iVBO\nRw0K\n"}, image("data:image/png;base64,iVBORw0K")),
        ({"mime_type": "Image/PNG ; q=1", "data": b"\x89PNG"}, image("data:image/png;base64,iVBORw==")),
        ({"mime_type": "image/png", "data": bytearray(b"\x89PNG")}, image("data:image/png;base64,iVBORw==")),
        ({"mime_type": "application/pdf", "data": b"%PDF-1"}, pdf("data:application/pdf;base64,JVBERi0x")),
        (
            {
                "mime_type": "application/pdf",
                "data": "data:application/pdf;base64,JVBERi0x",
                "name": "bill.pdf",
            },
            pdf("data:application/pdf;base64,JVBERi0x", "bill.pdf"),
        ),
        ({"mime_type": "audio/mp3", "data": "data:audio/mp3;base64,SUQz"}, sound("SUQz", "mp3")),
        ({"mime_type": "audio/mpeg", "data": "SUQzBAA"}, sound("SUQzBAA", "mp3")),
        ({"mime_type": "audio/x-wav", "data": b"RIFF"}, sound(base64.b64encode(b"RIFF").decode(), "wav")),
        ({"mime_type": "audio/wave", "data": "UklG"}, sound("UklG", "wav")),
        ({"mime_type": "audio/flac", "data": "ZkxhQw=="}, sound("ZkxhQw==", "flac")),
    ],
)
def test_the_block_of_each_kind(item: Any, block: dict[str, Any]) -> None:
    before = copy.deepcopy(item)
    assert attachment_block(item) == block
    assert item == before


@pytest.mark.parametrize(
    "block", [image(URL), sound("abc", "mp3"), {"type": "custom", "deep": {"list": [1]}}]
)
def test_a_ready_block_is_copied(block: dict[str, Any]) -> None:
    copied = attachment_block(block)
    assert copied == block
    for value in copied.values():
        if isinstance(value, dict):
            value.clear()
    assert copied != block


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"mime_type": "video/mp4", "data": "data:video/mp4;base64,abc"},
            r"Unsupported attachment MIME type: video/mp4\. ",
        ),
        ("data:text/plain;base64,YQ==", "Unsupported attachment MIME type: text/plain"),
        (12345, r"Unsupported attachment type: int\. Pass the URL"),
        ({"mime_type": "image/png"}, r"Unsupported attachment type: a dict with the keys \['mime_type'\]"),
        ({"mime_type": "image/png", "data": 1}, "`data` is a int"),
        (PurePosixPath("a.png"), r"type: PurePosixPath\. Files are not read here: pass .*read_bytes"),
        (b"\x89PNG", "type: bytes. Files are not read here"),
        ("photo.png", "neither a URL nor a data URI, 'photo.png'"),
        ("iVBORw0KGgo=", "neither a URL nor a data URI"),
        ({"mime_type": "image/png", "data": "./photo.png"}, "neither a URL nor base64"),
        ({"mime_type": "image/png", "data": "C:\\photo.png"}, "neither a URL nor base64"),
        ({"mime_type": "image/png", "data": ""}, "neither a URL nor base64"),
        ({"mime_type": "audio/wav", "data": "https://example.com/a.wav"}, "Sound is sent as data.*audio/wav"),
    ],
)
def test_what_cannot_be_sent_says_what_to_pass(item: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        attachment_block(item)
    assert isinstance(caught.value, PromptError)


def test_content_without_attachments_is_text() -> None:
    assert user_content("a", None, "b") == "ab"
    assert user_content("a", []) == "a"


def test_content_with_attachments_is_text_blocks_text() -> None:
    first, last = {"type": "text", "text": "a "}, {"type": "text", "text": " b"}
    assert user_content("a ", URL, " b") == [first, image(URL), last]
    assert user_content("a ", [URL, PNG]) == [first, image(URL), image(PNG)]
    assert user_content("\n", (URL,), " b") == [image(URL), last]
