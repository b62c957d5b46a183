"""What `connect` was told beside the judge itself, and which kinds of judge can use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from judgekit.errors import ConfigError

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The settings that make a model what it is; limits and parameters can be changed later, these cannot."""

    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    readout: str | None = None
    structured_output_kwargs: Mapping[str, Any] | None = None

    def only(self, *taken: str, by: str) -> Settings:
        """These settings, if all that are set are among `taken`.

        Raises:
            ConfigError: another one is set, which would be without effect.
        """
        for each in fields(self):
            if each.name not in taken and getattr(self, each.name) is not None:
                raise ConfigError(
                    f"{each.name} has no effect on {by}: leave it out, or give a model that takes it."
                )
        return self

    def ladder(self, rungs: Sequence[str]) -> Sequence[str]:
        """The rungs from the one that `structured_output_kwargs` asks for in LangChain's words, `method="json_mode"` say."""
        method = _METHODS.get(str((self.structured_output_kwargs or {}).get("method")))
        return rungs[rungs.index(method) :] if method in rungs else rungs


_METHODS = {"json_schema": "json_schema", "function_calling": "tool", "json_mode": "json_object"}
