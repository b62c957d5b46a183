"""Text made comparable, step by step, before it is compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from judgekit.errors import ConfigError
from judgekit.evaluators.comparison import chosen

__all__ = ["AS_IT_IS", "Normalize", "Normalizer", "normalizer"]

Step = str | Callable[[str], str]
Normalize = Step | Sequence[Step]
"""A step or several: one of the names below, or a function from text to text."""

_STEPS: Mapping[str, Callable[[str], str]] = {
    "NFC": partial(unicodedata.normalize, "NFC"),
    "NFKC": partial(unicodedata.normalize, "NFKC"),
    "casefold": str.casefold,
    "whitespace": lambda text: " ".join(text.split()),
}


@dataclass(frozen=True)
class Normalizer:
    """Steps that are applied one after the other. Pickles when its functions do."""

    steps: tuple[Step, ...] = ()

    def __call__(self, text: str) -> str:
        for step in self.steps:
            text = (_STEPS[step] if isinstance(step, str) else step)(text)
            if not isinstance(text, str):
                raise ConfigError(
                    f"normalize: {step!r} returned {type(text).__name__}, where a text is needed."
                )
        return text


AS_IT_IS = Normalizer()


def normalizer(given: Normalize) -> Normalizer:
    """Read a `normalize` argument.

    Args:
        given: steps, applied in this order: "NFC" (an accent written apart joins its letter), "NFKC" (so do other
            spellings of one character, full-width letters and ligatures say), "casefold" (no difference between
            capital and small letters, in any script), "whitespace" (runs of it are one space, none at the ends), or
            functions from text to text.

    Raises:
        ConfigError: a step that does not exist.
    """
    steps: Any = (given,) if not isinstance(given, list | tuple) else given
    return Normalizer(
        tuple(step if callable(step) else chosen("normalize", step, tuple(_STEPS)) for step in steps)
    )
