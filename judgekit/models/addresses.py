"""Where a client's requests go: two servers may call different models by one name."""

from __future__ import annotations

from typing import Any

from judgekit.models.runnables import leaves

__all__ = ["address_of"]

_FIELDS = ("base_url", "azure_endpoint", "openai_api_base", "anthropic_api_url", "endpoint_url")
"""What the clients call their address: judgekit's and the official ones by the first, LangChain's by any."""

_OWN = ("https://api.openai.com", "https://api.anthropic.com")


def address_of(client: Any) -> str | None:
    """The address, or None for the provider's own and where a client tells none."""
    leaf = next(leaves(client))
    values = (getattr(leaf, field, None) for field in _FIELDS)
    address = next((str(value) for value in values if _is_address(value)), "").rstrip("/")
    return None if not address or address.removesuffix("/v1") in _OWN else address


def _is_address(value: Any) -> bool:
    """Text, or a URL object of an HTTP library; doubles have attributes of every name that are neither."""
    return bool(value) and (isinstance(value, str) or type(value).__name__ == "URL")
