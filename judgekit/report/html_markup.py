"""HTML by construction: whatever is not markup already becomes text, and no character of it is invisible."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

__all__ = ["ODD", "Html", "el", "visible"]

ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufffe\uffff]"
)
"""Characters that hide, turn the text around, or cannot be written in a file: they are shown by their numbers."""

_VOID = frozenset({"meta", "input"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child = Html | str | int | None | Iterable["Child"]
"""What an element may hold; None is nothing."""


def el(tag: str, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element.

    Args:
        tag: its name.
        children: markup, text (which is escaped), or lists of these.
        attributes: by name; `class_` is `class` and other underscores are hyphens. True is an attribute without a value;
            None and False leave it out.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{''.join(map(_child, children))}</{tag}>")


def visible(text: str) -> Html:
    """Text as markup; a character that hides is shown as `U+202E`, marked as such."""
    parts = []
    end = 0
    for found in ODD.finditer(text):
        number = el("span", _number(found), class_="odd")
        parts += [escape(text[end : found.start()]), number]
        end = found.end()
    return Html("".join([*parts, escape(text[end:])]))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return visible(child)
    if isinstance(child, Iterable):
        return "".join(map(_child, child))
    return str(child)


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = (
        f"{value:g}" if isinstance(value, float) else ODD.sub(lambda found: f"[{_number(found)}]", str(value))
    )
    return f' {name}="{escape(text)}"'


def _number(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"
