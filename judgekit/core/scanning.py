"""Where in a model's text the answer is: what is thinking, what is markup, and which JSON values stand in the rest.

Tags are read only outside JSON values, so a judge may write about `<think>` in its reasoning; JSON is read only
outside thinking, so a draft is never an answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from judgekit.core.characters import BLANK, is_blank, trimmed
from judgekit.core.decoding import Broken, Decoded, Members, strict
from judgekit.core.lexemes import OBJECT_AHEAD, OPENING
from judgekit.core.repairing import Decoder

__all__ = ["NOTHING", "Found", "find", "whole"]

_THOUGHTS = "thinking|think|thoughts|thought|reasoning|reason|reflection|scratchpad|analysis|inner_monologue"
_TAG = (
    rf"(?:<[|｜]?\s*(?P<close>/\s*|END_)?(?:START_)?(?:\w+:)?(?P<name>{_THOUGHTS})\b[^<>]{{0,200}}>"  # and Cohere's
    r"|\[(?P<close_>/)?(?P<name_>THINK)\]"  # Mistral's
    r"|◁(?P<close__>/)?(?P<name__>think)▷)"  # Kimi's
)
_HARMONY = r"(?P<harmony>(?:<\|start\|>[^<]{0,200})?<\|channel\|>[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>)"
_TEMPLATE_MARK = r"(?P<token><[|｜][^<>|｜\s]{1,40}[|｜]>)"
_JSON_TEXT = r'(?P<text>(?<!\\)"(?=\s*(?:[{\[]|```))[^"\\]*(?:\\.[^"\\]*)*")'
_BRACE = rf"(?P<brace>{OBJECT_AHEAD}|[\[［](?!{BLANK}*[\[［]))"

_MARKS = re.compile("|".join((_TAG, _HARMONY, _TEMPLATE_MARK, _JSON_TEXT, _BRACE)), re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(_TAG, re.IGNORECASE)
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_ANALYSIS = re.compile(r"<\|channel\|>\s*analysis")
_RECIPIENT = re.compile(r"\bto=([\w.-]+)")
_FENCE = re.compile(r"```[\w+-]*")
_FENCED = re.compile(r"```[\w+-]*(?P<inside>[^`]*)(?:```)?")

_LONGEST_SCALAR = 1000

NOTHING: Any = object()
"""No value, as distinct from null."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one text holds.

    Attributes:
        values: the JSON objects and lists that can be seen, in order.
        rest: what can be seen beside them, prose and broken JSON.
        broken: keys of objects that could not be read to their end.
        open: an object or a list was begun and not closed.
        unclear: it is open because of a quotation mark that is content or an end, and the text ends like JSON.
        thought: some of the text was thinking and has been left out.
        tangled: the search was given up, so there may be more values.
        closed: the last value is closed and nothing but blanks follows.
    """

    values: tuple[Decoded, ...] = ()
    rest: str = ""
    broken: tuple[str, ...] = ()
    open: bool = False
    unclear: bool = False
    thought: bool = False
    tangled: bool = False
    closed: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.values and not self.open and is_blank(self.rest)

    @property
    def guessed(self) -> tuple[str, ...]:
        """Texts whose end is a guess, as in `Decoded`."""
        return tuple(text for value in self.values for text in value.guessed)

    @property
    def repairs(self) -> frozenset[str]:
        """What had to be taken off or mended to get at the values."""
        around = {"fence"} if "```" in self.rest else set[str]()
        if self.values and not is_blank(_FENCE.sub("", self.rest)):
            around.add("prose")
        if self.thought:
            around.add("thinking")
        return frozenset(around.union(*(value.repairs for value in self.values)))

    def scalar(self) -> Any:
        """The text's one JSON scalar when it holds nothing else, a fence aside; else `NOTHING`."""
        text = _unfenced(self.rest)
        if self.values or not text or text[0] in OPENING:
            return NOTHING
        try:
            return strict(text)[0]
        except (ValueError, RecursionError):
            return _mended_scalar(text)


def find(text: str, tool: str) -> Found:
    """Take the text apart. A leaked call counts as text when it is a call of `tool`."""
    visible = trimmed(text)
    try:
        value, repairs = strict(visible)
    except (ValueError, RecursionError):
        return _Search(text, tool).run()
    if not isinstance(value, Members | list):
        return Found(rest=visible)
    if len(visible) != len(text) and len(visible) != len(text.strip()):
        repairs = (*repairs, "invisible characters")
    return Found((Decoded(value, 0, len(text), frozenset(repairs)),), closed=True)


def whole(text: str) -> Decoded | None:
    """The object or list that the whole text is, a fence aside; None when it is something else."""
    text = _unfenced(text)
    if not text or text[0] not in OPENING:
        return None
    decoded = Decoder(text).decode(0)
    return decoded if isinstance(decoded, Decoded) and decoded.end == len(text) else None


def _unfenced(text: str) -> str:
    text = trimmed(text)
    fenced = _FENCED.fullmatch(text)
    return trimmed(fenced["inside"]) if fenced else text


def _mended_scalar(text: str) -> Any:
    """A scalar, read as the one element of a list so that the same repairs apply; else `NOTHING`."""
    if len(text) > _LONGEST_SCALAR:
        return NOTHING
    listed = f"[{text}]"
    decoded = Decoder(listed).decode(0)
    if (
        isinstance(decoded, Broken)
        or decoded.guessed
        or decoded.end != len(listed)
        or len(decoded.value) != 1
    ):
        return NOTHING
    return decoded.value[0]


class _Search:
    """One pass over a text that is no JSON as a whole."""

    def __init__(self, text: str, tool: str) -> None:
        self._text = text
        self._tool = tool
        self._decoder = Decoder(text)
        self._last_brace = max(text.rfind("{"), text.rfind("｛"))
        self._values: list[Decoded] = []
        self._rest: list[str] = []
        self._broken: list[str] = []
        self._open = False
        self._unclear = False
        self._thought = False

    def run(self) -> Found:
        at = 0
        while not self._decoder.exhausted and (mark := _MARKS.search(self._text, at)):
            self._rest.append(self._text[at : mark.start()])
            at = self._after(mark)
        self._rest.append(self._text[at:])
        ended = bool(self._values) and not self._open and is_blank(self._text[self._values[-1].end :])
        return Found(
            tuple(self._values),
            rest="".join(self._rest),
            broken=tuple(self._broken),
            open=self._open,
            unclear=self._unclear,
            thought=self._thought,
            tangled=self._decoder.exhausted,
            closed=ended,
        )

    def _after(self, mark: re.Match[str]) -> int:
        """Deal with one mark; where to go on."""
        if mark["brace"]:
            return self._value(mark.start())
        if mark["text"]:
            return self._json_text(mark)
        if mark["harmony"]:
            return self._message(mark)
        if mark["token"] or _is_void(mark):
            return mark.end()
        if _is_closing(mark):
            return self._forget(mark.end())
        self._thought = True
        return _block_end(self._text, mark) or len(self._text)

    def _value(self, start: int) -> int:
        if start > self._last_brace:  # a list of no objects
            self._rest.append(self._text[start])
            return start + 1
        decoded = self._decoder.decode(start)
        if isinstance(decoded, Decoded) and not (
            decoded.guessed and _TAGS.search(self._text, start, decoded.end)
        ):
            if isinstance(decoded.value, Members) or any(
                isinstance(v, Members | list) for v in decoded.value
            ):
                self._values.append(decoded)
                self._rest.append("\n")
            else:
                self._rest.append(self._text[start : decoded.end])
            return decoded.end
        if isinstance(decoded, Broken):
            self._broken += decoded.keys
        if isinstance(decoded, Broken) and decoded.open:
            thinking_end = _stray_close(self._text, start)
            if thinking_end is not None:
                return self._forget(thinking_end)
            self._open = True
            self._unclear = decoded.in_text and self._text.rstrip("` \n").endswith(("}", "]"))
            end = len(self._text)
        else:
            end = start + 1
        self._rest.append(self._text[start:end])
        return end

    def _json_text(self, mark: re.Match[str]) -> int:
        """A text that is JSON stays as it is: what looks like a tag in it is content."""
        try:
            is_json = whole(json.loads(mark["text"], strict=False)) is not None
        except ValueError:
            is_json = False
        end = mark.end() if is_json else mark.start() + 1
        self._rest.append(self._text[mark.start() : end])
        return end

    def _forget(self, at: int) -> int:
        """A closing tag whose opening one is in the prompt: all that came before was thinking."""
        self._values.clear()
        self._rest.clear()
        self._broken.clear()
        self._open = self._unclear = False
        self._thought = True
        return at

    def _message(self, mark: re.Match[str]) -> int:
        """A message of gpt-oss: its analysis is thinking, and a call of another tool is no answer."""
        header = mark["harmony"]
        recipient = _RECIPIENT.search(header)
        to_another = recipient is not None and recipient[1].rpartition(".")[2] != self._tool
        if not to_another and not _ANALYSIS.search(header):
            return mark.end()
        self._thought = True
        end = _MESSAGE_END.search(self._text, mark.end())
        return end.start() if end else len(self._text)


def _name(tag: re.Match[str]) -> str:
    return str(tag["name"] or tag["name_"] or tag["name__"]).casefold()


def _is_closing(tag: re.Match[str]) -> bool:
    return any(tag[group] is not None for group in ("close", "close_", "close__"))


def _is_void(tag: re.Match[str]) -> bool:
    """Whether the tag closes itself: `<think/>`."""
    return tag[0].endswith("/>")


def _block_end(text: str, opening: re.Match[str]) -> int | None:
    """Behind the tag that closes the block, blocks of the same name nested in it counted; None when it is open."""
    depth = 1
    for tag in _TAGS.finditer(text, opening.end()):
        if _name(tag) == _name(opening) and not _is_void(tag):
            depth += -1 if _is_closing(tag) else 1
            if not depth:
                return tag.end()
    return None


def _stray_close(text: str, at: int) -> int | None:
    """Behind the first closing tag after `at` that closes no block opened after `at`."""
    while tag := _TAGS.search(text, at):
        if _is_closing(tag):
            return tag.end()
        end = tag.end() if _is_void(tag) else _block_end(text, tag)
        if end is None:
            return None
        at = end
    return None
