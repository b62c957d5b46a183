"""What `LocalSandbox` starts first: it cuts its own network, limits itself, and becomes the judged program.

It runs as a script in a fresh interpreter, where it is alone: between fork and exec in a process with threads, none of
this would be safe. Over one pipe it tells whether the network is cut, and why the program could not be started.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

__all__ = ["main"]

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_NO_NEW_PRIVS = 38


def main(settings: str, *command: str) -> None:
    """Become `command`.

    Args:
        settings: JSON with `report`, the pipe's file descriptor, and `limits`: `cpu` (seconds), `memory` and `file`
            (bytes), `processes` (beside those that the user has already).
        command: the program, looked for on the path, and its arguments.
    """
    told = json.loads(settings)
    report = told["report"]
    os.set_inheritable(report, False)  # the program itself does not get it
    tasks = _tasks()  # in a namespace of its own, other users' would look like this one's
    os.write(report, b"1" if _cut_network() else b"0")
    _limit(told["limits"], tasks)
    try:
        os.execvp(command[0], command)  # noqa: S606  # no shell
    except OSError as error:
        os.write(report, f"{command[0]}: {error.strerror}".encode())
        sys.exit(127)


def _cut_network() -> bool:
    """Move into a network namespace without a network; for that, anyone but root needs a user namespace too."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWNET) == 0:
        return True
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with suppress(OSError):
            Path("/proc/self", name).write_text(line, encoding="ascii")
    return True


def _limit(limits: Mapping[str, int], tasks: int) -> None:
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: limits["cpu"],
        resource.RLIMIT_FSIZE: limits["file"],
        resource.RLIMIT_AS: limits["memory"],
        resource.RLIMIT_NPROC: tasks + limits["processes"],
    }
    for kind, most in wanted.items():
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # a system that does not know the limit
            resource.setrlimit(kind, (allowed, allowed))


def _tasks() -> int:
    """How many processes and threads this user has: the system counts them together against the limit."""
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == user:
                count += sum(1 for _ in (process / "task").iterdir())
    return count


if __name__ == "__main__":
    main(*sys.argv[1:])
