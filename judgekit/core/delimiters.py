"""Delimiters that judged text cannot forge.

A prompt that says "the answer stands between <output> and </output>" is only as good as the answer's inability
to say `</output>` itself. So the tags that a template uses are made harmless inside the values that it shows:
the `<` that begins one becomes `&lt;`. All other text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

__all__ = ["neutralize", "neutralizer", "tags_in"]

_NAME = r"[^\W\d][\w-]*(?:[.:][\w-]+)*"
_TAG = re.compile(rf"<(?:\s*/\s*)?({_NAME})(?:\s[^<>]*)?/?>")

# Characters that a reader does not see: controls, and Unicode's default ignorable code points.
_UNSEEN = (
    "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_OPENINGS = "<\ufe64\uff1c"  # `<` and the two characters that normalize to it
_GAP = rf"(?:\\[nrtfb]|[\s\\{_UNSEEN}])*+"  # white space too, also as JSON text escapes it
_WITHIN = f"[{_UNSEEN}]*+"


def tags_in(template: str) -> frozenset[str]:
    """The names, in lower case, of the XML-like tags in a template's own text."""
    return frozenset(name.lower() for name in _TAG.findall(template))


def neutralize(text: str, tags: Iterable[str]) -> str:
    """Return `text` with the `<` of every opening or closing tag named in `tags` written `&lt;`.

    A tag counts in any case, with attributes or unfinished, with white space around its slash, and with invisible
    characters inside. Text without such a tag is returned as it is.
    """
    return neutralizer(frozenset(tags))(text)


@lru_cache(maxsize=512)
def neutralizer(tags: frozenset[str]) -> Callable[[str], str]:
    """`neutralize` for one set of tags, compiled."""
    if not tags:
        return str
    names = "|".join(_WITHIN.join(map(re.escape, tag)) for tag in sorted(tags, key=len, reverse=True))
    opening = re.compile(
        rf"[{_OPENINGS}](?={_GAP}(?:[/\uff0f]{_GAP})?(?:{names})(?![\w-]|[.:]\w))", re.IGNORECASE
    )

    def neutral(text: str) -> str:
        if "<" in text or "\uff1c" in text or "\ufe64" in text:
            return opening.sub("&lt;", text)
        return text

    return neutral
