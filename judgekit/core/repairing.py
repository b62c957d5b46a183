"""A JSON reader that reads on where a repair cannot change a value.

It reads JSON and, beyond it, what has one reading only: quotation marks and punctuation of other scripts, unquoted
keys, commas too many or too few, comments, Python's literals, `.8` and `+1`, raw control characters, wrong escapes,
quotation marks inside a text. It never closes what the text leaves open.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from judgekit.core.characters import QUOTES
from judgekit.core.decoding import Broken, Decoded, Members, Unquoted
from judgekit.core.lexemes import (
    BARE,
    BLANKS_HERE,
    CLOSING,
    COLONS,
    COMMAS,
    COMMENT,
    KEY_AHEAD,
    KEY_BEGUN,
    NAME,
    NUMBER,
    OPENING,
    STOP,
    TAIL,
    WORD,
    is_json_number,
    literal,
    number_value,
    unescaped,
)

__all__ = ["Decoder"]

_BUDGET_PER_CHARACTER = 4
_LEAST_BUDGET = 4096
_LEAST_COST = 16  # of a place where reading fails, in characters
_CONTROL = re.compile(r"[\x00-\x1f]")


class Decoder:
    """Reads objects and lists out of one text; `decode` may be called at any number of places.

    It keeps its own stack, so depth is no limit, and a budget of characters for places where reading fails, so the
    time is linear in the text however often it does.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._budget = _BUDGET_PER_CHARACTER * len(text) + _LEAST_BUDGET
        self._repairs: set[str] = set()
        self._guessed: list[str] = []

    @property
    def exhausted(self) -> bool:
        """Whether reading failed so often that no further place is tried."""
        return self._budget < 0

    def decode(self, start: int) -> Decoded | Broken:
        """The object or list that opens at `start`."""
        self._at = start
        self._repairs = set()
        self._guessed = []
        stack: list[_Frame] = []
        try:
            value = self._read(stack)
        except _Failed as failed:
            self._budget -= max(self._at - start, _LEAST_COST)
            keys = tuple(key for frame in stack for key in frame.keys)
            ended = failed.ended or TAIL.fullmatch(self._text, self._at) is not None
            return Broken(ended and self._is_json(stack), failed.in_text, keys)
        return Decoded(value, start, self._at, frozenset(self._repairs), tuple(self._guessed))

    def _read(self, stack: list[_Frame]) -> Any:
        while True:
            char = self._peek()
            if char in OPENING:
                frame = _Frame(self._at, char in "{｛")
                stack.append(frame)
                self._take(char)
                more = self._goes_on(frame, first=True)
            else:
                frame = stack[-1]
                frame.add(self._scalar(char, _Role.FIELD if frame.is_object else _Role.ITEM))
                more = self._goes_on(frame)
            while not more:
                value = stack.pop().value()
                if not stack:
                    return value
                frame = stack[-1]
                frame.add(value)
                more = self._goes_on(frame)

    def _goes_on(self, frame: _Frame, *, first: bool = False) -> bool:
        """Go to the next value in the container, or past the container's end."""
        char = self._peek()
        comma = not first and char in COMMAS
        if comma:
            self._take(char)
            char = self._peek()
        if char in CLOSING[frame.is_object]:
            self._take(char)
            if comma:
                self._repairs.add("trailing comma")
            return False
        if not (first or comma):
            if not self._begins_member(self._at, frame.is_object):
                raise _Failed
            self._repairs.add("missing comma")
        if frame.is_object:
            frame.key = self._key(char)
        return True

    def _key(self, char: str) -> str:
        if char in QUOTES:
            key = self._quoted(char, _Role.KEY)
        else:
            name = NAME.match(self._text, self._at)
            if name is None:
                raise _Failed
            key = name[0]
            self._at = name.end()
            self._repairs.add("unquoted key")
        colon = self._peek()
        if colon not in COLONS:
            raise _Failed
        self._take(colon)
        return key

    def _scalar(self, char: str, role: _Role) -> Any:
        if char in QUOTES:
            return self._quoted(char, role)
        number = NUMBER.match(self._text, self._at)
        if number and self._ends(number.end(), role):
            return self._taken(
                number, number_value(number[0]), None if is_json_number(number[0]) else "number"
            )
        word = WORD.match(self._text, self._at)
        meaning = literal(word[0]) if word else None
        if word and meaning and self._ends(word.end(), role):
            return self._taken(word, *meaning)
        bare = BARE.match(self._text, self._at)
        if bare is None or role is _Role.ITEM:
            raise _Failed
        return self._taken(bare, Unquoted(bare[0].rstrip()), None)

    def _taken(self, token: re.Match[str], value: Any, repair: str | None) -> Any:
        self._at = token.end()
        if repair:
            self._repairs.add(repair)
        return value

    def _quoted(self, opening: str, role: _Role) -> str:
        """The text that opens here. In a value, a mark that nothing fitting follows is content and not the end."""
        begin = at = self._at + 1
        inner = False
        while True:
            mark = STOP[opening].search(self._text, at)
            if mark is None:
                self._at = len(self._text)
                raise _Failed(ended=True, in_text=inner)
            if mark[0] == "\\":
                at = mark.end() + 1
            elif role is _Role.KEY or self._ends(mark.end(), role):
                break
            else:
                inner = True
                at = mark.end()
        body = self._text[begin : mark.start()]
        self._at = mark.end()
        if inner:
            self._repairs.add("inner quotes")
            self._guessed.append(body)
        if opening != '"':
            self._repairs.add("quotes")
        if _CONTROL.search(body):
            self._repairs.add("control characters")
        if "\\" not in body:
            return body
        text, wrong = unescaped(body)
        if wrong:
            self._repairs.add("escape")
        return text

    def _ends(self, at: int, role: _Role) -> bool:
        """Whether a scalar may end at `at`: only what can follow a value of its container follows."""
        of_object = role is _Role.FIELD
        after = self._skip(at)
        char = self._text[after : after + 1]
        if not char or char in CLOSING[of_object]:
            return True
        if char not in COMMAS:
            return of_object and self._begins_member(after, of_object)
        if not of_object:
            return True
        after = self._skip(after + 1)
        char = self._text[after : after + 1]
        return not char or char in CLOSING[of_object] or self._begins_member(after, of_object)

    def _begins_member(self, at: int, of_object: bool) -> bool:
        if of_object:
            return KEY_AHEAD.match(self._text, at) is not None
        return self._text[at] in OPENING or self._text[at] in QUOTES

    def _peek(self) -> str:
        """The next character that is neither blank nor in a comment."""
        at = self._skip(self._at)
        if passed := self._text[self._at : at].strip(" \t\n\r"):
            self._repairs.add("comment" if "/" in passed or "#" in passed else "invisible characters")
        self._at = at
        if at >= len(self._text):
            raise _Failed(ended=True)
        return self._text[at]

    def _take(self, char: str) -> None:
        self._at += 1
        if not char.isascii():
            self._repairs.add("punctuation")

    def _skip(self, at: int) -> int:
        """Past blanks and comments. Comments count against the budget: one may be met from many places."""
        begin = at
        while True:
            blanks = BLANKS_HERE.match(self._text, at)
            at = blanks.end() if blanks else at
            comment = COMMENT.match(self._text, at)
            if comment is None:
                return at
            at = comment.end()
            self._budget -= at - begin
            if self.exhausted:
                raise _Failed

    def _is_json(self, stack: list[_Frame]) -> bool:
        """Whether what was open at the end of the text is an object, and no brace or bracket of prose."""
        if any(frame.key is not None or frame.has_objects for frame in stack):
            return True
        inmost = stack[-1] if stack else None
        return (
            inmost is not None
            and inmost.is_object
            and KEY_BEGUN.fullmatch(self._text, inmost.start + 1) is not None
        )


class _Role(Enum):
    """Where a text stands; it decides what may follow its closing quotation mark."""

    KEY = 1
    FIELD = 2
    ITEM = 3


class _Frame:
    """A container that is being read."""

    __slots__ = ("content", "is_object", "key", "start")

    def __init__(self, start: int, is_object: bool) -> None:
        self.start = start
        self.is_object = is_object
        self.key: str | None = None
        self.content: list[Any] = []

    def add(self, value: Any) -> None:
        self.content.append((self.key, value) if self.is_object else value)

    def value(self) -> Any:
        return Members(self.content) if self.is_object else self.content

    @property
    def keys(self) -> list[str]:
        """The keys read so far; the last one's value may be missing."""
        return [*(key for key, _ in self.content), self.key] if self.key is not None else []

    @property
    def has_objects(self) -> bool:
        return any(isinstance(value, Members) for value in self.content)


class _Failed(Exception):
    """No value can be read here; `ended` when that is because the text does, `in_text` as in `Broken`."""

    def __init__(self, ended: bool = False, in_text: bool = False) -> None:
        self.ended = ended
        self.in_text = in_text
