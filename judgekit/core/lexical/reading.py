"""A short text made ready to be compared: folded, cut into words and clauses, with its negations found."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import cached_property, lru_cache
from operator import itemgetter

from judgekit.core.lexical.lexicon import (
    BREAKERS,
    CARDINALS,
    CJK_DENIALS,
    CJK_NOT_DENIALS,
    ERAS,
    FUNCTION_WORDS,
    NEGATION_PHRASES,
    NEGATIONS,
    NOT_NEGATIONS,
    ORDINALS,
    ROMAN,
)

__all__ = ["Reading", "denies", "fold", "has_cjk", "scripts", "squash"]

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"""
      (?<![\d.,]) \d{{1,3}} (?: [ ']\d{{3}} )+ (?![\d.,]*\d)     # 1 000 000
    | \d+ (?: [.,]\d+ )+                                         # 1,000.5 and 20.07.1969
    | °\ ?[CF]\b | [%‰°$€£¥]
    | [{_CJK}]+
    | [^\W_{_CJK}]+ (?: '[^\W\d_{_CJK}]+ )* (?: \+\+ | \# )?
    """,
    re.VERBOSE,
)
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.\s?){2,}")
_SUPERSCRIPT = re.compile("(?<=\\d)[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_FRACTION = re.compile("(?<=\\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_MARKS = re.compile("[\u0300-\u036f]+")
_BREAK = re.compile(r"[.,;:!?()\[\]\n\"—–،。，、；：！？（）「」]|\s-+\s")
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "−": "-", "‐": "-", "‑": "-", "⁄": "/"}
    | {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe"}
)  # fmt: skip
_SCRIPTS = {
    "latin": re.compile("[A-Za-z]"),
    "cjk": re.compile(f"[{_CJK}]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
}


def fold(text: str) -> str:
    """NFKC with accents and typographic signs made plain; case is kept.

    Marks are removed from Latin, Greek and Cyrillic letters alone: elsewhere they are part of the letter.
    """
    if not text.isascii():
        text = _SUPERSCRIPT.sub(lambda digits: "^" + digits[0], text)
        text = unicodedata.normalize("NFKC", _FRACTION.sub(" ", text)).translate(_PLAIN)
        text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    return _INITIALS.sub(lambda initials: re.sub(r"[.\s]", "", initials[0]) + " ", text)


def squash(text: str) -> str:
    """Letters and digits only, in lower case: for scripts that are written without spaces."""
    return re.sub(r"[\W_]+", "", fold(text).casefold())


def scripts(text: str) -> frozenset[str]:
    """The scripts that `text` has letters of."""
    known = {"latin": _SCRIPTS["latin"]} if text.isascii() else _SCRIPTS
    return frozenset(name for name, letter in known.items() if letter.search(text))


def has_cjk(text: str) -> bool:
    return not text.isascii() and _SCRIPTS["cjk"].search(text) is not None


def denies(text: str) -> bool:
    """Whether Chinese, Japanese or Korean text holds a word of denial."""
    if text.isascii():
        return False
    for word in CJK_NOT_DENIALS:
        text = text.replace(word, " " * len(word))
    return any(word in text for word in CJK_DENIALS)


_PHRASE_STARTS = frozenset(first for first, _ in NEGATION_PHRASES)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """One spelling for a word's plural and possessive, its Roman numeral and its number word."""
    word = word.removesuffix("'s").replace("'", "")
    if word in CARDINALS:
        return str(CARDINALS[word])
    if word in ORDINALS:
        return str(ORDINALS[word])
    if word[0].isdigit():
        return word[:-2] if word[-2:] in {"st", "nd", "rd", "th"} else word.replace(",", "")
    if word in ERAS:
        return "bc" if ERAS[word] < 0 else "ad"
    if word in ROMAN:
        return ROMAN[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "siu":
        return word[:-1]
    return word


class Reading:
    """The words of one text, each with its place.

    Attributes:
        text: the folded text, case kept.
        words: the words in lower case, in order.
        spans: where each word stands in `text`, as (start, end).
        clauses: the number of the clause that each word stands in; punctuation and words such as `but` end one.
    """

    def __init__(self, text: str) -> None:
        self.text = fold(text)
        found = list(_TOKEN.finditer(self.text))
        self.spans = [match.span() for match in found]
        self.words = [match[0].casefold().replace("° ", "°") for match in found]

    @cached_property
    def clauses(self) -> list[int]:
        numbers: list[int] = []
        clause, last = 0, 0
        for word, (start, end) in zip(self.words, self.spans, strict=True):
            if word in BREAKERS or _BREAK.search(self.text, last, start):
                clause += 1
            numbers.append(clause)
            last = end
        return numbers

    @cached_property
    def stems(self) -> list[str]:
        return [_stem(word) for word in self.words]

    @cached_property
    def content(self) -> list[int]:
        """The places of the words that carry a fact; of all words when none does."""
        places = [i for i, word in enumerate(self.words) if word not in FUNCTION_WORDS]
        return places or list(range(len(self.words)))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def negations(self) -> list[int]:
        """The places of the words that turn their clause round."""
        words = self.words
        foreign = not self.text.isascii()
        return [
            i
            for i, word in enumerate(words)
            if (
                word in NEGATIONS
                or word.endswith("n't")
                or (word in _PHRASE_STARTS and tuple(words[i : i + 2]) in NEGATION_PHRASES)
                or (foreign and denies(word))
            )
            and not any(tuple(words[i : i + n]) in NOT_NEGATIONS for n in (2, 3))
        ]

    @cached_property
    def negated(self) -> dict[int, list[int]]:
        """The negations by the clause that they stand in."""
        found: dict[int, list[int]] = {}
        for i in self.negations:
            found.setdefault(self.clauses[i], []).append(i)
        return found

    def place(self, offset: int) -> int:
        """The first word that ends after `offset` in `text`."""
        return bisect_left(self.spans, offset + 1, key=itemgetter(1))

    def is_capitalized(self, i: int) -> bool:
        return self.text[self.spans[i][0]].isupper()
