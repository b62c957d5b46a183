"""Keep the tests on this machine: no connection and no name look-up leaves the loopback interface."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

__all__ = ["OutsideError", "forget_settings", "refuse_outside"]

SETTINGS = re.compile(
    r"(?!JUDGEKIT_SHARED$)(?:\w+_API_KEY|\w+_PROXY|(OPENAI|ANTHROPIC|AZURE|GOOGLE|GEMINI|LANGSMITH|LANGCHAIN|JUDGEKIT)_\w+)",
    re.IGNORECASE,
)
"""Environment variables that steer a client: keys, addresses, proxies, tracing. JUDGEKIT_SHARED only says where data is."""


class OutsideError(ConnectionRefusedError):
    """A test tried to leave the loopback interface."""


def forget_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove what the developer's own environment says to clients."""
    for name in filter(SETTINGS.fullmatch, list(os.environ)):
        monkeypatch.delenv(name)


def refuse_outside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make sockets and name look-ups refuse other machines.

    Returns:
        The hosts that were tried, one for each attempt, growing as they are: a caller may swallow the error.
    """
    attempts: list[str] = []

    def check(host: Any) -> None:
        if not is_loopback(host):
            attempts.append(str(host))
            raise OutsideError(
                f"a test tried to reach {host!r}: tests talk to 127.0.0.1 only, use the `provider` fixture"
            )

    def guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(connect)
        def guard(sock: socket.socket, address: Any) -> Any:
            if sock.family in {socket.AF_INET, socket.AF_INET6}:
                check(address[0])
            return connect(sock, address)

        return guard

    look_up = socket.getaddrinfo

    @wraps(look_up)
    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        check(host)
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    return attempts


def is_loopback(host: str | bytes | None) -> bool:
    """Whether the host is this machine's loopback; None stands for it in a look-up."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(name or "").is_loopback
    except ValueError:  # a name
        return False
