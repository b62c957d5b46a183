"""Which characters carry no content, which carry the same, and which no store can hold.

Models, terminals and proxies put marks between tokens that nobody sees (byte order marks, zero-width spaces,
no-break spaces), so what counts as blank here is wider than JSON's four characters.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["BLANK", "BLANKS", "QUOTES", "field_name", "is_blank", "shortened", "storable", "trimmed"]

BLANKS = "".join(
    map(
        chr,
        (
            *range(0x21),  # control characters and the space
            *range(0x7F, 0xA1),  # delete, C1 controls, the no-break space
            0xAD,  # soft hyphen
            0x34F,  # combining grapheme joiner
            0x61C,  # Arabic letter mark
            0x1680,  # Ogham space
            0x180E,  # Mongolian vowel separator
            *range(0x2000, 0x2010),  # spaces, zero-width characters, direction marks
            *range(0x2028, 0x2030),  # line and paragraph separators, embeddings, the narrow no-break space
            *range(0x205F, 0x2070),  # mathematical space, word joiner, isolates
            0x3000,  # ideographic space
            0xFEFF,  # byte order mark
        ),
    )
)
"""Every character that may stand between two tokens without meaning anything."""

BLANK = f"[{re.escape(BLANKS)}]"
"""`BLANKS` as a character class, to build patterns from."""

QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”“",
    "”": "”",
    "„": "“”",
    "‘": "’‘",
    "’": "’",
    "＂": "＂",
    "＇": "＇",
    "「": "」",
    "『": "』",
    "«": "»",
    "»": "«",
}
"""Opening quotation mark -> the marks that may close it."""

_UNSEEN = dict.fromkeys(map(ord, BLANKS.replace(" ", "")))
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def trimmed(text: str) -> str:
    """The text without blanks at its ends."""
    return text.strip(BLANKS)


def is_blank(text: str) -> bool:
    """Whether the text holds nothing that can be seen."""
    return not text.strip(BLANKS)


def field_name(key: str) -> str:
    """One spelling for all spellings of a key: case, width, blanks and invisible characters do not count."""
    if not key.isascii():
        key = unicodedata.normalize("NFKC", key)
    return key.translate(_UNSEEN).strip().casefold()


def storable(text: str) -> str:
    """The text as every store can hold it: no NUL, and U+FFFD where a surrogate has lost its other half."""
    if not _UNSTORABLE.search(text):
        return text
    joined = text.replace("\x00", "").encode("utf-16-le", "surrogatepass")
    return joined.decode("utf-16-le", "replace")


def shortened(text: str, limit: int = 120) -> str:
    """The text on one line, cut in the middle when it is longer than `limit` characters."""
    half = limit // 2
    if len(text) > limit:
        text = f"{text[:half]} ... {text[-half:]}"
    return storable(" ".join(text.split()))
