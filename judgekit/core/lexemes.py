"""The smallest parts of JSON as models write it: marks, names, numbers, words, comments."""

from __future__ import annotations

import re
from typing import Any

from judgekit.core.characters import BLANK, QUOTES

__all__ = [
    "BARE",
    "BLANKS_HERE",
    "CLOSING",
    "COLONS",
    "COMMAS",
    "COMMENT",
    "KEY_AHEAD",
    "KEY_BEGUN",
    "NAME",
    "NUMBER",
    "OBJECT_AHEAD",
    "OPENING",
    "STOP",
    "TAIL",
    "WORD",
    "is_json_number",
    "literal",
    "number_value",
    "unescaped",
]

OPENING = "{｛[［"
CLOSING = {True: "}｝", False: "]］"}
"""What closes an object (True) and a list (False)."""

COMMAS = ",，、"
COLONS = ":："

BLANKS_HERE = re.compile(BLANK + "*")
COMMENT = re.compile(r"(?://|#)[^\n\r]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
STOP = {opening: re.compile(rf"[\\{closing}]") for opening, closing in QUOTES.items()}
"""Opening quotation mark -> finds a mark that may close the text, or a backslash."""

NAME = re.compile(r"[^\W\d][\w$-]*")
NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
WORD = re.compile(r"-?[^\W\d]\w*")
BARE = re.compile(r'[+-]?\.?\w(?:[^,，}｝\]\n\r"“”]|,(?=[0-9]))*')
"""Text without quotation marks where a value should be; the comma of `0,75` belongs to it."""

KEY_AHEAD = re.compile(
    r'(?:"[^"\\]*(?:\\.[^"\\]*)*"'
    + "".join(
        rf"|{opening}[^{closing}\n]{{0,100}}[{closing}]"
        for opening, closing in QUOTES.items()
        if opening != '"'
    )
    + rf"|{NAME.pattern}){BLANK}*[{COLONS}]",
    re.DOTALL,
)
KEY_BEGUN = re.compile(rf"{BLANK}*[\"'“‘]?[\w -]{{0,60}}[\"'”’]?{BLANK}*")
OBJECT_AHEAD = (
    rf"[{{｛](?={BLANK}*(?:[{''.join(QUOTES)}}}｝/#]|\Z|{NAME.pattern}{BLANK}*(?:[{COLONS}/#]|\Z)))"
)
"""A brace that an object may begin with, to build patterns from: it spares most attempts on prose and formulas."""

TAIL = re.compile(rf"(?:{BLANK}|`|<[^<>\n]{{1,40}}>)*")
"""What may follow the last JSON of a text and is none: the text has as good as ended."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", '"': '"'}
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9])")
_LITERALS: dict[str, tuple[Any, str | None]] = {
    "true": (True, None),
    "false": (False, None),
    "null": (None, None),
    "True": (True, "Python literal"),
    "False": (False, "Python literal"),
    "None": (None, "Python literal"),
    "NaN": (float("nan"), None),
    "Infinity": (float("inf"), None),
    "-Infinity": (float("-inf"), None),
}


def literal(word: str) -> tuple[Any, str | None] | None:
    """What the word means in JSON or Python, and the repair that took; None for any other word."""
    return _LITERALS.get(word)


def is_json_number(token: str) -> bool:
    """Whether JSON writes the number so; `.8` and `+1` are numbers that it does not write."""
    return _JSON_NUMBER.match(token) is not None


def number_value(token: str) -> float:
    """The number that a token matched by `NUMBER` writes; infinite when it is too long for any."""
    try:
        return int(token) if token.lstrip("+-").isdigit() else float(token)
    except ValueError:  # more digits than Python converts to an int
        return float(token)


def unescaped(body: str) -> tuple[str, bool]:
    """A text without its escapes, and whether there were wrong ones: `\\'` loses its backslash, `\\alpha` keeps it."""
    text = _ESCAPE.sub(_plain, body).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text, any(escape[2] and escape[2] not in _ESCAPES for escape in _ESCAPE.finditer(body))


def _plain(escape: re.Match[str]) -> str:
    code, char = escape.groups()
    if code is not None:
        return chr(int(code, 16))
    return _ESCAPES.get(char) or (char if char in QUOTES else escape[0])
